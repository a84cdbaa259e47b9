/** What is asked for in the comparison with the yardstick. */
import { get } from 'node:http';
import type { StartedStore } from './stores.ts';

export interface Target {
  origin: string;
  paths: string[];
  headers: Record<string, string>;
  /** Of an answer, on average: so long is the yardstick's. */
  bytes: number;
  status: number;
}

interface Endpoint {
  name: string;
  title: string;
  target: (store: StartedStore) => Promise<Target>;
}

type Headers = Record<string, string>;

const SAMPLES = 50;
const RANDOM = ['/api/image/random?limit=10'];

export const endpoints: Endpoint[] = [
  endpoint('random', 'random, limit 10', ({ origin }) => targetOf(origin, RANDOM)),
  endpoint('categories', 'random, limit 10, two categories', ({ origin }) =>
    targetOf(origin, ['/api/image/random?limit=10&categories=a,b']),
  ),
  endpoint('id', 'by id', ({ origin, ids }) =>
    targetOf(
      origin,
      ids.map((id) => `/api/image/${id}`),
    ),
  ),
  endpoint('artists', 'artist list, limit 25', ({ origin }) => targetOf(origin, ['/api/artist?limit=25'])),
  endpoint('page', 'page of 25 at offset 90%', (store) =>
    targetOf(store.origin, [`/api/image?limit=25&offset=${deepIn(store)}`], store.headers),
  ),
  endpoint('429', '429 answers', ({ limited }) => targetOf(limited, RANDOM, {}, 429)),
  endpoint('exempt', 'random, limit on, token exempt', ({ limited, headers }) =>
    targetOf(limited, RANDOM, headers),
  ),
  endpoint('gzip', 'random, limit 10, gzip', ({ origin }) => targetOf(origin, RANDOM, accepting('gzip'))),
  endpoint('br', 'random, limit 10, br', ({ origin }) => targetOf(origin, RANDOM, accepting('br'))),
];

function endpoint(name: string, title: string, target: Endpoint['target']): Endpoint {
  return { name, title, target };
}

export const deepIn = ({ size }: StartedStore): number => Math.floor(size * 0.9);

const accepting = (encoding: string): Headers => ({ 'Accept-Encoding': encoding });

/** Asks a few times to see what comes. The rate limit lets the first call through; such answers do not count. */
export async function targetOf(
  origin: string,
  paths: string[],
  headers: Headers = {},
  status = 200,
): Promise<Target> {
  const lengths: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const answer = await sizeOf(origin + paths[sample % paths.length], headers);
    if (answer.status === status) lengths.push(answer.bytes);
    else if (status === 200) throw new Error(`${origin}${paths[0]} answered ${answer.status}`);
  }
  const bytes = Math.round(lengths.reduce((sum, length) => sum + length, 0) / lengths.length);
  return { origin, paths, headers, bytes, status };
}

/** As sent: `fetch` would undo the compression. */
function sizeOf(url: string, headers: Headers): Promise<{ status: number; bytes: number }> {
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
