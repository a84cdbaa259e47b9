/** The typed client for Node and browsers: what `zukan/client` exports. */
export { ZukanError } from './error.ts';
export type { Calling, CallOptions, ZukanOptions } from './options.ts';
export type {
  Artist,
  ArtistImage,
  ArtistWithImages,
  Category,
  CategoryWithImages,
  Character,
  CharacterWithImages,
  CursorPage,
  Image,
  Include,
  Information,
  Orientation,
  Page,
  RandomPage,
  Rating,
  Statistics,
  TokenInformation,
} from './types.ts';
export { Zukan } from './zukan.ts';
