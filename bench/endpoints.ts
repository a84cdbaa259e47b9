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
const RANDOM = ['/api/image/random?limit=10'];

const endpoints: Endpoint[] = [
  endpoint('random', 'random, limit 10', ({ origin }) => probe(origin, RANDOM)),
  // See catalogue.ts. Almost all other responses with ten images have Japanese names.
  endpoint('ascii', 'random, limit 10, ASCII only', ({ origin }) =>
    probe(origin, ['/api/image/random?limit=10&orientation=landscape']),
  ),
  endpoint('categories', 'random, limit 10, two categories', ({ origin }) =>
    probe(origin, ['/api/image/random?limit=10&categories=a,b']),
  ),
  endpoint('id', 'by id', ({ origin, ids }) =>
    probe(
      origin,
      ids.map((id) => `/api/image/${id}`),
    ),
  ),
  endpoint('artists', 'artist list, limit 25', ({ origin }) => probe(origin, ['/api/artist?limit=25'])),
  endpoint('artists-gzip', 'artist list, limit 25, gzip', ({ origin }) =>
    probe(origin, ['/api/artist?limit=25'], accepting('gzip')),
  ),
  endpoint('artists-br', 'artist list, limit 25, br', ({ origin }) =>
    probe(origin, ['/api/artist?limit=25'], accepting('br')),
  ),
  endpoint('artist', 'artist by id', async ({ origin }) => {
    const { data } = (await (await fetch(`${origin}/api/artist?limit=25`)).json()) as {
      data: { id: string }[];
    };
    return probe(
      origin,
      data.map(({ id }) => `/api/artist/${id}`),
    );
  }),
  endpoint('stats', 'statistics', ({ origin }) => probe(origin, ['/api/stats'])),
  endpoint('page', 'page of 25 at offset 90%', (store) =>
    probe(store.origin, [`/api/image?limit=25&offset=${deepOffset(store)}`], store.headers),
  ),
  endpoint('429', '429 responses', ({ limited }) => probe(limited, RANDOM, {}, 429)),
  endpoint('exempt', 'random, rate limit on, token exempt', ({ limited, headers }) =>
    probe(limited, RANDOM, headers),
  ),
  endpoint('gzip', 'random, limit 10, gzip', ({ origin }) => probe(origin, RANDOM, accepting('gzip'))),
  endpoint('br', 'random, limit 10, br', ({ origin }) => probe(origin, RANDOM, accepting('br'))),
  endpoint('zstd', 'random, limit 10, zstd', ({ origin }) => probe(origin, RANDOM, accepting('zstd'))),
  // Pages. Those with filters, searches and random pictures are written for each request; others are kept.
  endpoint('home', 'page: random pictures', ({ origin }) => probe(origin, ['/'], browser)),
  endpoint('home-zstd', 'page: random pictures, zstd', ({ origin }) =>
    probe(origin, ['/'], { ...browser, ...accepting('zstd') }),
  ),
  endpoint('filtered', 'page: newest pictures, filtered', ({ origin }) =>
    probe(origin, ['/newest?nsfw=sfw,questionable'], browser),
  ),
  endpoint('search', 'page: a search', ({ origin }) => probe(origin, ['/search?q=a+-b'], browser)),
  endpoint('picture', 'page: a picture, filtered', ({ origin, ids }) =>
    probe(
      origin,
      ids.map((id) => `/pictures/${id}?nsfw=sfw,questionable`),
      browser,
    ),
  ),
  endpoint('newest', 'page: newest pictures, kept', ({ origin }) => probe(origin, ['/newest'], browser)),
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

export const deepOffset = ({ size }: StartedStore): number => Math.floor(size * 0.9);

const accepting = (encoding: string): Headers => ({ 'Accept-Encoding': encoding });

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
