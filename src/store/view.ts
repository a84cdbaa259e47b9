/**
 * How the catalogue asks, and a driver answers. A call of the catalogue is a generator: it reads from a view, which is one
 * version of the catalogue and its shelves, and yields what it has to wait for. So the rules are written once: the embedded
 * database answers at once, inside one read transaction, and PostgreSQL with promises.
 */
import type { EntryDetails } from '../catalogue/catalogue.ts';
import type { Change } from '../catalogue/change-log.ts';
import {
  type Document,
  type FileType,
  forEachKind,
  type Kind,
  type MentionedKind,
  type Orientation,
  type Rating,
  type Statistics,
} from '../catalogue/schemas.ts';
import type { Block } from '../catalogue/sets/blocks.ts';
import type { ByteString } from '../lib/byte-string.ts';
import { Unavailable } from '../lib/metrics.ts';
import type { SiteField, SiteTexts } from '../lib/site-texts.ts';
import type { Tuning } from '../lib/tuning.ts';

/** What a read returns: the result, or a promise of it. */
export type Answer<T> = T | Promise<T>;

/** Steps of a call that end with its result. It yields the promises that it waits for. */
export type Call<T> = Generator<Promise<unknown>, T, unknown>;

/** An artist, character, category or album. */
export interface StoredEntry extends Omit<EntryDetails, 'cover'> {
  /** The number of its shelf. */
  shelf: number;
  /** The number of the image that is its cover. */
  coverNumber: number | null;
}

/** What `lookUps` finds of an entry. `document` is in the form in which the driver reads it. */
export type EntryRow<Document> = [
  shelf: number,
  id: string,
  document: Document,
  images: number,
  coverNumber: number | null,
];

export function toEntry(
  [shelf, id, , images, coverNumber]: EntryRow<unknown>,
  json: ByteString,
): StoredEntry {
  return { id, json, shelf, images, coverNumber };
}

/** `key` is what identifies the alias, in the order of bytes. */
type AliasRow = [key: string, name: string, position: number];

/** A block of the images with a term in their texts. */
export type TermBlock = [term: string, number: number, content: string];

/** Of the change log. `isOpen` is 1 if more may be added to the change for as long as it is the newest one. */
export type ChangeRow = [
  number: number,
  at: string,
  firstImage: number,
  lastImage: number,
  state: Change['state'],
  isOpen: number,
];

/**
 * An item of a change that is about an image, or about an entry that images mention. `image` is the number of an image that exists;
 * `before` and `after` are JSON.
 */
type ChangedItem = [
  kind: 'image' | 'taken-down' | MentionedKind,
  id: string,
  image: number | null,
  before: string | null,
  after: string | null,
];

/** Images whose document was changed, or that were removed. */
export interface DocumentChanges {
  /** Whether this catalogue had the documents that the changes follow. If not, it is another one. */
  isSuccessor: boolean;
  images: number[];
  /** Where to continue, if there are more. */
  next: [revision: number, image: number] | undefined;
}

/** The lists of a view (`listReads`): the parameters of each, and what its items are. */
export interface Lists {
  newestChange: [[], ChangeRow];
  /** The change with a number or else the first one after it, and the one that follows. */
  changesFrom: [[number: number], ChangeRow];
  /** The items of a change that may be about images, from a kind and an id on. */
  changedItems: [[change: number, kind: string, id: string, limit: number], ChangedItem];
  /** The numbers of images above one number, up to another. */
  imagesBetween: [[above: number, last: number, limit: number], number];
  /** The images on a shelf, in the first blocks after one. */
  shelfBlocks: [[shelf: number, after: number, limit: number], Block];
  /** The widths and heights of all images, in the first blocks after one. */
  sizeBlocks: [[after: number, limit: number], Block];
  /** The numbers of so many images of an album, in its order, from an offset on. */
  albumImages: [[shelf: number, offset: number, limit: number], number];
  /** The names of a kind in the order of its list, from a position on. */
  names: [[kind: Kind, from: number, limit: number], string];
  /** The shelves of the entries of a kind, in the same order. */
  shelves: [[kind: Kind, from: number, limit: number], [number: number, size: number]];
  /** The aliases of a kind that follow a key, in the order of their keys, with the positions of their entries. */
  aliases: [[kind: Kind, after: string, limit: number], AliasRow];
  /** The first blocks of the terms up to one that follow a block of a term, in the order of terms and blocks. */
  termBlocks: [[term: string, block: number, to: string, limit: number], TermBlock];
  /** The first terms from one to another, in the order of their code points. */
  terms: [[from: string, to: string, limit: number], string];
  /** The perceptual hashes of the images above a number, in ascending order. */
  hashes: [[above: number, limit: number], [image: number, hash: string]];
}

export type ListName = keyof Lists;

/** One version of the catalogue. Every answer belongs to it; if the catalogue has changed, reads throw CatalogueChanged. */
export interface View {
  readonly snapshot: ShelfSnapshot;
  imageNumber(id: string): Answer<number | undefined>;
  /** The entry with this id, or else the one that an entry with this id was merged into. */
  entry(kind: Kind, id: string): Answer<StoredEntry | undefined>;
  /** The shelves of the entries with these ids, undefined where there is none. */
  entryShelves(kind: Kind, ids: string[]): Answer<(Shelf | undefined)[]>;
  /** The entries at positions that exist. */
  entriesAt(kind: Kind, positions: number[]): Answer<StoredEntry[]>;
  /** The documents of images that exist, in the order of their numbers here. */
  documents(images: number[]): Answer<Document[]>;
  /** The documents of those of the images that exist, without any that is damaged. */
  wholeDocuments(images: number[]): Answer<[image: number, document: Document][]>;
  /** The changes to documents since they were of a revision, some at a time. */
  documentChanges(since: number, after: DocumentChanges['next'], limit: number): Answer<DocumentChanges>;
  /** Those of the images that exist, in the order that is given. */
  imageSizes(images: number[]): Answer<[image: number, width: number, height: number][]>;
  list<Name extends ListName>(name: Name, ...parameters: Lists[Name][0]): Answer<Lists[Name][1][]>;
}

/** Those that are read as a whole, in slices. Their last parameter is the size of a slice. */
export type SlicedList =
  | 'shelfBlocks'
  | 'sizeBlocks'
  | 'termBlocks'
  | 'names'
  | 'shelves'
  | 'aliases'
  | 'hashes';

/** How many items a database reads at a time. */
export type SliceSizes = Record<SlicedList, number>;

export interface Driver {
  readonly sliceSizes: SliceSizes;
  /** Runs a call on the current version, and again if the catalogue changes before it ends. */
  run<T>(call: (view: View) => Call<T>): Promise<T>;
  currentVersion(): Answer<number>;
}

/** Waits for an answer, if it is not there yet. */
export function* get<T>(answer: Answer<T>): Call<T> {
  return answer instanceof Promise ? ((yield answer) as T) : answer;
}

// Reading a catalogue that imports may change at any time.

/** Imports are not so frequent that a read fails this often by accident. */
const MAX_ATTEMPTS = 100;

/** What was read belongs to different versions of the catalogue. */
export class CatalogueChanged extends Error {}

/** Repeats an attempt for as long as the catalogue changes meanwhile. */
export async function retryOnChange<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof CatalogueChanged)) throw error;
    }
  }
  throw new Unavailable('the catalogue changes faster than it can be read');
}

/** Throws CatalogueChanged if the versions differ. */
export function expectVersion(actual: number, expected: number): void {
  if (actual !== expected) throw new CatalogueChanged();
}

/** Returns what reads a value of the catalogue, and keeps it until the catalogue has another version. */
export function cacheVersion<T extends { version: number }>(
  read: () => Promise<T>,
  currentVersion: () => Answer<number>,
  { isCaching }: Pick<Tuning, 'isCaching'>,
): () => Promise<T> {
  /** Callers that come while the value is being read wait for the same read. */
  let latest: Promise<T> | undefined;
  return () =>
    retryOnChange(async () => {
      latest ??= read();
      const reading = latest;
      const drop = () => {
        if (latest === reading) latest = undefined;
      };
      try {
        const value = await reading;
        if (!isCaching) drop();
        expectVersion(value.version, await currentVersion());
        return value;
      } catch (error) {
        drop();
        throw error;
      }
    });
}

// Shelves: numbered rows of images without gaps, in the order in which the images were added. A store keeps one for the
// whole catalogue, one for animations, and one for each rating, orientation, file type, artist, category, character and
// album.

export interface Shelf {
  number: number;
  size: number;
}

/**
 * A version of the catalogue, the highest image number in it, and what the document cache calls the state of its documents:
 * the same in all connections, unlike the version.
 */
export interface CatalogueVersion {
  version: number;
  lastImage: number;
  documentRevision: number;
}

/** What filters choose from. Artists, characters and albums are too many to hold: see EntryShelves. */
interface Shelves {
  all: Shelf;
  ratings: Map<Rating, Shelf>;
  orientations: Map<Orientation, Shelf>;
  types: Map<FileType, Shelf>;
  animated: Shelf;
  /** By folded name, and by folded alias if no category has that name. */
  categories: Map<string, Shelf>;
  /** How many entries there are. */
  counts: Record<Kind, number>;
  siteTexts: SiteTexts;
}

/** The shelves of one version. */
export interface ShelfSnapshot extends CatalogueVersion, Shelves {
  /** Always the same object, because the response is kept with it. */
  statistics: Statistics;
}

/** A row of `SNAPSHOT_QUERY`. `category` is the folded name or alias of a category, or a text of the site; null for other rows. */
export type SnapshotRow = [kind: string, id: string, category: string | null, number: number, size: number];

/** The shelves of a snapshot, and the number of entries of each kind as the size of a row `count`. */
export const SNAPSHOT_QUERY = `
  select kind, id, category, number, size from shelf
  where kind in ('catalogue', 'rating', 'orientation', 'type', 'animation', 'category')
  union all
  select 'alias', '', key, alias.shelf, 0 from alias where alias.kind = 'category'
  union all
  select 'site', field, value, 0, 0 from site_text
  union all
  select 'count', listed.kind, null, 0,
    (select coalesce(max(position) + 1, 0) from shelf where shelf.kind = listed.kind)
  from (select 'artist' as kind union all select 'category' union all select 'character'
    union all select 'album') as listed`;

export function buildSnapshot(version: CatalogueVersion, rows: SnapshotRow[]): ShelfSnapshot {
  const shelves: Shelves = {
    all: { number: 0, size: 0 },
    ratings: new Map(),
    orientations: new Map(),
    types: new Map(),
    animated: { number: 0, size: 0 },
    categories: new Map(),
    counts: forEachKind(() => 0),
    siteTexts: {},
  };
  const aliases: [alias: string, shelf: number][] = [];
  for (const [kind, id, category, number, size] of rows) {
    const shelf = { number, size };
    if (kind === 'count') shelves.counts[id as Kind] = size;
    else if (kind === 'site') shelves.siteTexts[id as SiteField] = category as string;
    else if (kind === 'alias') aliases.push([category as string, number]);
    else if (category !== null) shelves.categories.set(category, shelf);
    else if (kind === 'rating') shelves.ratings.set(id as Rating, shelf);
    else if (kind === 'orientation') shelves.orientations.set(id as Orientation, shelf);
    else if (kind === 'type') shelves.types.set(id as FileType, shelf);
    else if (kind === 'animation') shelves.animated = shelf;
    else shelves.all = shelf;
  }
  const byNumber = new Map(shelves.categories.values().map((shelf) => [shelf.number, shelf]));
  for (const [alias, number] of aliases) {
    const shelf = byNumber.get(number);
    if (shelf && !shelves.categories.has(alias)) shelves.categories.set(alias, shelf);
  }
  return { ...version, ...shelves, statistics: buildStatistics(shelves) };
}

function buildStatistics({ all, ratings, orientations, counts }: Shelves): Statistics {
  const rated = (rating: Rating) => ratings.get(rating)?.size ?? 0;
  const oriented = (orientation: Orientation) => orientations.get(orientation)?.size ?? 0;
  return {
    images: {
      count: all.size,
      nsfw: { nsfw: rated('nsfw'), questionable: rated('questionable'), sfw: rated('sfw') },
      orientation: {
        landscape: oriented('landscape'),
        portrait: oriented('portrait'),
        square: oriented('square'),
      },
    },
    artists: { count: counts.artist },
    characters: { count: counts.character },
    categories: { count: counts.category },
  };
}

// What both drivers read with the same SQL. Parameters are `$1`, `$2` and so on. The drivers add what differs: PostgreSQL
// reads a list as one column, looks up many things in one statement, and adds the revision.

const onShelf = (column: string) =>
  `select ${column} from shelf where kind = $1 and position >= $2 order by position limit $3`;

/** Lists. `join` makes one column of several, if the driver needs that. */
export const listReads = (join: (columns: string) => string): Record<ListName, string> => ({
  shelfBlocks: `select ${join('block, images')} from shelf_block where shelf = $1 and block > $2 order by block limit $3`,
  sizeBlocks: `select ${join('block, sizes')} from size_block where block > $1 order by block limit $2`,
  albumImages: `select image.number from album_image join image on image.id = album_image.image
    where album = $1 order by position limit $3 offset $2`,
  names: onShelf('name'),
  shelves: onShelf(join('number, size')),
  aliases: `select ${join('key, alias.name, position')} from alias join shelf on shelf.number = alias.shelf
    where alias.kind = $1 and key > $2 order by key limit $3`,
  hashes: `select ${join('image, hash')} from perceptual_hash where image > $1 order by image limit $2`,
  termBlocks: `select ${join('term, block, images')} from text_block
    where (term, block) > ($1, $2) and term <= $3 order by term, block limit $4`,
  terms: firstTerms(),
  newestChange: `select ${join(CHANGE)} from change order by number desc limit 1`,
  changesFrom: `select ${join(CHANGE)} from change where number >= $1 order by number limit 2`,
  changedItems: `select ${join('kind, change_item.id, image.number, before, after')} from change_item
    left join image on kind = 'image' and image.id = change_item.id
    where change = $1 and (kind, change_item.id) >= ($2, $3) and (kind in ('image', 'taken-down')
      or kind in ('artist', 'category', 'character') and before is not null and after is not null)
    order by kind, change_item.id limit $4`,
  imagesBetween: 'select number from image where number > $1 and number <= $2 order by number limit $3',
});

/** Pictures that are added in the studio continue the change of the one before. */
const CHANGE = `number, at, first_image, last_image, state,
  case when origin = 'studio' and source is not null then 1 else 0 end`;

/** The terms from one to another, each once: looks up one after the other. */
function firstTerms(): string {
  const next = (condition: string) =>
    `(select text_block.term from text_block where ${condition} and text_block.term <= $2 order by text_block.term limit 1)`;
  return `with recursive found (term) as (
      select ${next('text_block.term >= $1')}
      union all
      select ${next('text_block.term > found.term')} from found where found.term is not null
    ) select term from found where term is not null limit $3`;
}

/** The number of the shelf of an entry with this id, or else of the one that an entry with this id was merged into. */
const entryNumber = (kind: string, id: string) =>
  `coalesce((select number from shelf where kind = ${kind} and id = ${id}),
    (select shelf from alias where kind = ${kind} and key = ${id}))`;

const ENTRY = 'select number, id, document, size, cover from shelf';

/** One row or none. Arguments are parameters, or columns of a table with what is looked up. */
export const lookUps = {
  imageNumber: (id: string) => `select number from image where id = ${id}`,
  document: (image: string) => `select document from image where number = ${image}`,
  imageSize: (image: string) => `select width, height from image_shelves where image = ${image}`,
  entry: (kind: string, id: string) => `${ENTRY} where number = ${entryNumber(kind, id)}`,
  entryAt: (kind: string, position: string) => `${ENTRY} where kind = ${kind} and position = ${position}`,
  entryShelf: (kind: string, id: string) =>
    `select number, size from shelf where number = ${entryNumber(kind, id)}`,
};
