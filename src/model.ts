/**
 * The nouns of the catalogue and the interfaces behind which effects live: store, files, clock, chance.
 * Everything may import this file; of the project it imports nothing but the shapes.
 */
import type { Readable } from 'node:stream';
import type Type from 'typebox';
import type * as schemas from './schemas.ts';

export type Rating = Type.Static<typeof schemas.Rating>;
export type Orientation = Type.Static<typeof schemas.Orientation>;
export type Mimetype = Type.Static<typeof schemas.Mimetype>;
export type Artist = Type.Static<typeof schemas.Artist>;
export type Category = Type.Static<typeof schemas.Category>;
export type Character = Type.Static<typeof schemas.Character>;
export type Image = Type.Static<typeof schemas.Image>;
export type TokenInformation = Type.Static<typeof schemas.TokenInformation>;
export type Statistics = Type.Static<typeof schemas.Statistics>;
export type CategoryLine = Type.Static<typeof schemas.CategoryLine>;
export type ArtistLine = Type.Static<typeof schemas.ArtistLine>;
export type CharacterLine = Type.Static<typeof schemas.CharacterLine>;
export type ImageLine = Type.Static<typeof schemas.ImageLine>;

/** The kinds of records that images belong to and that have names. */
export type Kind = 'artist' | 'category' | 'character';

/** Milliseconds since 1970. */
export type Clock = () => number;
/** A whole number, uniform from 0 up to but without `below`. */
export type Chance = (below: number) => number;

/** A stored image document: the public JSON with holes for its link (see catalogue/document.ts). */
export type Document = string;

/** Where an image's bytes are to be had, and until when. */
export interface Link {
  /** All ASCII, as addresses are. */
  url: string;
  /** ISO 8601 */
  expires: string;
}

/** From when to when a link works, in seconds since 1970. */
export interface Validity {
  begins: number;
  expires: number;
}

/** What links are made of: the name that an image's file has in our own links, and the key of its bytes. */
export type LinkTo = (fileName: string, key: string) => Link;

export interface LinkMaker {
  /** No link can be valid for more seconds than this. */
  readonly longestLife: number;
  /** A function that gives links, all of which are valid for the same time. `origin` is where the client called us. */
  signer(origin: string, validity: Validity): LinkTo;
}

/** An image that answers can carry. */
export interface Linkable {
  /** Its public JSON with a link to its bytes. */
  withLink(linkTo: LinkTo): string;
  /** How many bytes more than characters that JSON has. */
  readonly surplus: number;
}

/** A slice of an ordered list, and how long the whole list is. */
export interface Page<Item = string> {
  total: number;
  items: Item[];
}

export interface Window {
  offset: number;
  limit: number;
}

/** The folded names of a kind, in the order of its list, as they were at one version of the catalogue. */
export interface NameList {
  kind: Kind;
  version: number;
  folded: readonly string[];
  /** No name has more characters than this; some may have fewer than it says, where one takes two code units. */
  longest: number;
}

export interface Token extends TokenInformation {
  id: string;
}

/** What is needed to send an image's bytes. */
export interface FileFacts {
  key: string;
  eTag: string;
  mimetype: Mimetype;
}

/** Which images are wanted: those that meet all that it says. */
export interface Filter {
  /** With one of these. */
  ratings?: readonly Rating[] | undefined;
  orientations?: readonly Orientation[] | undefined;
  /** Names of categories that it is in. */
  categories?: readonly string[] | undefined;
  /** In all of them, unless any will do. */
  match?: 'all' | 'any' | undefined;
  /** Names of categories that it is in none of. */
  exclude?: readonly string[] | undefined;
  /** The id of who drew it. */
  artist?: string | undefined;
  /** The id of who is to be seen. */
  character?: string | undefined;
}

/** What lists can be filtered by. */
export type ListFilter = Pick<Filter, 'ratings' | 'orientations' | 'artist'>;

/** What is named and there is none of: categories; the artist or the character; a mark of an order that is no more. */
export interface Unknown {
  unknown: { categories: string[]; exclude: string[] } | 'artist' | 'character' | 'mark';
}

/** Where the order of a seed goes on: with this rank, of so many bits (see catalogue/shuffle.ts). */
export interface Mark {
  bits: number;
  rank: number;
}

/** Images in the order of a seed. */
export interface Stretch {
  images: Linkable[];
  /** Of the one that follows, where there is one. */
  next: Mark | undefined;
}

/** A part that the service needs does not answer for now; the message is for the log. */
export class Unavailable extends Error {}

/** The catalogue as handlers see it. Each call answers from one moment of the catalogue, never from two. */
export interface Catalogue {
  statistics(): Promise<Statistics>;
  image(id: string): Promise<Linkable | undefined>;
  /** In the order of adding. */
  images(filter: ListFilter, window: Window): Promise<Page<Linkable> | Unknown>;
  /** Distinct images, in random order. */
  randomImages(filter: Filter, limit: number, chance: Chance): Promise<Linkable[] | Unknown>;
  /** Images in the order that the seed puts them in, the first ones or from a mark on. */
  seededImages(
    filter: Filter,
    seed: string,
    from: Mark | undefined,
    limit: number,
  ): Promise<Stretch | Unknown>;
  /** The public JSON of each, by name, then id. */
  list(kind: Kind, window: Window): Promise<Page>;
  /** The names to search in, as they are now. */
  names(kind: Kind): Promise<NameList>;
  /** The records at these places of a list of names; undefined when the catalogue has changed since. */
  listed(names: NameList, positions: number[]): Promise<string[] | undefined>;
  one(kind: Kind, id: string): Promise<{ document: string; images: number } | undefined>;
  file(image: string): Promise<FileFacts | undefined>;
  /** What there is to watch. */
  figures(): Figure[];
  /** What is wrong with servers that it can do without for now, and what that means; for anyone to read. */
  trouble(): string | undefined;
}

/** The catalogue and the tokens, opened. */
export interface Store extends AsyncDisposable {
  catalogue: Catalogue;
  tokens: TokenRegister;
}

/** A measurement for those who watch the service, of one thing or of several that labels tell apart. */
export interface Figure {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: Sample[];
}

export interface Sample {
  /** What the name goes on with, where the figure is a histogram. */
  suffix?: '_bucket' | '_sum' | '_count';
  labels?: Record<string, string>;
  value: number;
}

/** What becomes of a request under the rate limit. */
export interface Decision {
  isAllowed: boolean;
  /** Refused for an hour, and not just for now. */
  isBlocked: boolean;
  /** Milliseconds until a request would be allowed. */
  wait: number;
}

export interface Limiter {
  /** Makes ready what decisions need, as far as it is to be had. */
  start(): Promise<void>;
  decide(client: string): Promise<Decision>;
  /** What is wrong while it works, but not as it should, and what that means; for anyone to read. */
  trouble(): string | undefined;
  close(): Promise<void>;
}

/** Stored bytes, opened. Whoever opens it either reads a stream to its end or closes it. */
export interface OpenFile {
  size: number;
  /** The bytes from `start` to `end`, both included. */
  stream(start: number, end: number): Readable;
  /** The entity tag, where the storage itself gives one to the bytes. */
  eTag?: string;
  close(): Promise<void>;
}

/** Where the bytes of images are kept, by key. */
export interface Files {
  open(key: string): Promise<OpenFile | undefined>;
  remove(key: string): Promise<void>;
  /** Every key that there are bytes for. */
  keys(): AsyncIterable<string>;
  /** Begins to take in new bytes. */
  intake(): Promise<Intake>;
  /** An intake that changes nothing, and only tells what would become of bytes. */
  rehearsal(): Intake;
  /** The keys of intakes that did not end, because their process was killed, or that were left to the next import. */
  abandoned(): Promise<string[]>;
  /** Forgets about them, when it is decided what becomes of each. */
  forgetAbandoned(): Promise<void>;
}

/** New bytes. Until it ends, a journal tells the next import of them, in case that this process is killed. */
export interface Intake {
  /** Gives the entity tag that the bytes will be sent with; `hash` is their SHA-256, in hex. */
  put(key: string, bytes: Uint8Array, facts: { hash: string; mimetype: Mimetype }): Promise<string>;
  /** Sees to it that not even a power cut can take what was put. */
  settle(): Promise<void>;
  /** The keys whose bytes were not there before. */
  taken(): string[];
  /** Ends it; what becomes of the bytes is decided. */
  end(): Promise<void>;
  /** Ends it and leaves it to the next import to decide. */
  leave(): Promise<void>;
}

/** An artist, category or character as the store keeps it. `shelf` is absent until it is saved. */
export interface Entry {
  shelf?: number;
  kind: Kind;
  id: string;
  name: string;
  createdAt: string;
  /** Its public JSON, without the count of images. */
  document: string;
}

export type SavedEntry = Entry & { shelf: number };

/**
 * An image as the store keeps it. `eTag` is what its bytes are known by: their hash, or the entity tag that a record
 * gave. (The document has the tag that the bytes are sent with, which some storage chooses itself.) `number` is its place in the
 * order of adding, absent until it is saved.
 */
export interface ImageRow {
  number?: number;
  id: string;
  key: string;
  eTag: string;
  mimetype: Mimetype;
  document: Document;
}

/** The row of images that an image with this rating, or this orientation, or any image at all, stands in. */
export interface FixedShelves {
  catalogue: number;
  rating: Record<Rating, number>;
  orientation: Record<Orientation, number>;
}

/**
 * The catalogue as commands change it: one transaction and one lock, from opening to `commit` or else to its disposal,
 * which takes everything back. It finds and saves many records a call, so that a store across a network needs few round
 * trips.
 */
export interface CatalogueWriter extends AsyncDisposable {
  fixedShelves: FixedShelves;
  entriesById(kind: Kind, ids: string[]): Promise<SavedEntry[]>;
  /** Every entry that bears one of the names; categories ignoring case. */
  entriesByName(kind: Kind, names: string[]): Promise<SavedEntry[]>;
  imagesById(ids: string[]): Promise<SavedImage[]>;
  imagesByETag(eTags: string[]): Promise<SavedImage[]>;
  saveEntries(entries: Entry[]): Promise<void>;
  /** Adds or updates, and puts each image on just these shelves. */
  saveImages(images: { row: ImageRow; shelves: number[] }[]): Promise<void>;
  /** Takes images out and gives the rows that they were. */
  removeImages(ids: string[]): Promise<ImageRow[]>;
  /** Those of the keys that no image uses. */
  unusedKeys(keys: string[]): Promise<string[]>;
  /** Has `commit` make the numbers of all shelves and lists anew. */
  renumberAll(): Promise<void>;
  commit(): Promise<void>;
}

export type SavedImage = ImageRow & { number: number };

/** The whole of a catalogue as it was at one moment, a record at a time. */
export interface CatalogueDump extends AsyncDisposable {
  fixedShelves: FixedShelves;
  entries(kind: Kind): AsyncIterable<SavedEntry>;
  images(): AsyncIterable<SavedImage>;
  /** The shelves that each of the images stands on. */
  shelvesOf(images: number[]): Promise<Map<number, number[]>>;
  /** What is wrong with the numbers of shelves and lists, told to people. */
  misnumbered(): AsyncIterable<string>;
}

export interface TokenRegister {
  /** By the hash of its secret, unless it was revoked; whether it has expired is the caller's to judge. */
  find(hash: string): Promise<Token | undefined>;
  add(token: Token, hash: string): Promise<void>;
  list(): Promise<(Token & { revokedAt: string | null })[]>;
  /** False when there is no such live token. */
  revoke(id: string, revokedAt: string): Promise<boolean>;
}
