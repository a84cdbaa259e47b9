/** The CPU time per request of our HTTP server, against Fastify with the same handlers and the same catalogue. */
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureBoth, printHead, printRow } from './compare.ts';
import { selectEndpoints, type Target } from './endpoints.ts';
import { loaderName } from './load.ts';
import { startProgram } from './process.ts';
import { startStore } from './stores.ts';

export const usage = `Usage: npm run bench -- fastify [options]
  --rounds <n>        measurements per endpoint and server (9)
  --seconds <n>       duration of a measurement (2)
  --size <images>     size of the catalogue (20000)
  --endpoint <names>  comma-separated: random, id, page, artists (all)`;

export async function run(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: {
      rounds: { type: 'string', default: '9' },
      seconds: { type: 'string', default: '2' },
      size: { type: 'string', default: '20000' },
      endpoint: { type: 'string', default: 'random,id,page,artists' },
    },
  });
  const [rounds, seconds, size] = [Number(values.rounds), Number(values.seconds), Number(values.size)];
  await using folder = await mkdtempDisposable(join(tmpdir(), 'zukan-bench-'));
  await using ours = await startStore('sqlite', folder.path, size);
  await using theirs = await startProgram('alternatives/fastify-handlers.ts', [ours.dataDir]);
  console.log(`${loaderName}, ${rounds} rounds of ${seconds} s, ${size} images\n`);
  printHead('CPU time per request in µs', ['fastify', 'zukan'], 'ratio (zukan / fastify)');
  for (const { title, target } of selectEndpoints(values.endpoint)) {
    const own = await target(ours);
    const targets: [Target, Target] = [{ ...own, origin: theirs.origin }, own];
    const [fastify, zukan] = await measureBoth(targets, rounds, seconds);
    printRow(title, fastify.cpu, zukan.cpu);
  }
}
