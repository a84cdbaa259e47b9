/** Options of the client and of its methods. */
import type { EntryInclude, FileType, Include, Orientation, Rating } from './types.ts';

export interface ZukanOptions {
  /** The address of the service. Leave it out in a page that the service itself sends. */
  origin?: string | undefined;
  /** The path of the API; `/api` by default. */
  prefix?: string | undefined;
  /** An access token, for endpoints and parameters that need one. */
  token?: string | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** Called when a call was refused (429), with the seconds until the client retries it. */
  onWait?: ((seconds: number) => void) | undefined;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** @deprecated Use `CallOptions`. */
export type Calling = CallOptions;

/** Options of every method that returns images. */
export interface LinkOptions {
  /** Lifetime of the links in seconds; needs a token with the scope `image:custom-expiry`. */
  expiry?: number | undefined;
  /**
   * `artist` adds `artistDetails` to each image; `details` adds `title`, `description`, `takenAt`,
   * `licence`, `credit`, `alt` and, if there is one, `reportUrl`; `thumbnails` adds `thumbnails`, `thumbHash` and `animated` to `meta`.
   */
  include?: readonly Include[] | undefined;
}

export interface PageOptions {
  /** 1 to 25; 10 by default. */
  limit?: number | undefined;
  offset?: number | undefined;
}

/** Options of every method that returns artists, characters, categories or albums. */
export interface EntryOptions {
  /** `count` adds `images`, which single records always have; `cover` adds `cover`. */
  include?: readonly EntryInclude[] | undefined;
}

export interface SearchOptions extends EntryOptions {
  /** A pattern that the name must match. */
  search?: string | undefined;
  /** By name (the default), or those with most images first. */
  sort?: 'name' | 'images' | undefined;
}

export interface EntryListOptions extends SearchOptions, PageOptions {}

/** `signal` is among them because versions before 0.4.0 had no other option. */
export interface SingleEntryOptions extends EntryOptions, CallOptions {}

export interface ImageFilter {
  /** Only images that every word of this text is about, as `search` finds them. */
  q?: string | undefined;
  /** Only images with one of these ratings. */
  nsfw?: readonly Rating[] | undefined;
  /** Only images with one of these orientations. */
  orientation?: readonly Orientation[] | undefined;
  /** Only files of one of these types. */
  type?: readonly FileType[] | undefined;
  /** Only animations, or only other images. */
  animated?: boolean | undefined;
  /** Only images that are at least this wide, in pixels. */
  minWidth?: number | undefined;
  /** Only images that are at least this high, in pixels. */
  minHeight?: number | undefined;
  /** Only images that are at most this wide, in pixels. */
  maxWidth?: number | undefined;
  /** Only images that are at most this high, in pixels. */
  maxHeight?: number | undefined;
  /** Only images with this ratio of width to height, such as `16:9`. It may differ by 2 %. */
  aspectRatio?: string | undefined;
  /** Only images that show this character, or one of these: ids. */
  character?: string | readonly string[] | undefined;
  /** Only images in this album, or in one of these: ids. */
  album?: string | readonly string[] | undefined;
}

/** Filters of lists with images of several artists. */
export interface ArtistFilter {
  /** Only images by this artist, or by one of these: ids. */
  artist?: string | readonly string[] | undefined;
  /** Only images by none of these artists: ids. */
  excludeArtist?: string | readonly string[] | undefined;
}

export interface RandomFilter extends ImageFilter, ArtistFilter, LinkOptions {
  /** Names of categories. */
  categories?: readonly string[] | undefined;
  /** Whether an image must be in all of `categories` (the default) or in any of them. */
  match?: 'all' | 'any' | undefined;
  /** Names of categories that an image must not be in. */
  exclude?: readonly string[] | undefined;
}

export interface AllRandomOptions extends RandomFilter {
  /** Any text of 1 to 64 characters: the same text gives the same images in the same order. */
  seed?: string | undefined;
}

export interface RandomOptions extends AllRandomOptions {
  /** 1 to 25; 10 by default. */
  limit?: number | undefined;
}

export interface LatestOptions extends RandomFilter {
  /** 1 to 25; 10 by default. */
  limit?: number | undefined;
  /** The cursor of the previous page. Valid only with the filters it was issued for. */
  cursor?: string | undefined;
}

/** Options of the search for everything. */
export type SearchAllOptions = Omit<LatestOptions, 'q'>;

export interface ChangesOptions extends LinkOptions, Pick<ImageFilter, 'nsfw'> {
  /** The cursor of the last page that you read. */
  since?: string | undefined;
  /** 1 to 25; 10 by default. */
  limit?: number | undefined;
}

export interface SimilarOptions extends ImageFilter, ArtistFilter, LinkOptions {
  /** 1 to 25; 10 by default. */
  limit?: number | undefined;
}

export interface FileUrlOptions {
  /** The width in pixels that you need; the file may be larger. */
  width?: number | undefined;
}

/** Without `expiry`, which needs a token: a URL cannot carry one. */
export interface RandomFileUrlOptions extends FileUrlOptions, Omit<AllRandomOptions, keyof LinkOptions> {}

/** A cursor is valid only with the seed and the filters it was issued for, so the seed is required. */
export interface RandomPageOptions extends RandomOptions {
  seed: string;
  /** The cursor of the previous page. */
  cursor?: string | undefined;
}

/** Of the images of one album. */
export type AlbumImageOptions = PageOptions & Omit<SimilarOptions, 'album'>;
export type EveryAlbumImageOptions = Omit<AlbumImageOptions, keyof PageOptions>;
