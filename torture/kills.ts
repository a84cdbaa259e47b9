/**
 * Kills commands, servers and the studio at random moments, and takes away what they need. Afterwards the catalogue is the old or
 * the new one, and the next command that changes it leaves nothing behind.
 */
import { join } from 'node:path';
import type { Progress } from '../src/cli/terminal/terminal.ts';
import { inParallel } from '../src/lib/concurrency.ts';
import { unlessMounting } from '../test/support/servers/mount.ts';
import { findChromium, installChromium, unless } from '../test/support/servers/needs.ts';
import { launch, serve } from '../test/support/zukan/program.ts';
import { launchUntil, type Moment } from '../test/support/zukan/run-until.ts';
import { marksIn } from './failover.ts';
import { newPlaces, type Place } from './kill-stores.ts';
import { lose } from './losses.ts';
import { type Random, randomFor } from './random.ts';
import type { Report } from './report.ts';
import { commandOf, prepareScenarios, type Scenario, type Subject, subjects } from './scenarios.ts';
import { addressOf } from './servers.ts';
import { killStudio } from './studio-kills.ts';
import { fillBeforeStart, moveClock } from './surroundings.ts';
import type { Run } from './torture.ts';
import { verify, verifyStorage } from './verify.ts';
import { WatchedPlace, watchFolder } from './watch-kills.ts';

const CONCURRENT = 2;

/** One of them, with a copy of the catalogue. */
interface Kill {
  subject: Subject;
  scenario: Scenario;
  other: Place;
  place: Place;
  random: Random;
  /** Says when something was killed, in case of a failure. */
  note(moment: string): void;
}

export async function kill(progress: Progress, run: Run): Promise<void> {
  const { folder, engines, report } = run;
  const possible = subjects.filter(isPossible());
  const [empty, other] = ['empty', 'other'].map((name) => newPlaces(join(folder, name), engines));
  const stores = newPlaces(folder, engines).map(([store, place], index) => ({
    store,
    place,
    empty: empty?.[index]?.[1] as Place,
    other: other?.[index]?.[1] as Place,
  }));
  const kills = Array.from({ length: run.kills }, (_, number) => {
    // Every subject on every store, also where there are as many of the ones as a multiple of the others.
    const [round, turn] = [Math.floor(number / possible.length), number % possible.length];
    const at = stores[(round + turn) % stores.length] as (typeof stores)[number];
    const subject = possible[turn] as Subject;
    report.row(rowOf(at.store, subject));
    return { number, subject, at };
  });
  const scenarios = new Map<string, Scenario>();
  for (const at of stores) {
    const commands = new Set(kills.filter((one) => one.at === at).map(({ subject }) => commandOf(subject)));
    const prepared = await prepareScenarios(folder, at.place, at, commands);
    for (const [command, scenario] of prepared) scenarios.set(`${at.store} ${command}`, scenario);
  }
  await inParallel(kills, CONCURRENT, async ({ number, subject, at: { store, other } }) => {
    if (run.isOver(1)) return;
    const random = randomFor(run.seed, `kill ${number}`);
    const scenario = scenarios.get(`${store} ${commandOf(subject)}`) as Scenario;
    await killOnce({ subject, scenario, other, random }, rowOf(store, subject), number, report);
    progress.advance(1);
  });
}

function isPossible(): (subject: Subject) => boolean {
  const missing = {
    studio: unless(findChromium(), 'Chromium', installChromium),
    'full disk': unlessMounting(),
  };
  return (subject) => !(missing as Partial<Record<Subject, string | false>>)[subject];
}

const rowOf = (store: string, subject: string) => `kill, ${store}: ${subject}`;

async function killOnce(
  kill: Omit<Kill, 'place' | 'note'>,
  what: string,
  number: number,
  report: Report,
): Promise<void> {
  const { scenario } = kill;
  const startedAt = performance.now();
  const moments: string[] = [];
  try {
    const place = await scenario.place.copy();
    const note = (moment: string) => void moments.push(moment);
    report.countOutcome('catalogues after a kill', await killAndVerify({ ...kill, place, note }));
    // That of a failure stays for a look at it, until the run ends.
    await place.remove();
  } catch (error) {
    const details = `kill ${number}, ${moments.join(', ')} of zukan ${scenario.command.join(' ')}`;
    report.fail(what, (error as Error).message, details);
  }
  report.add(what, performance.now() - startedAt);
}

async function killAndVerify(kill: Kill): Promise<string> {
  const { subject, scenario, other, place, random } = kill;
  const maybeKill = async (at: Place) => {
    if (random.chance(0.5)) await killCommand({ ...kill, place: at });
  };
  switch (subject) {
    case 'watch':
    case 'watch and prune':
      return killWatcher(kill);
    case 'lost database':
    case 'emptied database':
    case 'swapped files':
      return lose(subject, scenario, other, place, random, () => maybeKill(place));
    case 'full disk':
      return fillBeforeStart(scenario, place, random, maybeKill);
    case 'clock':
      return moveClock(scenario, place, random);
    case 'studio':
      return killStudio(scenario, place, random);
    case 'server':
      await killServer(kill);
      break;
    default:
      await killCommand(kill);
  }
  await place.settle();
  return verify(scenario, place, random);
}

/** Before one of its operations on files and the database, often one after its commit, or at any time. */
function drawMoment({ scenario: { operations, commit, ms }, random, note }: Kill): Moment {
  const from = random.chance(0.3) ? commit : 0;
  const moment: Moment = random.chance(0.3)
    ? { ms: Math.round(ms * 0.3) + random.below(Math.round(ms * 0.8)) }
    : { operation: from + 1 + random.below(operations - from) };
  note(`killed ${moment.operation ? `before operation ${moment.operation}` : `after ${moment.ms} ms`}`);
  return moment;
}

async function killCommand(kill: Kill): Promise<void> {
  await launchUntil(drawMoment(kill), kill.scenario.command, kill.place.environment).ended;
}

/** Started again, it imports the rest, and removes what was left behind. */
async function killWatcher(kill: Kill): Promise<string> {
  const { subject, place, random } = kill;
  const watched = new WatchedPlace(place, subject === 'watch and prune');
  await watched.prepare(random);
  await watchFolder(watched, random, drawMoment(kill));
  await place.settle();
  await watched.verify(false);
  watched.folder.forgetScans();
  watched.folder.add();
  await watchFolder(watched, random);
  await place.settle();
  await watched.verify(true);
  await verifyStorage(place, await place.contents());
  return `of a watched folder${watched.folder.replaced.size > 0 ? ' with edited pictures' : ''}`;
}

/** While it starts or serves, alone or together with an import. */
async function killServer({ scenario: { command, ms }, place, random, note }: Kill): Promise<void> {
  const environment = { ...place.environment, LOG_LEVEL: 'silent', PORT: '0', RATE_LIMIT: 'off' };
  const delay = Math.round(ms * 0.5) + random.below(Math.round(ms * 1.5));
  const isImporting = random.chance(0.6);
  const importMoment = random.chance(0.5) ? { ms: delay } : {};
  note(
    `server killed after ${delay} ms, ${isImporting ? `with an import ${JSON.stringify(importMoment)}` : 'alone'}`,
  );
  const importing = isImporting ? launchUntil(importMoment, command, place.environment).ended : undefined;
  const { child, ended } = launchUntil({ ms: delay }, ['serve'], environment);
  const reading = addressOf(child).then((address) => (address ? readUntilGone(address) : undefined));
  await Promise.all([ended, importing, reading]);
  await using again = await serve(environment, [], launch);
  const { status } = (await (await fetch(`${again.origin}/health/ready`)).json()) as { status: string };
  if (status !== 'ready') throw new Error(`the server is ${status} after it was killed`);
  await readGeneration(again.origin);
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
  const marks = marksIn(text);
  if (marks.size !== 1) throw new Error(`a response mixes the catalogues ${[...marks].join(' and ')}`);
}
