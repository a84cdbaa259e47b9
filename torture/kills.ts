/**
 * Kills commands and servers at random moments. Afterwards the catalogue is the old or the new one, and the next command
 * that changes it leaves nothing behind.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Progress } from '../src/cli/terminal/progress.ts';
import { inParallel } from '../src/lib/parallel.ts';
import { launch, runCommand, serve } from '../test/support/zukan/program.ts';
import { newPlaces, type Place } from './kill-stores.ts';
import { type Random, randomFor } from './random.ts';
import type { Report } from './report.ts';
import { prepareScenarios, type Scenario, type Subject, subjects, traceFlags } from './scenarios.ts';
import { type Engines, runOrThrow, stop } from './servers.ts';
import { type Moment, WatchedPlace, watchFolder } from './watch-kills.ts';

const CONCURRENT = 2;

export interface KillOptions {
  seed: number;
  kills: number;
  report: Report;
  progress: Progress;
  isOver: () => boolean;
}

export async function kill(folder: string, engines: Engines, options: KillOptions): Promise<void> {
  const places = newPlaces(folder, engines);
  const kills = Array.from({ length: options.kills }, (_, number) => {
    const [store, place] = places[number % places.length] as (typeof places)[number];
    const subject = subjects[number % subjects.length] as Subject;
    options.report.row(rowOf(store, subject));
    // A server is killed while it serves an import.
    return { number, subject, store, place, command: subject === 'server' ? 'import' : subject } as const;
  });
  const scenarios = new Map<string, Scenario>();
  const empty = new Map(newPlaces(join(folder, 'empty'), engines));
  for (const [store, place] of places) {
    const commands = new Set(kills.filter((one) => one.place === place).map(({ command }) => command));
    const prepared = await prepareScenarios(folder, store, place, empty.get(store) as Place, commands);
    for (const [command, scenario] of prepared) scenarios.set(`${store} ${command}`, scenario);
  }
  await inParallel(kills, CONCURRENT, async ({ number, subject, store, command }) => {
    if (options.isOver()) return;
    const random = randomFor(options.seed, `kill ${number}`);
    await killOnce(scenarios.get(`${store} ${command}`) as Scenario, subject, number, random, options);
  });
}

const rowOf = (store: string, subject: string) => `kill, ${store}: ${subject}`;

async function killOnce(
  scenario: Scenario,
  subject: Subject,
  number: number,
  random: Random,
  { seed, report, progress }: KillOptions,
): Promise<void> {
  const what = rowOf(scenario.store, subject);
  const place = await scenario.place.copy();
  const startedAt = performance.now();
  let moment = '';
  try {
    const note = (text: string) => {
      moment = text;
    };
    const outcome =
      subject === 'watch' || subject === 'watch and prune'
        ? await killWatcher(scenario, place, subject === 'watch and prune', random, note)
        : await killAndVerify(scenario, subject, place, random, note);
    report.countOutcome('catalogues after a kill', outcome);
    await place.remove();
  } catch (error) {
    // The place stays for a look at it, until the run ends.
    report.fail(
      what,
      (error as Error).message,
      `seed ${seed}, kill ${number}, ${moment} of zukan ${scenario.command.join(' ')}`,
    );
  }
  report.add(what, performance.now() - startedAt);
  progress.advance(1);
}

async function killAndVerify(
  scenario: Scenario,
  subject: Subject,
  place: Place,
  random: Random,
  note: (moment: string) => void,
): Promise<string> {
  if (subject === 'server') note(await killServer(scenario, place, random));
  else await killCommand(scenario, place, random, note);
  await place.settle();
  return verify(scenario, place, random);
}

/** Before one of its operations on files and the database, or at any time. */
function drawMoment({ operations, ms }: Scenario, random: Random): Moment {
  if (random.chance(0.3)) return { ms: Math.round(ms * 0.3) + random.below(Math.round(ms * 0.8)) };
  return { operation: 1 + random.below(operations) };
}

const describeMoment = ({ operation, ms }: Moment) =>
  operation === undefined ? `killed after ${ms} ms` : `killed before operation ${operation}`;

async function killCommand(
  scenario: Scenario,
  place: Place,
  random: Random,
  note: (moment: string) => void,
): Promise<void> {
  const moment = drawMoment(scenario, random);
  note(describeMoment(moment));
  const environment = { ...place.environment, KILL_AT: String(moment.operation ?? 0) };
  await endOf(launch(scenario.command, environment, traceFlags), moment.ms);
}

/** Started again, it imports the rest, and removes what was left behind. */
async function killWatcher(
  scenario: Scenario,
  place: Place,
  isPruned: boolean,
  random: Random,
  note: (moment: string) => void,
): Promise<string> {
  const watched = new WatchedPlace(place, isPruned);
  await watched.prepare(random);
  const moment = drawMoment(scenario, random);
  note(describeMoment(moment));
  await watchFolder(watched, random, traceFlags, moment);
  await place.settle();
  await watched.verify(false);
  watched.folder.add();
  await watchFolder(watched, random, traceFlags);
  await place.settle();
  await watched.verify(true);
  await verifyStorage(place, await place.contents());
  return 'of a watched folder';
}

/** While it starts or serves, alone or together with an import. */
async function killServer({ command, ms }: Scenario, place: Place, random: Random): Promise<string> {
  const environment = { ...place.environment, LOG_LEVEL: 'silent', PORT: '0', RATE_LIMIT: 'off' };
  const delay = Math.round(ms * 0.5) + random.below(Math.round(ms * 1.5));
  const importing = random.chance(0.6) ? launch(command, place.environment) : undefined;
  const isKilledToo = random.chance(0.5);
  const server = launch(['serve'], environment);
  const origin = addressOf(server);
  const reading = origin.then((address) => (address ? readUntilGone(address) : undefined));
  const ends = [endOf(server, delay), importing && endOf(importing, isKilledToo ? delay : undefined)];
  await Promise.all([...ends, reading]);
  const again = await serve(environment, [], launch);
  try {
    const { status } = (await (await fetch(`${again.origin}/health/ready`)).json()) as { status: string };
    if (status !== 'ready') throw new Error(`the server is ${status} after it was killed`);
    await readGeneration(again.origin);
  } finally {
    await stop(again);
  }
  return `server killed after ${delay} ms, import ${importing ? (isKilledToo ? 'killed' : 'finished') : 'not run'}`;
}

function addressOf({ stdout }: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    stdout?.on('data', (chunk) => {
      text += chunk;
      const address = /http:\/\/\S+(?=\n)/.exec(text)?.[0];
      if (address) resolve(address);
    });
    stdout?.on('close', () => resolve(undefined));
  });
}

async function readUntilGone(origin: string): Promise<void> {
  for (;;) {
    try {
      await readGeneration(origin);
    } catch (error) {
      // fetch throws a TypeError when the connection breaks.
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

/** No response mixes the old catalogue with the new one. */
async function readGeneration(origin: string): Promise<void> {
  const response = await fetch(`${origin}/api/image/random?limit=25&categories=all`);
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`status ${response.status} from a server that is about to be killed`);
  const { data } = JSON.parse(text) as {
    data: { source: { name: string }; categories: { description: string }[] }[];
  };
  const seen = new Set(data.flatMap(({ source, categories }) => [source.name, categories[0]?.description]));
  if (seen.size !== 1) throw new Error(`a response mixes the catalogues ${[...seen].join(' and ')}`);
}

async function endOf(child: ChildProcess, killAfterMs: number | undefined): Promise<void> {
  const ended = once(child, 'close');
  // Nobody reads them, and a full pipe would stop the process.
  child.stderr?.resume();
  child.stdout?.resume();
  if (killAfterMs !== undefined) {
    await Promise.race([ended, setTimeout(killAfterMs, undefined, { ref: false })]);
    child.kill('SIGKILL');
  }
  await ended;
}

/** Returns which catalogue the kill left. A repair does not change its records. */
export async function verify(
  { command, before, after }: Scenario,
  place: Place,
  random: Random,
): Promise<string> {
  const found = await place.contents();
  if (found !== before && found !== after)
    throw new Error('the catalogue is neither the old nor the new one');
  // Removing what is gone would be an error.
  const isRepeated = command[0] === 'import' && random.chance(0.5);
  await runOrThrow(isRepeated ? command : ['check', '--quiet', '--repair'], place.environment);
  const expected = isRepeated ? after : found;
  if ((await place.contents()) !== expected) throw new Error('the next command changed the catalogue');
  await verifyStorage(place, expected);
  return before === after ? 'the same' : found === before ? 'the old one' : 'the new one';
}

/** There is what the catalogue and its trash need, and nothing else. */
async function verifyStorage(place: Place, contents: string): Promise<void> {
  const { output } = await runCommand(['check', '--quiet'], place.environment);
  if (output !== 'no problems found\n') throw new Error(`check finds problems: ${output}`);
  const { output: history } = await runCommand(['export', '--history'], place.environment);
  const keys = [...contents.split('\n'), ...history.split('\n')].filter(Boolean).map((line) => {
    const { key, image } = JSON.parse(line) as { key?: string; image?: string | { key: string } };
    return typeof image === 'object' ? image.key : key;
  });
  const unused = place.stored().filter((name) => !keys.includes(name));
  if (unused.length > 0) throw new Error(`left behind: ${unused.join(', ')}`);
}
