/** The endpoints to measure. */
import type { Server } from './process.ts';
import type { StartedStore } from './stores.ts';

/** Requests to send. */
export interface Target {
  server: Server;
  /** Requested in turn. */
  paths: string[];
  headers: Record<string, string>;
  /** The mean size of a response; the baseline sends as much. */
  bytes: number;
  /** The expected status. */
  status: number;
}

interface Endpoint {
  title: string;
  paths: string | ((store: StartedStore) => string[] | Promise<string[]>);
  headers?: Record<string, string>;
  /** With the token of the store. */
  isPrivate?: true;
  /** At the server with the rate limit on. */
  isLimited?: true;
}

const SAMPLES = 50;
const browser = { Accept: 'text/html' };
const accepting = (encoding: string) => ({ 'Accept-Encoding': encoding });
const RANDOM = '/api/image/random?limit=10';
const ARTISTS = '/api/artist?limit=25';
const FILTERED = 'nsfw=sfw,questionable';

/** By name. Pages with filters, searches and random pictures are written for each request; others are kept. */
export const endpoints: Record<string, Endpoint> = {
  random: { title: 'random, limit 10', paths: RANDOM },
  categories: { title: 'random, limit 10, two categories', paths: `${RANDOM}&categories=a,b` },
  artists: { title: 'artist list, limit 25', paths: ARTISTS },
  'artists-gzip': { title: 'artist list, limit 25, gzip', paths: ARTISTS, headers: accepting('gzip') },
  'artists-br': { title: 'artist list, limit 25, br', paths: ARTISTS, headers: accepting('br') },
  stats: { title: 'statistics', paths: '/api/stats' },
  gzip: { title: 'random, limit 10, gzip', paths: RANDOM, headers: accepting('gzip') },
  br: { title: 'random, limit 10, br', paths: RANDOM, headers: accepting('br') },
  zstd: { title: 'random, limit 10, zstd', paths: RANDOM, headers: accepting('zstd') },
  home: { title: 'page: random pictures', paths: '/', headers: browser },
  'home-zstd': {
    title: 'page: random pictures, zstd',
    paths: '/',
    headers: { ...browser, ...accepting('zstd') },
  },
  filtered: { title: 'page: newest pictures, filtered', paths: `/newest?${FILTERED}`, headers: browser },
  search: { title: 'page: a search', paths: '/search?q=a+-b', headers: browser },
  newest: { title: 'page: newest pictures, kept', paths: '/newest', headers: browser },
  id: { title: 'by id', paths: ({ ids }) => ids.map((id) => `/api/image/${id}`) },
  artist: {
    title: 'artist by id',
    async paths({ server }) {
      const { data } = (await (await fetch(server.origin + ARTISTS)).json()) as { data: { id: string }[] };
      return data.map(({ id }) => `/api/artist/${id}`);
    },
  },
  page: {
    title: 'page of 25 at offset 90%',
    paths: ({ size }) => [`/api/image?limit=25&offset=${Math.floor(size * 0.9)}`],
    isPrivate: true,
  },
  429: { title: '429 responses', paths: RANDOM, isLimited: true },
  picture: {
    title: 'page: a picture, filtered',
    paths: ({ ids }) => ids.map((id) => `/pictures/${id}?${FILTERED}`),
    headers: browser,
  },
};

/** By comma-separated names. */
export function selectEndpoints(list: string): Endpoint[] {
  return list.split(',').map((name) => {
    const endpoint = endpoints[name];
    if (endpoint) return endpoint;
    throw new Error(`unknown endpoint: ${name}; choose from ${Object.keys(endpoints).join(', ')}`);
  });
}

/** Sends a few requests to find the mean size of a response. The rate limiter accepts the first request, which is ignored. */
export async function targetOf(endpoint: Endpoint, store: StartedStore): Promise<Target> {
  const { headers = {}, isPrivate, isLimited } = endpoint;
  const paths = typeof endpoint.paths === 'string' ? [endpoint.paths] : await endpoint.paths(store);
  const target: Target = {
    server: isLimited ? store.limited : store.server,
    paths,
    headers: isPrivate ? { ...headers, ...store.headers } : headers,
    bytes: 0,
    status: isLimited ? 429 : 200,
  };
  const lengths: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const url = target.server.origin + paths[sample % paths.length];
    const response = await fetch(url, { headers: { 'Accept-Encoding': 'identity', ...target.headers } });
    await response.bytes();
    if (response.status === target.status) lengths.push(Number(response.headers.get('content-length')));
    else if (!isLimited) throw new Error(`${url} returned ${response.status}`);
  }
  target.bytes = Math.round(lengths.reduce((sum, length) => sum + length, 0) / lengths.length);
  return target;
}
