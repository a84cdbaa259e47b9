/**
 * What the API returns. Written out rather than derived from the service's schemas, so that the client depends on nothing;
 * test/client/types.ts compares the two.
 */

export type Rating = 'sfw' | 'questionable' | 'nsfw';
export type Orientation = 'landscape' | 'portrait' | 'square';
/** `jpg` is the same as `jpeg`. */
export type FileType = 'jpeg' | 'jpg' | 'png' | 'webp' | 'gif' | 'avif';
export type Mimetype = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/gif' | 'image/avif';
/** The parts of an image that a response contains on request only. */
export type Include = 'artist' | 'thumbnails' | 'details';
/** The parts of an artist, character, category or album that a response contains on request only. */
export type EntryInclude = 'count' | 'cover';

export interface Artist {
  id: string;
  name: string;
  url: string;
}

export interface Character {
  id: string;
  name: string;
  description: string;
  /** The work the character comes from. */
  source: string;
  gender: string;
  ages: number[];
  /** Free text. */
  birth_date: string;
  nationality: string;
  occupations: string[];
  createdAt: string;
}

export interface Category {
  id: string;
  /** The name to use in `categories` and `exclude`. */
  name: string;
  description: string;
  /** Whether the category is for adults. */
  nsfw: boolean;
  createdAt: string;
}

/** A set of images in an order of its own. */
export interface Album {
  id: string;
  name: string;
  description: string;
  createdAt: string;
}

/** Added to an artist, character, category or album that is requested by its id. */
export interface ImageCount {
  /** The number of images. */
  images: number;
  /** Only with `include: ['cover']`, if there is an image rated sfw. */
  cover?: Cover;
}

export interface ArtistWithImages extends Artist, ImageCount {}
export interface CharacterWithImages extends Character, ImageCount {}
export interface CategoryWithImages extends Category, ImageCount {}
export interface AlbumWithImages extends Album, ImageCount {}

/** Added to those in a list: `images` only with `include: ['count']`, `cover` only with `include: ['cover']`. */
export interface ListParts extends Partial<ImageCount> {}

export interface ListedArtist extends Artist, ListParts {}
export interface ListedCharacter extends Character, ListParts {}
export interface ListedCategory extends Category, ListParts {}
export interface ListedAlbum extends Album, ListParts {}

export interface Thumbnail {
  /** The link to the file, valid until `meta.expires`. */
  url: string;
  width: number;
  height: number;
  mimetype: Mimetype;
}

/** `GET /artist/{id}/images` omits the aspect ratio. */
export interface ArtistDimens {
  width: number;
  height: number;
  orientation: Orientation;
}

export interface Dimens extends ArtistDimens {
  /** In lowest terms, such as `3:2`. */
  aspectRatio: string;
}

export interface ImageMeta<Size> {
  /** An entity tag without quotes. */
  eTag: string;
  /** In bytes. */
  size: number;
  mimetype: Mimetype;
  /** The dominant colour, as `#rrggbb`. */
  color: string;
  /** When the links stop working. */
  expires: string;
  dimens: Size;
  /** Smallest first; only with `include: ['thumbnails']`. */
  thumbnails?: Thumbnail[];
  /** A preview of about 25 bytes, in base64; only with `include: ['thumbnails']`, if known. */
  thumbHash?: string;
  /** Whether it moves; only with `include: ['thumbnails']`, if known. */
  animated?: boolean;
}

export interface ImageOf<Size> {
  id: string;
  /** The link to the file, valid until `meta.expires`. */
  url: string;
  /** The id of the artist; if unknown, that of the artist named "Unknown". */
  artist: string;
  /** Only with `include: ['artist']`. */
  artistDetails?: Artist;
  /** Only with `include: ['details']`; empty if unknown. */
  title?: string;
  /** Only with `include: ['details']`; empty if unknown. */
  description?: string;
  /**
   * When it was taken or published, in ISO 8601, with an offset if that is known. Only with `include: ['details']`; empty if
   * unknown.
   */
  takenAt?: string;
  /**
   * The licence that it is published under, of the image, its artist or else the whole site; both texts are empty if unknown.
   * Only with `include: ['details']`.
   */
  licence?: { name: string; url: string };
  /** Whom to credit. Only with `include: ['details']`; empty if unknown. */
  credit?: string;
  /** What it shows, for those who do not see it. Only with `include: ['details']`; empty if nobody wrote it. */
  alt?: string;
  /** Where to report the image. Only with `include: ['details']`, if the operator has set an address. */
  reportUrl?: string;
  /** Where the image was found; both texts are empty if unknown. */
  source: { name: string; url: string };
  nsfw: Rating;
  categories: Category[];
  characters: Character[];
  createdAt: string;
  meta: ImageMeta<Size>;
}

export interface Image extends ImageOf<Dimens> {}
export interface ArtistImage extends ImageOf<ArtistDimens> {}

/** The newest image rated sfw, as in an `Image`. */
export interface Cover {
  id: string;
  /** The link to the file, valid until `meta.expires`. */
  url: string;
  meta: CoverMeta;
}

export interface CoverMeta extends ImageMeta<Dimens> {
  /** Smallest first. */
  thumbnails: Thumbnail[];
}

/** At most ten of each, the best ones first. */
export interface SearchResult {
  artists: ArtistWithImages[];
  characters: CharacterWithImages[];
  categories: CategoryWithImages[];
  albums: AlbumWithImages[];
  /** Those that every word is about, the best ones first. */
  images: Image[];
  /** The number of images of all pages. */
  total: number;
  /** What each word was taken for. */
  words: FoundWord[];
  /** The options of `random` that say the same as the text. Only those that are set. */
  filters: FoundFilters;
  /** Other spellings, if a word is about no image. */
  suggestions: { q: string; images: number }[];
  /** Where the next page of the images starts, if there is one. */
  cursor: string | undefined;
}

export interface FoundWord {
  /** As it was sent. */
  text: string;
  as:
    | ('word' | 'phrase' | 'artist' | 'character' | 'category' | 'album' | 'title')
    | ('rating' | 'orientation' | 'type' | 'animation' | 'nothing');
  /** The kinds of records with such a name. */
  kinds: ('artist' | 'character' | 'category' | 'album')[];
  /** Whether images must not have it. */
  excluded: boolean;
  /** Whether it is about any image. */
  found: boolean;
}

export interface FoundFilters {
  /** The words that no other option can say. */
  q?: string;
  /** Names of categories. */
  categories?: string[];
  exclude?: string[];
  /** Ids. */
  artist?: string[];
  excludeArtist?: string[];
  character?: string[];
  album?: string[];
  nsfw?: Rating[];
  orientation?: Orientation[];
  type?: Exclude<FileType, 'jpg'>[];
  animated?: boolean;
}

export interface Statistics {
  images: {
    count: number;
    nsfw: Record<Rating, number>;
    orientation: Record<Orientation, number>;
  };
  artists: { count: number };
  characters: { count: number };
  categories: { count: number };
}

export interface TokenInformation {
  owner: string;
  purpose: string;
  scopes: string[];
  issuedBy: string;
  createdAt: string;
  expires: string;
}

export interface Information {
  paths: string[];
  version: string;
  /** The prefix of the API. */
  baseApiRoute: string;
}

export interface Page<Item> {
  data: Item[];
  /** The length of the whole list. */
  total: number;
}

/** What happened to an image, and the image as it is now, unless it was removed. */
export interface ImageChange {
  change: 'added' | 'changed' | 'removed';
  id: string;
  image?: Image;
}

export interface ChangesPage {
  data: ImageChange[];
  /** Pass it to go on. */
  cursor: string;
  /** Whether there may be more already. */
  hasMore: boolean;
}

/** One page of the matching images, in the order of a seed or newest first. */
export interface CursorPage {
  data: Image[];
  /** Pass it to get the next page; undefined after the last page. */
  cursor: string | undefined;
}

export type RandomPage = CursorPage;
