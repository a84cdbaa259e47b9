/** The catalogue as request handlers read it. */
import type { ByteString } from '../lib/byte-string.ts';
import type * as Type from '../lib/json-schema.ts';
import type { RandomInt } from '../lib/random.ts';
import type { SiteTexts } from '../lib/site-texts.ts';
import type { ImageDocument } from './documents/image-document.ts';
import type {
  FileType,
  Kind,
  Orientation,
  Page,
  Rating,
  SearchResult,
  Statistics,
  Window,
} from './schemas.ts';
import type { SearchPosition, SeedPosition } from './sets/orders.ts';

/** Which images qualify: those that meet every condition given. */
export interface Filter {
  /** What every word of a search is about (catalogue/search/query.ts). */
  q?: string | undefined;
  /** Rated one of these. */
  nsfw?: readonly Rating[] | undefined;
  /** Of one of these orientations. */
  orientation?: readonly Orientation[] | undefined;
  /** In these categories, by name. */
  categories?: readonly string[] | undefined;
  /** Whether in all of the categories (the default) or in any of them. */
  match?: 'all' | 'any' | undefined;
  /** In none of these categories, by name. */
  exclude?: readonly string[] | undefined;
  /** By one of the artists with these ids. */
  artist?: readonly string[] | undefined;
  /** By none of the artists with these ids. */
  excludeArtist?: readonly string[] | undefined;
  /** Showing one of the characters with these ids. */
  character?: readonly string[] | undefined;
  /** In one of the albums with these ids. */
  album?: readonly string[] | undefined;
  /** Whether they are animations. Those of which that is not known are not. */
  animated?: boolean | undefined;
  /** Files of one of these types. */
  type?: readonly (FileType | 'jpg')[] | undefined;
  /** In pixels. */
  minWidth?: number | undefined;
  minHeight?: number | undefined;
  maxWidth?: number | undefined;
  maxHeight?: number | undefined;
  /** Width to height, such as `16:9`. May differ by 2 %. */
  aspectRatio?: string | undefined;
}

/** The conditions that lists accept. */
export type ListFilter = Omit<Filter, 'categories' | 'match' | 'exclude'>;

/** How many unknown categories of a list an error names. */
export const MAX_UNKNOWN_NAMES = 10;

/**
 * Names or ids in a call that do not exist, or a position that a newer catalogue no longer has. Of more than
 * `MAX_UNKNOWN_NAMES`, the list has one more; the others are not looked up.
 */
export interface FilterProblem {
  problem: { categories: string[]; exclude: string[] } | Exclude<Kind, 'category'> | 'image' | 'position';
}

/** The id of the entry that the wanted one was merged into. */
export interface Moved {
  movedTo: string;
}

/** Images of one entry. */
export type EntryPage = Page<ImageDocument> | Moved | FilterProblem;

/** Some images, and the position from which the next page continues, if there is one. */
export interface ContinuedPage<Position> {
  images: ImageDocument[];
  next: Position | undefined;
}

/** How far a reader has read the change log. */
export interface ChangePosition {
  /** The number of the change, and when it was made, in milliseconds. */
  change: number;
  at: number;
  /** The last item of it. Those of an image or an entry have its id. */
  kind: string;
  id: string;
  /** The rest of the images of that entry are below this number; 0 if there is no rest. */
  below: number;
  /** The number of the last image that it added. */
  image: number;
}

/** What happened to images, and the position to read on from, where there may be more already. */
export interface ImageChanges {
  /** Without the image if it was removed. */
  changes: { change: 'added' | 'changed' | 'removed'; id: string; image: ImageDocument | undefined }[];
  next: ChangePosition;
  hasMore: boolean;
}

/** An artist, character, category or album. */
export interface EntryDetails {
  id: string;
  /** Public. */
  json: ByteString;
  /** The number of images. */
  images: number;
  /** The newest image rated sfw, if there is one and covers were asked for. */
  cover?: ImageDocument | undefined;
}

type SearchParts = Type.Static<typeof SearchResult>;
/** Parameters of filters that say the same as a search. Those of entries are names of categories, and ids of all others. */
export type FoundFilters = SearchParts['filters'];
/** What a word of a search was taken for. */
export type FoundWord = SearchParts['words'][number];
/** Another spelling of a search, and how many images it finds. */
export type Suggestion = SearchParts['suggestions'][number];

/** What a search finds: of each kind at most ten entries with their covers, and a page of images, the best ones first. */
export interface Found {
  artists: EntryDetails[];
  characters: EntryDetails[];
  categories: EntryDetails[];
  albums: EntryDetails[];
  images: ImageDocument[];
  /** Of all pages. */
  total: number;
  next: SearchPosition | undefined;
  words: FoundWord[];
  filters: FoundFilters;
  /** If a word is about no image. */
  suggestions: Suggestion[];
}

/** A page of entries by name, the default, or of those with most images first and then by name. */
export interface EntryWindow extends Window {
  sort?: 'name' | 'images';
}

/** Who makes a call that may take long. Such calls share the processor fairly, and end when the caller disconnects. */
export interface Caller {
  /** The same for all calls of a client. */
  readonly client: string;
  readonly signal: AbortSignal;
}

/** Each call answers from one version of the catalogue, never from two. Calls with a caller throw Unavailable under load. */
export interface Catalogue {
  /** Those of the version that was read last. */
  readonly siteTexts: SiteTexts;
  statistics(): Promise<Statistics>;
  image(id: string): Promise<ImageDocument | undefined>;
  /** Names and ids in the filter that do not exist. Reads no image. */
  checkFilter(filter: Filter): Promise<FilterProblem | undefined>;
  /** In the order in which they were added. */
  images(filter: ListFilter, window: Window, caller: Caller): Promise<Page<ImageDocument> | FilterProblem>;
  /** The same of one artist. If the artist was merged, only the id of the one that took over. */
  artistImages(id: string, filter: ListFilter, window: Window, caller: Caller): Promise<EntryPage>;
  /** Those of one album, in its order. */
  albumImages(id: string, filter: ListFilter, window: Window, caller: Caller): Promise<EntryPage>;
  /** Distinct images, in random order. */
  randomImages(
    filter: Filter,
    limit: number,
    randomInt: RandomInt,
    caller: Caller,
  ): Promise<ImageDocument[] | FilterProblem>;
  /** Images in the order of a seed, from the start or from a position on. */
  seededImages(
    filter: Filter,
    seed: string,
    from: SeedPosition | undefined,
    limit: number,
    caller: Caller,
  ): Promise<ContinuedPage<SeedPosition> | FilterProblem>;
  /** Newest first: all images, or those below a number. */
  latestImages(
    filter: Filter,
    below: number | undefined,
    limit: number,
    caller: Caller,
  ): Promise<ContinuedPage<number> | FilterProblem>;
  /**
   * What happened to images since a position in the change log, or else first all images. Undefined if the log does not say it
   * any more.
   */
  changedImages(
    since: ChangePosition | undefined,
    limit: number,
    caller: Caller,
  ): Promise<ImageChanges | undefined>;
  /** Images that look most like another one, nearest first, without itself. */
  similarImages(
    id: string,
    filter: ListFilter,
    limit: number,
    caller: Caller,
  ): Promise<ImageDocument[] | FilterProblem>;
  /** The entries of a kind, by name, then id. */
  list(kind: Kind, window: Window, hasCovers?: boolean): Promise<Page<EntryDetails>>;
  /** The same, of those whose names match, if there is a pattern. Throws PatternError, or SearchTooLong. */
  search(
    kind: Kind,
    pattern: string | undefined,
    window: EntryWindow,
    caller: Caller,
    hasCovers?: boolean,
  ): Promise<Page<EntryDetails>>;
  /** Images and entries that a text is about, from the start or from a position on. Throws SearchTooLong, as all calls with a text. */
  searchAll(
    filter: Filter,
    from: SearchPosition | undefined,
    limit: number,
    caller: Caller,
  ): Promise<Found | FilterProblem>;
  /** The entry with this id, or else the one that an entry with this id was merged into. */
  one(kind: Kind, id: string, hasCover?: boolean): Promise<EntryDetails | undefined>;
}
