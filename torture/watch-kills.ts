/**
 * Kills `zukan import --watch` while pictures come, move, are copied, written slowly and deleted. Afterwards, and after it was
 * started again, each picture has its image, with the id and the decisions that it had before.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { GRACE_MS } from '../src/cli/importing/watch.ts';
import { launch } from '../test/support/zukan/program.ts';
import type { Place } from './kill-stores.ts';
import type { Random } from './random.ts';
import { runOrThrow } from './servers.ts';
import { WatchedFolder } from './watched-folder.ts';

const program = join(import.meta.dirname, 'watcher.ts');
const ROUNDS = 8;
/** Enough for everything to settle and to be imported. */
const QUIET_ROUNDS = 3;
const MAX_CHANGES = 3;
/** How long a scan may run before something changes. */
const MAX_RACE_MS = 40;

interface Image {
  id: string;
  nsfw: string;
  edited: string[];
}

/** What a watched folder and its catalogue have to be like. */
export class WatchedPlace {
  readonly place: Place;
  readonly isPruned: boolean;
  readonly folder: WatchedFolder;
  /** What the catalogue has besides the images of the folder, as lines. */
  #other: string[] = [];
  /** Images by picture, as they were seen last. */
  #images = new Map<string, Image>();
  /** The picture of an image that was removed by hand, which stays in the folder. */
  #removed = '';

  constructor(place: Place, isPruned: boolean) {
    this.place = place;
    this.isPruned = isPruned;
    this.folder = new WatchedFolder(`${place.environment.DATA_DIR} watched`);
  }

  /** Imports the folder, edits one image and removes another. */
  async prepare(random: Random): Promise<void> {
    const { environment } = this.place;
    this.#other = linesOf(await this.place.contents());
    await runOrThrow(['import', '--quiet', this.folder.root], environment);
    await this.verify(true);
    const [[removed, { id }]] = [...this.#images] as [[string, Image]];
    await runOrThrow(['remove', '--yes', id], environment);
    this.#removed = removed;
    this.#images.delete(removed);
    const ids = [...this.#images.values()].map((image) => image.id);
    const isOther = (line: string) => !ids.includes((JSON.parse(line) as Image).id);
    this.#other = linesOf(await this.place.contents()).filter(isOther);
    await this.decide(random);
  }

  async decide(random: Random): Promise<void> {
    const known = [...this.#images].filter(([picture]) => this.folder.pictures.has(picture));
    const [picture, image] = random.pick(known);
    const nsfw = random.pick(['questionable', 'nsfw']);
    await runOrThrow(['edit', image.id, '--rating', nsfw], this.place.environment);
    this.#images.set(picture, { ...image, nsfw, edited: ['rating'] });
  }

  /** `isSettled` is whether everything in the folder has been imported. */
  async verify(isSettled: boolean): Promise<void> {
    const lines = linesOf(await this.place.contents());
    const lost = this.#other.find((line) => !lines.includes(line));
    if (lost) throw new Error(`lost or changed: ${lost}`);
    const present = this.folder.pictures;
    const images = new Map<string, Image>();
    for (const line of lines.filter((line) => !this.#other.includes(line))) {
      const { type, id, key, nsfw, edited, meta } = JSON.parse(line);
      if (type !== 'image') continue;
      const picture = meta.eTag as string;
      if (!this.folder.complete.has(picture)) throw new Error(`half a file was imported: ${key}`);
      if (picture === this.#removed) throw new Error(`a removed picture came back: ${key}`);
      if (images.has(picture)) throw new Error(`a picture has two images: ${key}`);
      images.set(picture, { id, nsfw, edited });
    }
    for (const [picture, image] of this.#images) {
      const now = images.get(picture);
      // What is gone from the folder may be pruned.
      if (!now && this.isPruned && !present.has(picture)) continue;
      if (JSON.stringify(now) !== JSON.stringify(image))
        throw new Error(`an image was ${JSON.stringify(image)} and is ${JSON.stringify(now)}`);
    }
    if (isSettled) {
      const missing = present.difference(images).difference(new Set([this.#removed]));
      if (missing.size > 0) throw new Error(`not imported: ${[...missing]}`);
      const kept = this.isPruned ? new Set(images.keys()).difference(present) : new Set();
      if (kept.size > 0) throw new Error(`not pruned: ${[...kept]}`);
    }
    this.#images = images;
  }
}

const linesOf = (contents: string) => contents.split('\n').filter(Boolean);

/** When to kill: before an operation, or after a time. Neither lets it live. */
export interface Moment {
  operation?: number;
  ms?: number;
}

/** Starts the watcher, changes the folder while it runs, and kills it or lets it stop. Returns how many operations it made. */
export async function watchFolder(
  watched: WatchedPlace,
  random: Random,
  traceFlags: string[],
  moment: Moment = {},
): Promise<number> {
  const { place, folder, isPruned } = watched;
  const flags = isPruned ? ['--prune'] : [];
  const environment = { ...place.environment, KILL_AT: String(moment.operation ?? 0) };
  const child = launch([folder.root, ...flags], environment, traceFlags, program);
  const ended = once(child, 'close') as Promise<[number | null]>;
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  // It may be killed while we write.
  child.stdin?.on('error', () => {});
  const isMortal = moment.operation !== undefined || moment.ms !== undefined;
  if (moment.ms !== undefined) void killLater(child, ended, moment.ms);
  await changeDuring(child, watched, random);
  const [status] = await ended;
  if (isMortal) return 0;
  const [last = ''] = errors.trim().split('\n').slice(-1);
  if (status !== 0 || errors.includes('trying again')) throw new Error(`the watcher failed: ${errors}`);
  return (JSON.parse(last) as { operations: number }).operations;
}

async function killLater(child: ChildProcess, ended: Promise<unknown>, ms: number): Promise<void> {
  await Promise.race([ended, setTimeout(ms, undefined, { ref: false })]);
  child.kill('SIGKILL');
}

/** Before each scan and during some of them. */
async function changeDuring(
  { stdin, stdout }: ChildProcess,
  watched: WatchedPlace,
  random: Random,
): Promise<void> {
  const { folder, isPruned } = watched;
  let [round, racing]: [number, Promise<void> | undefined] = [0, undefined];
  const change = () => {
    for (let changes = random.below(MAX_CHANGES + 1); changes > 0; changes--) folder.change(random);
  };
  const race = async (ms: number) => {
    await setTimeout(ms);
    change();
  };
  for await (const line of createInterface({ input: stdout as NodeJS.ReadableStream })) {
    if (line !== 'waiting') continue;
    await racing;
    racing = undefined;
    folder.finishWrites();
    const isChanging = ++round <= ROUNDS;
    const isGraceOver = isPruned && (isChanging ? random.chance(0.3) : round === ROUNDS + QUIET_ROUNDS);
    // A picture that moves while a scan looks for it may be missed, but must not be by two of them.
    const isRacing = isChanging && !isGraceOver && random.chance(0.5);
    if (isChanging && random.chance(0.2)) await watched.decide(random);
    if (isChanging && !isRacing) change();
    if (round > ROUNDS + 2 * QUIET_ROUNDS) stdin?.end();
    else stdin?.write(`${isGraceOver ? GRACE_MS : 0}\n`);
    if (isRacing) racing = race(random.below(MAX_RACE_MS));
  }
  await racing;
}
