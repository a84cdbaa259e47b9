/** What can be asked of the lists and of chance. */
import type { Orientation, Rating } from './types.ts';

export interface Links {
  /** How many seconds the links are to live; needs a token with the scope `image:custom-expiry`. */
  expiry?: number | undefined;
}

export interface Window {
  /** 1 to 25, 10 unless told otherwise. */
  limit?: number | undefined;
  offset?: number | undefined;
}

export interface Search {
  /** A pattern that the name must match. */
  search?: string | undefined;
}

export interface Filter {
  /** Only images with one of these ratings. */
  nsfw?: readonly Rating[] | undefined;
  /** Only images of one of these orientations. */
  orientation?: readonly Orientation[] | undefined;
}

/** Which images qualify. */
export interface Draw extends Filter, Links {
  /** Only images that are in these. */
  categories?: readonly string[] | undefined;
  /** Whether they must be in all of the categories (unless told otherwise) or in any of them. */
  match?: 'all' | 'any' | undefined;
  /** Only images that are in none of these categories. */
  exclude?: readonly string[] | undefined;
  /** The id of an artist: only images by this one. */
  artist?: string | undefined;
  /** The id of a character: only images that show this one. */
  character?: string | undefined;
}

/** A few of those that qualify. */
export interface Few extends Draw {
  /** 1 to 25, 10 unless told otherwise. */
  limit?: number | undefined;
}

/** A cursor goes with the seed and the filters that it came with, so there is none without a seed. */
export interface Step extends Few {
  /** Any text of 1 to 64 characters: the same text gives the same images in the same order. */
  seed: string;
  /** What the page before said, to go on from there. */
  cursor?: string | undefined;
}
