/**
 * What the page and the server of the studio say to each other: each address, what a request may contain, and what comes back.
 * The server validates every request with it (requests.ts), and both sides take their types from it. The page imports types
 * only, so nothing of this file, or of what it imports, may need Node's types.
 */
import {
  type Change,
  type ChangeGroup,
  ChangeOrigin,
  type DescribedItem,
  type Kept,
} from '../catalogue/change-log.ts';
import { EDITABLE_FIELDS, type EditableField } from '../catalogue/documents/edit-image.ts';
import {
  type GivenDetails,
  type Image,
  KINDS,
  type Kind,
  MENTIONED_KINDS,
  Rating,
  uuidPattern,
} from '../catalogue/schemas.ts';
import { MAX_QUERY_LENGTH } from '../catalogue/search/query.ts';
import { FOLDER_RULES, MAX_ALBUM_IMAGES } from '../catalogue/writer.ts';
import * as Type from '../lib/json-schema.ts';
import { SITE_FIELDS, type SiteTexts } from '../lib/site-texts.ts';

// What requests may contain. Everything is bounded.

const MAX_IMAGES = 200_000;
const MAX_TILES = 500;
const MAX_NAMES = 100;
const MAX_TEXT = 10_000;
/** Of pictures that one request reads to compare them with a text. */
const MAX_SEARCHED = 2000;
/** Of pictures whose neighbours are looked at. */
const MAX_NEAR = 20;
/** Of a request. */
const MAX_EDITS = 500;
const MAX_SIDE = 1_000_000;

const Id = Type.String({ pattern: uuidPattern });
const ids = (maxItems: number) => Type.Array(Id, { minItems: 1, maxItems });
const Ids = ids(MAX_IMAGES);
/** PostgreSQL cannot store the character NUL. */
const Text = Type.String({ maxLength: MAX_TEXT, pattern: '^[^\\0]*$' });
const Texts = Type.Array(Text, { maxItems: MAX_NAMES });
const KindSchema = Type.OneOf(KINDS);
const Flag = Type.Optional(Type.Literal(''));
/** The number of a change, and the same in a query. */
const ChangeNumber = Type.Integer({ minimum: 1, maximum: 999_999_999 });
const Digits = Type.String({ pattern: '^[1-9]\\d{0,8}$' });
const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });
const EntryIds = Type.Optional(Type.Array(Id, { maxItems: MAX_NAMES }));

/** What people read about a picture. */
export const LACKING = ['title', 'licence', 'alt'] as const;
const Nothing = Type.Closed({});
const Selection = Type.Closed({ ids: Ids });
const ImageFilter = Type.Closed({
  q: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_QUERY_LENGTH })),
  rating: Type.Optional(Rating),
  artist: EntryIds,
  category: EntryIds,
  character: EntryIds,
  album: EntryIds,
  without: Type.Optional(Type.Array(Type.OneOf(MENTIONED_KINDS), { maxItems: 3 })),
  lacks: Type.Optional(Type.Array(Type.OneOf(LACKING), { maxItems: LACKING.length })),
  unrated: Flag,
  fileChanged: Flag,
  edited: Flag,
  alike: Flag,
  outdated: Flag,
  run: Type.Optional(Digits),
  like: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$' })),
});
/** What no shelf tells. The path is a part of that of the source file. */
const RecordFilter = Type.Closed({
  path: Type.Optional(Text),
  since: Type.Optional(Time),
  before: Type.Optional(Time),
  minSide: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_SIDE })),
  maxSide: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_SIDE })),
});
const Field = Type.OneOf(EDITABLE_FIELDS);
export const ImageEdit = Type.Closed({
  rating: Type.Optional(Rating),
  artist: Type.Optional(Text),
  sourceName: Type.Optional(Text),
  sourceUrl: Type.Optional(Text),
  title: Type.Optional(Text),
  description: Type.Optional(Text),
  takenAt: Type.Optional(Text),
  licence: Type.Optional(Text),
  credit: Type.Optional(Text),
  alt: Type.Optional(Text),
  addCategories: Type.Optional(Texts),
  removeCategories: Type.Optional(Texts),
  addCharacters: Type.Optional(Texts),
  removeCharacters: Type.Optional(Texts),
  addAlbums: Type.Optional(Texts),
  removeAlbums: Type.Optional(Texts),
  reset: Type.Optional(Type.Array(Field, { maxItems: EDITABLE_FIELDS.length })),
  create: Type.Optional(Type.Boolean()),
});
export type ImageEdit = Type.Static<typeof ImageEdit>;
/** What a page calls its edit: a UUID of the page, and the number of the edit. */
const EditId = Type.String({ pattern: `${uuidPattern.slice(0, -1)}-\\d{1,9}$` });
/** `base` is the last change that the page knew. `undoes` is the number of a change, or an edit that may be on its way. */
export const WaitingEdit = Type.Union([
  Type.Closed({ id: EditId, base: Type.Integer({ minimum: 0 }), ids: Ids, edit: ImageEdit }),
  Type.Closed({ id: EditId, undoes: Type.Union([ChangeNumber, EditId]) }),
]);
export type WaitingEdit = Type.Static<typeof WaitingEdit>;
const WaitingEdits = Type.Array(WaitingEdit, { minItems: 1, maxItems: MAX_EDITS });
/** Those of a catalogue record; they are validated like one. */
const EntryFields = Type.Closed({
  name: Type.Optional(Text),
  url: Type.Optional(Text),
  licence: Type.Optional(Text),
  credit: Type.Optional(Text),
  description: Type.Optional(Text),
  nsfw: Type.Optional(Type.Boolean()),
  source: Type.Optional(Text),
  gender: Type.Optional(Text),
  ages: Type.Optional(Type.Array(Type.Integer(), { maxItems: MAX_NAMES })),
  birth_date: Type.Optional(Text),
  nationality: Type.Optional(Text),
  occupations: Type.Optional(Texts),
});
/** The fields of a new picture, the names of the folders it is in and which of them are categories, the import that it continues, and whether to ask if it looks like others. */
const NewPicture = Type.Closed({
  name: Text,
  rating: Type.Optional(Rating),
  artist: Type.Optional(Text),
  category: Type.Optional(Texts),
  character: Type.Optional(Texts),
  folder: Type.Optional(Texts),
  folderCategories: Type.Optional(Type.OneOf(FOLDER_RULES)),
  run: Type.Optional(Digits),
  alike: Type.Optional(Type.Literal('ask')),
});

// What comes back.

/** A change that was made in the studio and can be undone. */
export interface Step {
  id: number;
  label: string;
  at: string;
}

/** What the page needs to know after a change. */
export interface Changed {
  /** One's own, the last one first. */
  steps: Step[];
  /** The number of the last change of all. */
  last: number;
}

/** What became of an edit. */
export interface Applied {
  id: string;
  /** Why it was not applied. */
  refused?: string;
  /** What it undid. */
  undone?: Undone;
}

/** How far a change is. */
export type Progress = { done: number; total: number } | { waiting: true };

/** What an error is sent with. */
export interface RefusalDetails {
  /** Of images that were changed meanwhile. */
  summary?: SelectionSummary;
  /** The ids of images that were removed meanwhile. */
  missing?: string[];
}

/** An entry, and how many images have it. */
export interface Counted {
  id: string;
  name: string;
  images: number;
}

export interface ListedEntry extends Counted {
  aliases: string[];
  version: string;
  /** Its other public fields. */
  fields: Record<string, unknown>;
}

export interface Tile {
  id: string;
  rating: Rating;
  label: string;
  fileName: string;
  isEdited: boolean;
  width: number;
  height: number;
  /** What is shown until the picture has loaded. */
  color: string;
  thumbHash?: string;
}

/** A picture to compare with others. */
export interface Alike extends Tile {
  size: number;
  mimetype: string;
}

/** A picture that a new one looks like, as it was when it was found. */
export type Found = Alike & { version: string };

export interface SelectionSummary extends GivenDetails {
  images: number;
  /** Of all the images together. What removes or replaces them names the one that it is based on. */
  version: string;
  /** The last change that this is based on. */
  base: number;
  ratings: Partial<Record<Rating, number>>;
  artists: Counted[];
  categories: Counted[];
  characters: Counted[];
  albums: Counted[];
  /** Undefined if there are several, and so are the details. */
  source: Image['source'] | undefined;
  /** By field. */
  edited: Partial<Record<EditableField, number>>;
  /** Of a single image. */
  details?: {
    createdAt: string;
    width: number;
    height: number;
    size: number;
    mimetype: string;
    fileName: string;
    /** When it got another file, if the trash has the former one. */
    replacedAt?: string | undefined;
  };
}

/** The first ones of a list, and how long it is. */
export interface Listed<T> {
  count: number;
  listed: T[];
}

/** What undoing a change did, or would do. */
export interface Undone {
  /** The change. */
  number: number;
  undone: string;
  /** The ids of images. */
  removed: Listed<string>;
  restored: Listed<string>;
  changed: Listed<string>;
  /** How many pictures have another file now. */
  replaced: number;
  entries: number;
  kept: Listed<Kept>;
}

export interface RemovedPicture {
  id: string;
  removedAt: string;
  reason: string;
  /** Its title or file name, as long as it is in the trash. */
  name?: string;
  /** Whether it is the former file of a picture that has another one. */
  isFormer: boolean;
  /** Whether it can be restored. */
  isInTrash: boolean;
}

/** What needs attention. */
export interface Health {
  images: number;
  /** Of pictures. Undefined if counting them would take long. */
  unrated: number | undefined;
  withoutArtist: number;
  lacking: Record<'title' | 'licence' | 'alt' | 'category', number> | undefined;
  /** Entries without pictures. */
  unused: Record<Kind, number>;
  /** The last ones, the newest first. */
  imports: Change[];
  /** The last one that succeeded. */
  backup: { at: string; bytes: number; isOld: boolean } | undefined;
  disks: { folder: string; free: number; size: number; isNearlyFull: boolean }[];
}

/** What became of a picture that was sent to be added. */
export interface AddedPicture extends Changed {
  /** How many pictures were added or updated. */
  added: number;
  updated: number;
  /** What the import says, as sentences. */
  notes: string[];
  /** The import that it belongs to; undefined if nothing changed. */
  run: number | undefined;
}

// The addresses.

export type { Change, ChangeGroup, DescribedItem, EditableField, Kind, Rating };

/** How a request and its response are sent. */
type Form = 'query' | 'lookup' | 'change' | 'upload';

interface Endpoint<F extends Form, Schema extends Type.TSchema, Response> {
  form: F;
  request: Schema;
  /** For the compiler only: what the server makes itself needs no validation. */
  response?: Response;
}

const endpoint =
  <F extends Form>(form: F) =>
  <Schema extends Type.TSchema>(request: Schema) => ({
    returns: <Response>(): Endpoint<F, Schema, Response> => ({ form, request }),
  });
/** GET with a query. The response is JSON, or bytes. */
const query = endpoint('query');
/** POST with JSON, because a query would be too long for all the ids. It changes nothing. */
const lookup = endpoint('lookup');
/** POST with JSON. The response is a line of JSON for each progress, and a last one with the result. */
const change = endpoint('change');
/** POST with a query, and the bytes of a file. */
const upload = endpoint('upload');

export const endpoints = {
  /** Who is signed in, undefined if nobody has to, and the identity of the catalogue. */
  '/data/session': query(Nothing).returns<{ user: string | undefined; catalogue: string }>(),
  /** The ids, 16 bytes each: in the order of the album if there is one, or else oldest first. */
  '/data/images': query(ImageFilter).returns<Uint8Array>(),
  /** The positions of those pictures that the filter matches. The page sends slices of a list. */
  '/data/matches': lookup(Type.Closed({ ids: ids(MAX_SEARCHED), filter: RecordFilter })).returns<number[]>(),
  /** The perceptual hash of a picture, for the filter `like`. */
  '/data/looks': upload(Type.Closed({ name: Text })).returns<{ like: string }>(),
  '/data/entries': query(Type.Closed({ kind: KindSchema })).returns<ListedEntry[]>(),
  '/data/suggestions': query(Type.Closed({ kind: KindSchema, text: Text })).returns<Counted[]>(),
  '/data/steps': query(Nothing).returns<Changed>(),
  '/data/history': query(
    Type.Closed({
      image: Type.Optional(Id),
      origin: Type.Optional(ChangeOrigin),
      since: Type.Optional(Time),
    }),
  ).returns<ChangeGroup[]>(),
  '/data/change': query(Type.Closed({ number: Digits, image: Type.Optional(Id) })).returns<DescribedItem[]>(),
  '/data/removed': query(Nothing).returns<RemovedPicture[]>(),
  '/data/imports': query(Nothing).returns<Change[]>(),
  '/data/alike': query(Nothing).returns<{ total: number; groups: Alike[][] }>(),
  '/data/problems': query(Nothing).returns<string[]>(),
  '/data/health': query(Nothing).returns<Health>(),
  /** The texts of the site in the catalogue, and the variables that say some. */
  '/data/site': query(Nothing).returns<{ texts: SiteTexts; fixed: SiteTexts }>(),
  '/data/tiles': lookup(Type.Closed({ ids: ids(MAX_TILES) })).returns<Tile[]>(),
  '/data/summary': lookup(Selection).returns<SelectionSummary>(),
  /** Categories that pictures near these have and these lack. */
  '/data/neighbours': lookup(Type.Closed({ ids: ids(MAX_NEAR) })).returns<Counted[]>(),
  /** The entries that have these names. Those that do not exist have no id. */
  '/data/names': lookup(Type.Closed({ kind: KindSchema, names: Texts })).returns<
    { id?: string; name: string }[]
  >(),
  /** Reads all files, and reports how far it is, until the page disconnects. One at a time. Changes nothing. */
  '/check/files': change(Nothing).returns<Listed<string>>(),
  /** One after the other, each once, however often it is sent. Refused unless the page is of this catalogue and user. */
  '/change/images': change(Type.Closed({ catalogue: Text, user: Text, edits: WaitingEdits })).returns<
    Changed & { applied: Applied[] }
  >(),
  '/change/site': change(Type.Closed({ field: Type.OneOf(SITE_FIELDS), text: Text })).returns<Changed>(),
  '/change/remove': change(
    Type.Closed({ ids: Ids, version: Text, reason: Text, isTakeDown: Type.Boolean() }),
  ).returns<Changed>(),
  '/change/allow': change(Selection).returns<Changed>(),
  '/change/restore': change(Selection).returns<Changed>(),
  '/change/trash/empty': change(Nothing).returns<Changed & { images: number; files: number }>(),
  '/change/undo': change(Type.Closed({ change: ChangeNumber, isPreview: Type.Boolean() })).returns<
    Undone & Changed
  >(),
  '/change/entry': change(
    Type.Closed({
      kind: KindSchema,
      id: Id,
      version: Text,
      fields: EntryFields,
      addAliases: Texts,
      removeAliases: Texts,
    }),
  ).returns<Changed>(),
  '/change/entry/create': change(Type.Closed({ kind: KindSchema, name: Text })).returns<Changed>(),
  '/change/entry/merge': change(
    Type.Closed({ kind: KindSchema, from: Id, into: Id, version: Text }),
  ).returns<Changed>(),
  '/change/entry/remove': change(
    Type.Closed({ kind: KindSchema, id: Id, version: Text, block: Type.Boolean() }),
  ).returns<Changed>(),
  /** Pictures of an album go before one of its others, or to the end. */
  '/change/album/order': change(
    Type.Closed({ id: Id, ids: ids(MAX_ALBUM_IMAGES), before: Type.Optional(Id) }),
  ).returns<Changed>(),
  /** With `alike=ask`, the pictures that it looks like, if there are any. */
  '/add/picture': upload(NewPicture).returns<AddedPicture | { alike: Found[] }>(),
  /** The picture with this id gets the file, and keeps its fields. */
  '/add/replacement': upload(Type.Closed({ name: Text, id: Id, version: Text })).returns<Changed>(),
};

type Endpoints = typeof endpoints;
export type Address = keyof Endpoints;
/** Those of one form. */
export type AddressOf<F extends Form> = {
  [A in Address]: Endpoints[A]['form'] extends F ? A : never;
}[Address];
export type RequestTo<A extends Address> = Type.Static<Endpoints[A]['request']>;
export type ResponseOf<A extends Address> = Exclude<Endpoints[A]['response'], undefined>;
