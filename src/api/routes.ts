/** Every endpoint of the API, by its path below the prefix, and those about the service itself. */

import type { Token } from '../access/tokens.ts';
import type * as types from '../catalogue/schemas.ts';
import * as schemas from '../catalogue/schemas.ts';
import { Rating } from '../catalogue/schemas.ts';
import type { Asset } from '../http/assets.ts';
import { toJsonBytes } from '../lib/byte-string.ts';
import { version } from '../lib/version.ts';
import { imageChanges } from './changes.ts';
import { type Callable, type Endpoint, endpoint, keepAnswer, makeAnswer, type Route } from './endpoint.ts';
import { entryList, singleEntry } from './entries.ts';
import * as examples from './examples.ts';
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
import { withStrict } from './parameters.ts';
import { search } from './search.ts';

/** `listPaths` returns the paths of all endpoints, including this one. */
export function serviceInformation(listPaths: () => string[]): Endpoint {
  /** By prefix. */
  const answers = new Map<string, Asset>();
  return endpoint({
    name: 'information',
    group: 'Service',
    summary: 'Get service information',
    description: 'Returns the paths of all endpoints, the version, and the prefix of this request.',
    access: 'open',
    data: schemas.Paths,
    meta: schemas.ServiceMeta,
    example: {
      // A getter, because the list of endpoints is complete only after this one is declared.
      get data() {
        return listPaths();
      },
      meta: { version: `v${version}`, baseApiRoute: '/api' },
    },
    hasETag: true,
    handle({ prefix }) {
      const known = answers.get(prefix);
      if (known) return { answer: known };
      const meta = toJsonBytes({ version: `v${version}`, baseApiRoute: prefix || '/' });
      const answer = makeAnswer(toJsonBytes(listPaths()), meta);
      answers.set(prefix, answer);
      return { answer };
    },
  });
}

export const statistics = endpoint({
  name: 'stats',
  group: 'Service',
  summary: 'Get statistics',
  description: 'Counts all records, and images by rating and by orientation.',
  access: 'open',
  data: schemas.Statistics,
  example: { data: examples.statistics },
  hasETag: true,
  async handle({ services }) {
    const statistics = await services.catalogue.statistics();
    return { answer: keepAnswer(statistics, () => toJsonBytes(statistics)) };
  },
});

export const tokenInformation = endpoint({
  name: 'token',
  group: 'Service',
  summary: 'Get token information',
  description: 'Returns the owner, the scopes and the expiry of your token. Any valid token will do.',
  access: 'token',
  data: schemas.TokenInformation,
  example: { data: examples.token },
  handle({ token }) {
    // `access` ensures that there is a token.
    const { owner, purpose, scopes, issuedBy, createdAt, expires } = token as Token;
    return { data: toJsonBytes({ owner, purpose, scopes, issuedBy, createdAt, expires }) };
  },
});

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
