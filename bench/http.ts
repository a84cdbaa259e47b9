/**
 * The service beside the yardstick: a bare `node:http` server that sends a constant body of the same size, on the same
 * Node, in the same run. Both are loaded in turn, and what is told is the ratio.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CONNECTIONS, compare, type Result, tell } from './compare.ts';
import { endpoints } from './endpoints.ts';
import { loaderName } from './load.ts';
import { comparePeers } from './peers.ts';
import { plot } from './plot.ts';
import { startStore, stores } from './stores.ts';

const everyEndpoint = endpoints.map(({ name }) => name);

export const usage = `Usage: npm run bench -- [options]
  --size <images>      sizes of the catalogue, comma-separated (100000)
  --endpoint <names>   ${everyEndpoint.join(', ')}; all by default
  --store <store>      ${stores.join(' or ')} (sqlite)
  --rounds <n>         how often each takes its turn (5)
  --seconds <n>        how long a turn is (3)
  --peers              beside json-server, and Fastify with pg and ORDER BY random()
  --keep <folder>      where made-up catalogues are kept for the next time
  --plot <folder>      writes charts there, as SVG
  --json <file>        writes all that was measured there`;

export async function run(options: string[]): Promise<void> {
  const { values } = parseArgs({
    args: options,
    options: {
      size: { type: 'string', default: '100000' },
      endpoint: { type: 'string', default: everyEndpoint.join() },
      store: { type: 'string', default: 'sqlite' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      peers: { type: 'boolean', default: false },
      keep: { type: 'string' },
      plot: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const turns = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
  const names = values.endpoint.split(',');
  const unknown = [...names, values.store].find((name) => ![...everyEndpoint, ...stores].includes(name));
  if (unknown !== undefined) throw new Error(`there is no ${unknown}\n${usage}`);
  if (values.keep) await mkdir(values.keep, { recursive: true });
  const folder = values.keep ?? (await mkdtemp(join(tmpdir(), 'zukan-bench-')));
  console.log(
    `${loaderName}, ${CONNECTIONS} connections, ${turns.rounds} rounds of ${turns.seconds} s, ${values.store}`,
  );
  const results: Result[] = [];
  try {
    for (const size of values.size.split(',').map(Number)) {
      await using store = await startStore(values.store, folder, size);
      console.log(`\n${size} images`);
      const ours: Result[] = [];
      for (const { name, title, target } of endpoints.filter(({ name }) => names.includes(name))) {
        const result = await compare({ server: 'zukan', size, name, title }, await target(store), turns);
        ours.push(result);
        tell(result, `, ${store.memory()} MB`);
      }
      console.log(`  resident memory after the run: ${store.memory()} MB`);
      results.push(...ours);
      if (values.peers) results.push(...(await comparePeers(store, ours, folder, turns)));
    }
    if (values.plot) await plot(values.plot, results);
    if (values.json) await writeFile(values.json, JSON.stringify(results, mapsAsObjects, 2));
  } finally {
    if (!values.keep) await rm(folder, { recursive: true });
  }
}

const mapsAsObjects = (_key: string, value: unknown) =>
  value instanceof Map ? Object.fromEntries(value) : value;
