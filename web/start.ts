/**
 * Starts the first API call. This is the entry of the first of the page's scripts: it is small, so the API responds
 * while the browser still loads the second, which then makes the same call and gets the response of this one.
 */
import { formatQuery } from '../client/query.ts';
import { ensureState } from './history-state.ts';
import { endlessOptions, imageOptions, listOptions, orderedOptions } from './queries.ts';
import { fetchEarly } from './rate-limit.ts';
import { parseRoute, type Route } from './route.ts';
import { apiPrefix, dialogFiles } from './site.ts';
import { getSnapshot } from './snapshot.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const paths = { artists: '/artist', characters: '/character', categories: '/category', albums: '/album' };

/** Undefined if the client would refuse to make the call. */
function firstPath({ view, imageId }: Route, seed: string): string | undefined {
  const id = imageId ?? ('id' in view ? view.id : undefined);
  if (id !== undefined && !uuid.test(id)) return undefined;
  if (imageId) return `/image/${imageId}${formatQuery(imageOptions)}`;
  if (view.name === 'list') return paths[view.kind] + formatQuery(listOptions(view));
  if (view.name === 'search') return `/search${formatQuery({ q: view.search, ...imageOptions })}`;
  if (view.name === 'artist') return `/artist/${view.id}/images${formatQuery(orderedOptions(view))}`;
  if (view.name === 'category' || view.name === 'album') return `/${view.name}/${view.id}`;
  const options = endlessOptions(view);
  if (view.name === 'newest') return `/image/latest${formatQuery(options)}`;
  return `/image/random${formatQuery({ ...options, seed })}`;
}

const { key, seed, ratings } = ensureState();
const route = parseRoute(location.search, ratings);
const path = route.imageId || !getSnapshot(key) ? firstPath(route, seed) : undefined;
if (path) fetchEarly(apiPrefix + path);
if (route.imageId)
  for (const [as, href] of Object.entries(dialogFiles))
    document.head.append(Object.assign(document.createElement('link'), { rel: 'preload', as, href }));
