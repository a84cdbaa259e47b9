/** Every endpoint of the API: path, who may call it, its parameters, what it answers, and who answers. */
import Type from 'typebox';
import { LIST_IMAGES } from '../../access/tokens.ts';
import * as schemas from '../../schemas.ts';
import type { Answer, Call, Route } from './call.ts';
import { listOf, oneOf } from './entries.ts';
import { artistImages, imagePage, oneImage, randomImages } from './images.ts';
import { information, statistics, tokenInformation } from './info.ts';
import * as parameters from './parameters.ts';

const { limit, offset, search, expiry, nsfw, orientation } = parameters;
const { categories, match, exclude, artist, character, seed, cursor } = parameters;

const nothing = Type.Object({});
const links = Type.Object({ expiry });
const imagePages = Type.Object({ limit, offset, nsfw, orientation, expiry });
const filters = { categories, match, exclude, nsfw, orientation, artist, character };
const randomly = Type.Object({ ...filters, limit, seed, cursor, expiry });
const entryPages = Type.Object({ limit, offset, search });

export const routes: Route[] = [
  route('/', 'open', nothing, schemas.Paths, information(paths)),
  route('/stats', 'open', nothing, schemas.Statistics, statistics),
  route('/token', 'token', nothing, schemas.TokenInformation, tokenInformation),
  route('/image', { scope: LIST_IMAGES }, imagePages, Type.Array(schemas.Image), imagePage),
  route('/image/random', 'open', randomly, Type.Array(schemas.Image), randomImages),
  route('/image/{id}', 'open', links, schemas.Image, oneImage),
  route('/artist', 'open', entryPages, Type.Array(schemas.Artist), listOf('artist')),
  route('/artist/{id}', 'open', nothing, schemas.ArtistWithImages, oneOf('artist')),
  route('/artist/{id}/images', 'open', imagePages, Type.Array(schemas.ArtistImage), artistImages),
  route('/character', 'open', entryPages, Type.Array(schemas.Character), listOf('character')),
  route('/character/{id}', 'open', nothing, schemas.CharacterWithImages, oneOf('character')),
  route('/category', 'open', entryPages, Type.Array(schemas.Category), listOf('category')),
  route('/category/{id}', 'open', nothing, schemas.CategoryWithImages, oneOf('category')),
];

function paths(): string[] {
  return routes.map((route) => route.path);
}

/** Holds a handler to the parameters that its route takes. */
function route<Query extends Type.TObject>(
  path: string,
  access: Route['access'],
  query: Query,
  answer: Type.TSchema,
  handle: (call: Call<Type.Static<Query>>) => Answer | Promise<Answer>,
): Route {
  return { path, access, query, answer, handle };
}
