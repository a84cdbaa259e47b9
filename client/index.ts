/**
 * The client of the API, for Node and for browsers: what `zukan/client` exports. At run time it is made of this folder
 * alone; the shapes come from the schemas that the service itself answers by.
 */
export { ZukanError } from './error.ts';
export type { Calling, ZukanOptions } from './transport.ts';
export type {
  Artist,
  ArtistImage,
  ArtistWithImages,
  Category,
  CategoryWithImages,
  Character,
  CharacterWithImages,
  Image,
  Information,
  Orientation,
  Page,
  RandomPage,
  Rating,
  Statistics,
  TokenInformation,
} from './types.ts';
export { Zukan } from './zukan.ts';
