/** Fails to compile if the types of the client differ from the schemas of the service. There is nothing to run. */

import type * as client from '../../client/types.ts';
import type * as schemas from '../../src/catalogue/schemas.ts';
import type { Static, TSchema } from '../../src/lib/json-schema.ts';

type Schemas = typeof schemas;
/** Without named types, which would differ by name alone. */
type Plain<T> = T extends (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { [Key in keyof T]: Plain<T[Key]> }
    : T;
type Equal<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;
type Same<Type, Schema extends TSchema> = Equal<Type, Static<Schema>>;

/** The compiler demands true, so `false` in the type is an error here. */
export const isSame: {
  rating: Same<client.Rating, Schemas['Rating']>;
  orientation: Same<client.Orientation, Schemas['Orientation']>;
  mimetype: Same<client.Mimetype, Schemas['Mimetype']>;
  include: Same<client.Include, Schemas['Include']>;
  entryInclude: Same<client.EntryInclude, Schemas['EntryInclude']>;
  cover: Same<client.Cover, Schemas['Cover']>;
  image: Same<client.Image, Schemas['Image']>;
  imageChange: Same<client.ImageChange, Schemas['ImageChange']>;
  artistImage: Same<client.ArtistImage, Schemas['ArtistImage']>;
  artist: Same<client.Artist, Schemas['Artist']>;
  artistWithImages: Same<client.ArtistWithImages, Schemas['ArtistWithImages']>;
  listedArtist: Same<client.ListedArtist, Schemas['ListedArtist']>;
  character: Same<client.Character, Schemas['Character']>;
  characterWithImages: Same<client.CharacterWithImages, Schemas['CharacterWithImages']>;
  listedCharacter: Same<client.ListedCharacter, Schemas['ListedCharacter']>;
  category: Same<client.Category, Schemas['Category']>;
  categoryWithImages: Same<client.CategoryWithImages, Schemas['CategoryWithImages']>;
  listedCategory: Same<client.ListedCategory, Schemas['ListedCategory']>;
  found: Same<Omit<client.SearchResult, 'cursor'>, Schemas['SearchResult']>;
  statistics: Same<client.Statistics, Schemas['Statistics']>;
  token: Same<client.TokenInformation, Schemas['TokenInformation']>;
  information: Same<Omit<client.Information, 'paths'>, Schemas['ServiceMeta']>;
} = {
  rating: true,
  orientation: true,
  mimetype: true,
  include: true,
  entryInclude: true,
  cover: true,
  image: true,
  imageChange: true,
  artistImage: true,
  artist: true,
  artistWithImages: true,
  listedArtist: true,
  character: true,
  characterWithImages: true,
  listedCharacter: true,
  category: true,
  categoryWithImages: true,
  listedCategory: true,
  found: true,
  statistics: true,
  token: true,
  information: true,
};
