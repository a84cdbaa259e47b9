/** Every endpoint of the API, by its path below the prefix. */

import type * as types from '../catalogue/schemas.ts';
import { Rating } from '../catalogue/schemas.ts';
import { imageChanges } from './changes.ts';
import type { Callable, Endpoint, Route } from './endpoint.ts';
import { entryList, singleEntry } from './entries.ts';
import {
  albumImages,
  allImages,
  artistImages,
  imageFile,
  latestImages,
  randomFile,
  randomImages,
  similarImages,
  singleImage,
} from './images.ts';
import { serviceInformation, statistics, tokenInformation } from './info.ts';
import { withStrict } from './parameters.ts';
import { search } from './search.ts';

const endpoints: Record<string, Endpoint> = {
  '/': serviceInformation(() => Object.keys(endpoints)),
  '/stats': statistics,
  '/token': tokenInformation,
  '/image/random': randomImages,
  '/image/random/file': randomFile,
  '/image/latest': latestImages,
  '/image/changes': imageChanges,
  '/image': allImages,
  '/image/{id}': singleImage,
  '/image/{id}/file': imageFile,
  '/image/{id}/similar': similarImages,
  '/search': search,
  '/artist': entryList('artist'),
  '/artist/{id}': singleEntry('artist'),
  '/artist/{id}/images': artistImages,
  '/character': entryList('character'),
  '/character/{id}': singleEntry('character'),
  '/category': entryList('category'),
  '/category/{id}': singleEntry('category'),
  '/album': entryList('album'),
  '/album/{id}': singleEntry('album'),
  '/album/{id}/images': albumImages,
};

export const routes: Route[] = Object.entries(endpoints).map(([path, endpoint]) => ({
  ...endpoint,
  path,
  query: withStrict(endpoint.query),
}));

/**
 * The routes of a service whose calls without `nsfw` return these ratings, but for those with a default of their own. As the default of the parameter, they are part of the
 * filter that a cursor belongs to, of the links to other pages, and of the reference.
 */
export function withDefaultRatings<R extends Callable>(
  routes: readonly R[],
  ratings: readonly types.Rating[],
): readonly R[] {
  if (ratings.length === Rating.anyOf.length) return routes;
  return routes.map((route) => {
    const { nsfw } = route.query.properties;
    if (!nsfw || nsfw.default) return route;
    const properties = { ...route.query.properties, nsfw: { ...nsfw, default: ratings } };
    return { ...route, query: { ...route.query, properties } };
  });
}
