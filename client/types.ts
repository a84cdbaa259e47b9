/** The shapes of what the API answers, out of its own schemas. */
import type Type from 'typebox';
import type * as schemas from '../src/schemas.ts';

export type Rating = Type.Static<typeof schemas.Rating>;
export type Orientation = Type.Static<typeof schemas.Orientation>;
export type Image = Type.Static<typeof schemas.Image>;
export type ArtistImage = Type.Static<typeof schemas.ArtistImage>;
export type Artist = Type.Static<typeof schemas.Artist>;
export type ArtistWithImages = Type.Static<typeof schemas.ArtistWithImages>;
export type Character = Type.Static<typeof schemas.Character>;
export type CharacterWithImages = Type.Static<typeof schemas.CharacterWithImages>;
export type Category = Type.Static<typeof schemas.Category>;
export type CategoryWithImages = Type.Static<typeof schemas.CategoryWithImages>;
export type Statistics = Type.Static<typeof schemas.Statistics>;
export type TokenInformation = Type.Static<typeof schemas.TokenInformation>;
export type Information = { paths: string[] } & Type.Static<typeof schemas.ServiceMeta>;

/** A page of a list, and how long the whole list is. */
export interface Page<Item> {
  data: Item[];
  total: number;
}

/** A page of all images that qualify, in the order of a seed. */
export interface RandomPage {
  data: Image[];
  /** Where the next page begins; undefined when every image was given. */
  cursor: string | undefined;
}
