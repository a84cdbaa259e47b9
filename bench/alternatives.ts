/** Other servers that one could run instead, with the images as zukan's API returns them. */
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { psql, startPostgres } from '../test/support/servers/postgres.ts';
import { onDisk } from '../test/support/workspace.ts';
import { writeImages } from './alternatives/images.ts';
import { measureAgainstBaseline, medianRate, printResult, type Result, type Rounds } from './baseline.ts';
import { deepOffset, probe } from './endpoints.ts';
import { startProgram } from './process.ts';
import type { StartedStore } from './stores.ts';

interface Alternative {
  server: string;
  /** How many images it can load in reasonable time. */
  maxImages: number;
  /** Paths by the name of our endpoint, for the endpoints that it has. */
  paths: Record<string, (store: StartedStore) => string[]>;
  /** Loads a file with one image per line. Returns the program to start and its parameters. */
  prepare(file: string, parts: AsyncDisposableStack): Promise<string[]>;
}

const alternatives: Alternative[] = [
  {
    server: 'json-server',
    // It parses the whole file at start, and scans all images for each request.
    maxImages: 100_000,
    paths: {
      id: ({ ids }) => ids.map((id) => `/images/${id}`),
      page: (store) => [`/images?_start=${deepOffset(store)}&_limit=25`],
    },
    async prepare(file) {
      const lines = (await readFile(file, 'utf8')).trimEnd();
      const database = file.replace(/ndjson$/, 'json');
      await writeFile(database, `{"images":[${lines.replaceAll('\n', ',')}]}`);
      return ['alternatives/json-server.ts', database];
    },
  },
  {
    server: 'fastify + pg',
    maxImages: Number.POSITIVE_INFINITY,
    paths: {
      id: ({ ids }) => ids.map((id) => `/image/${id}`),
      page: (store) => [`/image?limit=25&offset=${deepOffset(store)}`],
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
      return ['alternatives/fastify.ts', postgres.url()];
    },
  },
];

export const alternativeNames: string[] = alternatives.map(({ server }) => server);

/** Measures each alternative against the baseline, and prints how zukan compares. */
export async function measureAlternatives(
  store: StartedStore,
  ours: Result[],
  folder: string,
  rounds: Rounds,
): Promise<Result[]> {
  const { size } = store;
  // Not reusable: every import generates new ids.
  await using scratch = await mkdtempDisposable(join(folder, 'alternatives-'));
  const file = join(scratch.path, 'images.ndjson');
  await writeImages(store, file);
  const results: Result[] = [];
  for (const { server, maxImages, paths, prepare } of alternatives) {
    if (size > maxImages) {
      console.log(`\n${server}: skipped, cannot load more than ${maxImages} images in reasonable time`);
      continue;
    }
    console.log(`\n${server} with the same ${size} images`);
    await using parts = new AsyncDisposableStack();
    const [program = '', ...parameters] = await prepare(file, parts);
    const { origin, memory } = parts.use(await startProgram(program, parameters));
    for (const our of ours) {
      const path = paths[our.name];
      if (!path) {
        if (our.name === 'random') console.log(`  ${our.title}: not available`);
        continue;
      }
      const subject = { server, size, workers: 1, name: our.name, title: our.title };
      const result = await measureAgainstBaseline(subject, await probe(origin, path(store)), rounds);
      results.push(result);
      printResult(result, compareRates(our, result));
    }
    console.log(`  resident memory after the run: ${memory()} MB`);
  }
  return results;
}

function compareRates(ours: Result, theirs: Result): string {
  const factor = medianRate(ours.measured) / medianRate(theirs.measured);
  return Number.isFinite(factor) ? `; zukan ${factor.toFixed(1)} times as many` : '; no response in time';
}
