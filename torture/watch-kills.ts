/**
 * Kills `zukan import --watch` while pictures come, move, are copied, edited, written slowly and deleted. Afterwards, and after it
 * was started again, each picture has its image, with the id and the decisions that it had before, and no rating is milder.
 */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import type { Rating } from '../src/catalogue/schemas.ts';
import { GRACE_MS } from '../src/cli/importing/watch.ts';
import { isLower } from '../test/lifecycle/sidecars.ts';
import { launchUntil, type Moment, traceIn } from '../test/support/zukan/run-until.ts';
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
  nsfw: Rating;
  /** Those of the decided fields. */
  title: string;
  decided: string;
}

/** What a watched folder and its catalogue have to be like. */
export class WatchedPlace {
  readonly place: Place;
  readonly isPruned: boolean;
  readonly folder: WatchedFolder;
  /** What the catalogue has besides the images of the folder, as lines. */
  #other: string[] = [];
  /** Images by picture, as they were seen last. */
  #images = new Map<number, Image>();
  /** The mildest rating of pictures since one of their files became another picture. */
  readonly #mildest = new Map<number, Rating>();
  /** The picture of an image that was removed by hand, which stays in the folder. */
  #removed = Number.NaN;

  constructor(place: Place, isPruned: boolean) {
    this.place = place;
    this.isPruned = isPruned;
    this.folder = new WatchedFolder(`${place.dataDir} watched`);
  }

  /** Imports the folder, edits one image and removes another. */
  async prepare(random: Random): Promise<void> {
    const { environment } = this.place;
    this.#other = linesOf(await this.place.contents());
    await runOrThrow(['import', '--quiet', this.folder.root], environment);
    await this.verify(true);
    this.folder.noteImport();
    const [[removed, { id }]] = [...this.#images] as [[number, Image]];
    await runOrThrow(['remove', '--yes', id], environment);
    this.#removed = removed;
    this.#images.delete(removed);
    const ids = [...this.#images.values()].map((image) => image.id);
    const isOther = (line: string) => !ids.includes((JSON.parse(line) as Image).id);
    this.#other = linesOf(await this.place.contents()).filter(isOther);
    for (let count = 1 + random.below(3); count > 0; count--) await this.decide(random);
  }

  async decide(random: Random): Promise<void> {
    const known = [...this.#images].filter(([picture]) => this.folder.present.has(picture));
    const [picture, image] = random.pick(known);
    const nsfw = random.pick(['questionable', 'nsfw'] as const);
    const title = `mine ${random.below(1000)}`;
    const edit = ['edit', image.id, '--rating', nsfw, '--title', title];
    await runOrThrow(edit, this.place.environment);
    // Nobody knows whether the other picture of a file was imported before or after this.
    if ([...this.folder.replaced.values()].some(({ former }) => former === picture))
      this.#mildest.set(picture, milder(this.#mildest.get(picture) ?? nsfw, image.nsfw));
    this.#images.set(picture, { ...image, nsfw, title, decided: 'rating,title' });
  }

  /** `isSettled` is whether everything in the folder has been imported. */
  async verify(isSettled: boolean): Promise<void> {
    const lines = linesOf(await this.place.contents());
    const lost = this.#other.find((line) => !lines.includes(line));
    if (lost) throw new Error(`lost or changed: ${lost}`);
    const images = this.#imagesIn(lines);
    this.#verifyKept(images);
    this.#verifyReplaced(images);
    if (isSettled) {
      const { present } = this.folder;
      const missing = present.difference(images).difference(new Set([this.#removed]));
      if (missing.size > 0) throw new Error(`not imported: ${[...missing]}`);
      const kept = this.isPruned ? new Set(images.keys()).difference(present) : new Set();
      if (kept.size > 0) throw new Error(`not pruned: ${[...kept]}`);
    }
    this.#images = images;
  }

  #imagesIn(lines: string[]): Map<number, Image> {
    const images = new Map<number, Image>();
    for (const line of lines.filter((line) => !this.#other.includes(line))) {
      const { type, id, key, nsfw, edited, title = '', meta } = JSON.parse(line);
      if (type !== 'image') continue;
      const picture = this.folder.complete.get(meta.eTag);
      if (picture === undefined) throw new Error(`half a file was imported: ${key}`);
      if (picture === this.#removed) throw new Error(`a removed picture came back: ${key}`);
      if (images.has(picture)) throw new Error(`a picture has two images: ${key}`);
      // That the file changed since somebody rated it is a remark about the rating.
      const decided = (edited as string[]).filter((field) => field !== 'file-changed').sort();
      images.set(picture, { id, nsfw, title: decided.includes('title') ? title : '', decided: `${decided}` });
    }
    return images;
  }

  /** Every image is still that of its picture, or of the version that the file became. */
  #verifyKept(images: Map<number, Image>): void {
    const { present, replaced } = this.folder;
    for (const [picture, image] of this.#images) {
      const versions = [...replaced].filter(([, { former, isSame }]) => isSame && former === picture);
      const pictures = [picture, ...versions.map(([version]) => version)];
      const now = pictures.map((one) => images.get(one)).find((found) => found !== undefined);
      // What is gone from the folder may be pruned.
      if (!now && this.isPruned && !pictures.some((one) => present.has(one))) continue;
      if (JSON.stringify(now) !== JSON.stringify(image))
        throw new Error(`an image was ${JSON.stringify(image)} and is ${JSON.stringify(now)}`);
    }
  }

  #verifyReplaced(images: Map<number, Image>): void {
    for (const [picture, { former, isSame }] of this.folder.replaced) {
      const [before, now] = [this.#images.get(former), images.get(picture)];
      if (!before || !now || this.#images.has(picture)) continue;
      const rating = milder(before.nsfw, this.#mildest.get(former) ?? before.nsfw);
      if (isLower(now.nsfw, rating))
        throw new Error(`rated ${now.nsfw}, but its file was ${rating}: ${now.id}`);
      if (now.id === before.id && !isSame) throw new Error(`another picture got the id ${now.id}`);
    }
  }
}

const milder = (one: Rating, other: Rating): Rating => (isLower(one, other) ? one : other);
const linesOf = (contents: string) => contents.split('\n').filter(Boolean);

/** Starts the watcher, changes the folder while it runs, and kills it or lets it stop. Returns how many operations it made. */
export async function watchFolder(
  watched: WatchedPlace,
  random: Random,
  moment: Moment = {},
): Promise<number> {
  const { place, folder, isPruned } = watched;
  const command = [folder.root, ...(isPruned ? ['--prune'] : [])];
  const { child, ended } = launchUntil(moment, command, place.environment, { program });
  // It may be killed while we write.
  child.stdin?.on('error', () => {});
  await changeDuring(child, watched, random);
  const { status, errors, ...rest } = await ended;
  if (moment.operation !== undefined || moment.ms !== undefined) return 0;
  if (status !== 0 || errors.includes('trying again')) throw new Error(`the watcher failed: ${errors}`);
  return traceIn({ status, errors, ...rest }).operations;
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
    folder.noteScan();
    folder.finishPictures();
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
