/** The types of the API's responses, derived from the service's schemas. */
import type Type from 'typebox';
import type * as schemas from '../src/schemas.ts';

export type Rating = Type.Static<typeof schemas.Rating>;
export type Orientation = Type.Static<typeof schemas.Orientation>;
export type Include = Type.Static<typeof schemas.Include>;
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

export interface Page<Item> {
  data: Item[];
  /** The length of the whole list. */
  total: number;
}

/** One page of the matching images, in the order of a seed or newest first. */
export interface CursorPage {
  data: Image[];
  /** Pass it to get the next page; undefined after the last page. */
  cursor: string | undefined;
}

export type RandomPage = CursorPage;
