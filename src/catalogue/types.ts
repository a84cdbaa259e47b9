/** The nouns of the catalogue. Their shapes come from the schemas. */
import type * as Type from '../lib/json-schema.ts';
import type * as schemas from './schemas.ts';

export type Rating = Type.Static<typeof schemas.Rating>;
export type Orientation = Type.Static<typeof schemas.Orientation>;
export type Include = Type.Static<typeof schemas.Include>;
export type Mimetype = Type.Static<typeof schemas.Mimetype>;
/** What follows `image/` in a mimetype. */
export type FileType = (typeof schemas.fileTypes)[number];
export type Artist = Type.Static<typeof schemas.Artist>;
export type Category = Type.Static<typeof schemas.Category>;
export type Character = Type.Static<typeof schemas.Character>;
export type Album = Type.Static<typeof schemas.Album>;
export type Image = Type.Static<typeof schemas.Image>;
export type Statistics = Type.Static<typeof schemas.Statistics>;

/** The kinds of entries: records with a name that images belong to. An album also has an order of its images. */
export type Kind = 'artist' | 'category' | 'character' | 'album';

/** The kinds that the documents of images mention. */
export type MentionedKind = Exclude<Kind, 'album'>;

/** A stored image document: the public JSON with placeholders for its link, and more on request (see document.ts). */
export type Document = string;

export interface Window {
  offset: number;
  limit: number;
}

/** A slice of an ordered list, and the length of the whole list. */
export interface Page<Item> {
  total: number;
  items: Item[];
}
