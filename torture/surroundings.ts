/** What is around a catalogue fails: its disk is full before anything starts, and the clock jumps both ways. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../src/lib/clock.ts';
import { uuid } from '../test/support/catalogues/catalogue.ts';
import { fillDisk, mountDisk } from '../test/support/servers/mount.ts';
import { launch, runCommand, serve } from '../test/support/zukan/program.ts';
import { launchUntil } from '../test/support/zukan/run-until.ts';
import type { Place } from './kill-stores.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenarios.ts';
import { type Environment, runOrThrow } from './servers.ts';
import { verify, verifyStorage } from './verify.ts';

const DISK_BYTES = 16 * 1024 * 1024;

/** The catalogue can be served, read and backed up; what needs space is refused and changes nothing. */
export async function fillBeforeStart(
  scenario: Scenario,
  place: Place,
  random: Random,
  work: (place: Place) => Promise<void>,
): Promise<string> {
  using disk = mountDisk(DISK_BYTES);
  const onDisk = await place.copy(join(disk.folder, 'data'));
  // A server that never started would have to write its keys.
  const environment = { ...onDisk.environment, LINK_KEYS: 'k'.repeat(32) };
  await work(onDisk);
  await onDisk.settle();
  fillDisk(disk.folder);
  await checkServer(environment);
  const found = await onDisk.contents();
  const backup = `${place.dataDir} backup`;
  for (const command of [['stats'], ['find'], ['backup', '--quiet', backup]])
    await runOrThrow(command, environment);
  await runOrThrow(['restore', '--check', '--quiet', backup], {});
  const { status, errors } = await runCommand(scenario.command, environment);
  // Unless it was killed after its commit, so that nothing is left to do.
  if (status !== 0 && !/no space left|disk is full/.test(errors))
    throw new Error(`the import failed: ${errors}`);
  if (status !== 0 && (await onDisk.contents()) !== found)
    throw new Error('a refused import changed something');
  rmSync(join(disk.folder, 'filling'));
  const left = await verify(scenario, onDisk, random);
  await onDisk.remove();
  return `on a full disk, then ${left}`;
}

async function checkServer(environment: Environment): Promise<void> {
  await using running = await serve({ ...environment, LOG_LEVEL: 'silent' }, [], launch);
  const ready = (await (await fetch(`${running.origin}/health/ready`)).json()) as { parts?: object };
  if (!('disk' in (ready.parts ?? {})))
    throw new Error(`the full disk is not reported: ${JSON.stringify(ready)}`);
  const { status } = await fetch(`${running.origin}/api/image/random`);
  if (status !== 200) throw new Error(`status ${status} on a full disk`);
}

const clockFlags = [`--import=${join(import.meta.dirname, '../test/support/zukan/later.ts')}`];
const STEPS = 5;
/** Of an edit. */
const OPERATIONS = 25;

/** Neither the trash nor the history expires. */
export async function moveClock({ before }: Scenario, place: Place, random: Random): Promise<string> {
  const environment = { ...place.environment, HISTORY_DAYS: '30' };
  const id = uuid(4, 2);
  await runOrThrow(['trash', id], environment);
  const changes = async () =>
    (JSON.parse(await runOrThrow(['history', '--json', '--limit', '100'], environment)) as unknown[]).length;
  let [day, isSmall, logged, kills] = [0, false, await changes(), 0];
  for (let step = 0; step <= STEPS; step++) {
    // A small step after each jump: fewer days than anything is kept for.
    isSmall = !isSmall && random.chance(0.5);
    day =
      step === STEPS
        ? 0
        : day + random.pick([1, -1]) * (isSmall ? 1 + random.below(13) : 15 + random.below(800));
    const isKilled = random.chance(0.3);
    const operation = isKilled ? 1 + random.below(OPERATIONS) : 0;
    const variables = { ...environment, CLOCK_AHEAD_MS: String(day * DAY_MS) };
    const edit = ['edit', uuid(4, 0), '--title', `step ${step}`];
    const { status, signal, errors } = await launchUntil({ operation }, edit, variables, {
      flags: clockFlags,
    }).ended;
    if (signal === 'SIGKILL') kills++;
    else if (status !== 0) throw new Error(`on day ${day}: ${errors}`);
    await place.settle();
    const trash = await runOrThrow(['trash', '--json'], environment);
    if (!trash.includes(id)) throw new Error(`the trash was emptied on day ${day}`);
    const now = await changes();
    if (now < logged) throw new Error(`changes were forgotten on day ${day}`);
    logged = now;
  }
  await runOrThrow(['trash', '--restore', id], environment);
  const contents = await place.contents();
  if (contents.split('\n').length < before.split('\n').length) throw new Error('an image is missing');
  await verifyStorage(place, contents);
  return `with a clock that jumps, ${kills} kills`;
}
