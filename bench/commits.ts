/** A commit must not cost more in a larger catalogue: edits one image at a time in catalogues of several sizes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Postgres } from '../test/support/servers/postgres.ts';
import { cpuSeconds, runCommand, startServer } from './process.ts';
import { measureInTurn, median } from './statistics.ts';
import { openCatalogue, openFolder, stores, waitForCache } from './stores.ts';

const ROUNDS = 9;
/** The server reads a commit soon after it, before anybody asks. */
const SETTLE_MS = 1500;
const reads = ['/api/image/random?limit=10', '/api/image/random?categories=a,b&nsfw=sfw', '/api/artist'];
const ratings = ['sfw', 'nsfw', 'questionable'];

export const usage = `Usage: npm run bench -- commits [sizes]
  sizes   numbers of images, separated by commas (10000,100000)`;

export async function run([sizes = '10000,100000']: string[]): Promise<void> {
  for (const store of stores) for (const size of sizes.split(',')) await measure(store, Number(size));
}

async function measure(store: string, size: number): Promise<void> {
  await using folder = await openFolder();
  await using catalogue = await openCatalogue(store, folder.path, size);
  const { environment, postgres } = catalogue;
  await using server = await startServer(environment);
  await waitForCache(server.origin);
  const used = () => [
    ...[cpuSeconds(process.pid, true), cpuSeconds(server.pid)],
    ...(postgres ? [databaseSeconds(postgres)] : []),
  ];
  let edits = 0;
  const editOne = async () => {
    const response = await fetch(`${server.origin}/api/image/random?limit=1`);
    const [{ id }] = ((await response.json()) as { data: [{ id: string }] }).data;
    const before = used();
    await runCommand(['edit', id, '--rating', ratings[edits++ % 3] as string], environment);
    await setTimeout(SETTLE_MS);
    for (const path of reads) await (await fetch(server.origin + path)).text();
    return used().map((seconds, part) => 1000 * (seconds - (before[part] ?? 0)));
  };
  const [edited = []] = await measureInTurn(ROUNDS, [editOne]);
  const names = ['command', 'server', ...(postgres ? ['database'] : [])];
  const texts = names.map(
    (name, part) => `${name} ${Math.round(median(edited.map((costs) => costs[part] ?? Number.NaN)))} ms`,
  );
  console.log(`${store}, ${size} images, CPU time of one edit: ${texts.join(', ')}`);
}

/** Of the server with all processes that it has started. */
function databaseSeconds(postgres: Postgres): number {
  const folder = postgres.query('show data_directory').trim();
  const [pid = ''] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children
    .map((child) => cpuSeconds(Number(child)))
    .reduce((sum, seconds) => sum + seconds, cpuSeconds(Number(pid), true));
}
