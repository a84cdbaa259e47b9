/** What people might run instead, on the same images as the API shows them, each as a process of its own. */
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { psql, startPostgres } from '../test/support/postgres.ts';
import { onDisk } from '../test/support/workspace.ts';
import { compare, type Result, rateOf, type Turns, tell } from './compare.ts';
import { deepIn, targetOf } from './endpoints.ts';
import { writeImages } from './peers/images.ts';
import { startProgram } from './process.ts';
import type { StartedStore } from './stores.ts';

interface Peer {
  server: string;
  /** How many images it can load in reasonable time. */
  most: number;
  /** Paths by the name of our endpoint; others it does not have. */
  paths: Record<string, (store: StartedStore) => string[]>;
  /** Takes a file of images, one a line, and gives the program to start and its parameters. */
  prepare(file: string, parts: AsyncDisposableStack): Promise<string[]>;
}

const peers: Peer[] = [
  {
    server: 'json-server',
    // It reads them as one JSON text, and searches them from the first to the last for each call.
    most: 100_000,
    paths: {
      id: ({ ids }) => ids.map((id) => `/images/${id}`),
      page: (store) => [`/images?_start=${deepIn(store)}&_limit=25`],
    },
    async prepare(file) {
      const lines = (await readFile(file, 'utf8')).trimEnd();
      const database = file.replace(/ndjson$/, 'json');
      await writeFile(database, `{"images":[${lines.replaceAll('\n', ',')}]}`);
      return ['peers/json-server.ts', database];
    },
  },
  {
    server: 'fastify + pg',
    most: Number.POSITIVE_INFINITY,
    paths: {
      id: ({ ids }) => ids.map((id) => `/image/${id}`),
      page: (store) => [`/image?limit=25&offset=${deepIn(store)}`],
      random: () => ['/image/random?limit=10'],
    },
    async prepare(file, parts) {
      const postgres = parts.adopt(await startPostgres({ shared_buffers: '2GB' }, onDisk), (it) =>
        it.discard(),
      );
      psql(
        postgres.url(),
        `create table image (number bigint generated always as identity primary key,
           id text generated always as (document ->> 'id') stored unique, document jsonb not null);
         \\copy image (document) from '${file}' with (format csv, quote e'\\x01', delimiter e'\\x02')
         vacuum analyze image`,
      );
      return ['peers/fastify.ts', postgres.url()];
    },
  },
];

/** Each of these beside the yardstick and beside what was measured of ours on the same images. */
export async function comparePeers(
  store: StartedStore,
  ours: Result[],
  folder: string,
  turns: Turns,
): Promise<Result[]> {
  const { size } = store;
  // Not kept for the next time: another import gives other ids.
  await using scratch = await mkdtempDisposable(join(folder, 'peers-'));
  const file = join(scratch.path, 'images.ndjson');
  await writeImages(store, file);
  const results: Result[] = [];
  for (const { server, most, paths, prepare } of peers) {
    if (size > most) {
      console.log(`\n${server}: left out, it cannot load more than ${most} images in reasonable time`);
      continue;
    }
    console.log(`\n${server} on the same ${size} images`);
    await using parts = new AsyncDisposableStack();
    const [program = '', ...parameters] = await prepare(file, parts);
    const { origin, memory } = parts.use(await startProgram(program, parameters));
    for (const our of ours) {
      const path = paths[our.name];
      if (!path) {
        if (our.name === 'random') console.log(`  ${our.title}: not offered`);
        continue;
      }
      const subject = { server, size, name: our.name, title: our.title };
      const result = await compare(subject, await targetOf(origin, path(store)), turns);
      results.push(result);
      tell(result, beside(our, result));
    }
    console.log(`  resident memory after the run: ${memory()} MB`);
  }
  return results;
}

function beside(ours: Result, theirs: Result): string {
  const times = rateOf(ours.measured) / rateOf(theirs.measured);
  return Number.isFinite(times) ? `; zukan ${times.toFixed(1)} times as many` : '; no answer in time';
}
