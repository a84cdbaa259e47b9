/**
 * Takes away the database of a catalogue, empties it, or gives it the files of another one. Commands refuse and name the way out;
 * nothing is deleted, and the backup brings back everything.
 */
import { renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { filesIn } from '../test/support/checks/dump.ts';
import { psqlLater } from '../test/support/servers/postgres.ts';
import { runCommand } from '../test/support/zukan/program.ts';
import type { Place } from './kill-stores.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenarios.ts';
import { type Environment, runOrThrow } from './servers.ts';
import { verify, verifyStorage } from './verify.ts';

export const losses = ['lost database', 'emptied database', 'swapped files'] as const;
type Loss = (typeof losses)[number];

/** A server that does not refuse to start runs for ever. */
const MAX_MS = 60_000;
const didNotEnd = { status: null, output: '', errors: 'it did not end' };
const WAYS_OUT = /"zukan (restore <folder>|adopt)"/;

/** `other` is another catalogue. `work`, which may kill a command, happens between the backup and the loss. */
export async function lose(
  loss: Loss,
  scenario: Scenario,
  other: Place,
  place: Place,
  random: Random,
  work: () => Promise<void>,
): Promise<string> {
  const data = place.dataDir;
  const backup = `${data} backup`;
  await runOrThrow(['backup', '--quiet', backup], place.environment);
  await work();
  await place.settle();
  const hasEnded = !place.stored().some((name) => name.includes('.intake-'));
  const isImported = hasEnded && (await place.contents()) === scenario.after;
  if (loss === 'swapped files') {
    const another = await other.copy();
    const theirs = another.dataDir;
    swap(data, theirs);
    for (const environment of [place.environment, another.environment])
      await assertRefused(environment, [backup, data, theirs], [['entry', 'artist', 'Ann', '--create']]);
    swap(data, theirs);
    await another.remove();
    return `with files of another one, then ${await verify(scenario, place, random)}`;
  }
  const database = join(data, 'zukan.db');
  const url = place.environment.DATABASE_URL;
  if (url) await psqlLater(url, 'drop schema zukan cascade');
  else if (loss === 'emptied database') truncateSync(database);
  else
    for (const end of ['', ...random.pick([['-wal', '-shm'], []])]) rmSync(database + end, { force: true });
  await assertRefused(place.environment, [backup, data], [['stats'], ['export'], ['check']]);
  // As the message says.
  if (!url && loss === 'emptied database') renameSync(database, `${data} emptied.db`);
  await runOrThrow(['restore', '--quiet', backup], place.environment);
  const restored = await place.contents();
  if (restored !== scenario.before) throw new Error('the restored catalogue is not that of the backup');
  // The pictures of an import since the backup are still stored: somebody may want to import them again.
  if (isImported) await runOrThrow(['check', '--quiet', '--repair'], place.environment);
  await verifyStorage(place, restored);
  return isImported ? 'lost with an import and restored' : 'lost and restored';
}

function swap(one: string, other: string): void {
  renameSync(join(one, 'files'), `${one} files`);
  renameSync(join(other, 'files'), join(one, 'files'));
  renameSync(`${one} files`, join(other, 'files'));
}

/** `folders` have to stay as they are. */
async function assertRefused(
  environment: Environment,
  folders: [backup: string, ...string[]],
  more: string[][],
): Promise<void> {
  const [backup] = folders;
  const contents = () => folders.flatMap(pictures).join('\n');
  const before = contents();
  const changing = [['backup', backup], ['backup', '--keep', '3', backup], ['check', '--repair'], ['serve']];
  for (const command of [...changing, ['import', '-'], ...more]) {
    const run = runCommand(command, { ...environment, PORT: '0' }, '{"type":"artist","name":"Ann"}\n');
    const { status, output, errors } = await Promise.race([
      run,
      setTimeout(MAX_MS, didNotEnd, { ref: false }),
    ]);
    if (status !== 1 || output !== '' || !WAYS_OUT.test(errors))
      throw new Error(`zukan ${command.join(' ')} exited with ${status}: ${output}${errors}`);
    if (contents() !== before) throw new Error(`zukan ${command.join(' ')} changed files`);
  }
}

/** Everything that is not a database, which even reading may change. */
const pictures = (folder: string) => filesIn(folder).filter((line) => !/\.(db|lock)(-wal|-shm)? /.test(line));
