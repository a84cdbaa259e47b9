/** The endpoints to measure. */
import { get } from 'node:http';
import type { StartedStore } from './stores.ts';

/** Requests to send. */
export interface Target {
  origin: string;
  /** Requested in turn. */
  paths: string[];
  headers: Record<string, string>;
  /** The mean size of a response; the baseline sends as much. */
  bytes: number;
  /** The expected status. */
  status: number;
}

export interface Endpoint {
  name: string;
  title: string;
  target: (store: StartedStore) => Promise<Target>;
}

type Headers = Record<string, string>;

const SAMPLES = 50;
const browser: Headers = { Accept: 'text/html' };
const accepting = (encoding: string): Headers => ({ 'Accept-Encoding': encoding });
const RANDOM = '/api/image/random?limit=10';
const ARTISTS = '/api/artist?limit=25';

/** Those with one path. Pages with filters, searches and random pictures are written for each request; others are kept. */
const single: [name: string, title: string, path: string, headers?: Headers][] = [
  ['random', 'random, limit 10', RANDOM],
  ['categories', 'random, limit 10, two categories', `${RANDOM}&categories=a,b`],
  ['artists', 'artist list, limit 25', ARTISTS],
  ['artists-gzip', 'artist list, limit 25, gzip', ARTISTS, accepting('gzip')],
  ['artists-br', 'artist list, limit 25, br', ARTISTS, accepting('br')],
  ['stats', 'statistics', '/api/stats'],
  ['gzip', 'random, limit 10, gzip', RANDOM, accepting('gzip')],
  ['br', 'random, limit 10, br', RANDOM, accepting('br')],
  ['zstd', 'random, limit 10, zstd', RANDOM, accepting('zstd')],
  ['home', 'page: random pictures', '/', browser],
  ['home-zstd', 'page: random pictures, zstd', '/', { ...browser, ...accepting('zstd') }],
  ['filtered', 'page: newest pictures, filtered', '/newest?nsfw=sfw,questionable', browser],
  ['search', 'page: a search', '/search?q=a+-b', browser],
  ['newest', 'page: newest pictures, kept', '/newest', browser],
];

const endpoints: Endpoint[] = [
  ...single.map(([name, title, path, headers]) => ({
    name,
    title,
    target: ({ origin }: StartedStore) => probe(origin, [path], headers),
  })),
  endpoint('id', 'by id', ({ origin, ids }) =>
    probe(
      origin,
      ids.map((id) => `/api/image/${id}`),
    ),
  ),
  endpoint('artist', 'artist by id', async ({ origin }) => {
    const { data } = (await (await fetch(origin + ARTISTS)).json()) as { data: { id: string }[] };
    return probe(
      origin,
      data.map(({ id }) => `/api/artist/${id}`),
    );
  }),
  endpoint('page', 'page of 25 at offset 90%', ({ origin, size, headers }) =>
    probe(origin, [`/api/image?limit=25&offset=${Math.floor(size * 0.9)}`], headers),
  ),
  endpoint('429', '429 responses', ({ limited }) => probe(limited, [RANDOM], {}, 429)),
  endpoint('picture', 'page: a picture, filtered', ({ origin, ids }) =>
    probe(
      origin,
      ids.map((id) => `/pictures/${id}?nsfw=sfw,questionable`),
      browser,
    ),
  ),
];

function endpoint(name: string, title: string, target: Endpoint['target']): Endpoint {
  return { name, title, target };
}

export const endpointNames: string[] = endpoints.map(({ name }) => name);

/** By comma-separated names. */
export function selectEndpoints(list: string): Endpoint[] {
  const names = list.split(',');
  const unknown = names.find((name) => !endpointNames.includes(name));
  if (unknown !== undefined)
    throw new Error(`unknown endpoint: ${unknown}; choose from ${endpointNames.join(', ')}`);
  return endpoints.filter(({ name }) => names.includes(name));
}

/** Sends a few requests to find the mean size of a response. The rate limiter accepts the first request, which is ignored. */
export async function probe(
  origin: string,
  paths: string[],
  headers: Headers = {},
  status = 200,
): Promise<Target> {
  const lengths: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const response = await readSize(origin + paths[sample % paths.length], headers);
    if (response.status === status) lengths.push(response.bytes);
    else if (status === 200) throw new Error(`${origin}${paths[0]} returned ${response.status}`);
  }
  const bytes = Math.round(lengths.reduce((sum, length) => sum + length, 0) / lengths.length);
  return { origin, paths, headers, bytes, status };
}

/** The size as sent; `fetch` would decompress the body. */
function readSize(url: string, headers: Headers): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }));
    });
    request.on('error', reject);
  });
}
