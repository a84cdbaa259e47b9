/** `zukan import --watch` over some scans, with changes in the folder before each of them. */

import { Readable, Writable } from 'node:stream';
import { mock } from 'node:test';
import type { Rating } from '../../src/catalogue/schemas.ts';
import { GRACE_MS, watchCommand } from '../../src/cli/importing/watch.ts';
import { configFor } from '../support/zukan/service.ts';
import type { Year } from './year.ts';

export interface Watching {
  prune: boolean;
  defaultRating: Rating;
  /** What happens between two scans. */
  moments: { minutes: number; change: (year: Year) => void }[];
}

export async function watchFolder(year: Year, { prune, defaultRating, moments }: Watching): Promise<void> {
  const model = new WatchModel(year, prune, defaultRating);
  const remaining = [...moments];
  let output = '';
  const collect = new Writable({
    write(chunk, _encoding, done) {
      output += chunk;
      done();
    },
  });
  const wait = async () => {
    const printed = output;
    output = '';
    await model.scan(printed);
    const moment = remaining.shift();
    if (!moment) return process.emit('SIGINT');
    mock.timers.tick(moment.minutes * 60_000);
    year.folder.finishPictures();
    moment.change(year);
  };
  await watchCommand(
    configFor(year.root, year.environment),
    [year.folder.root],
    { defaultRating, ...(prune && { prune, yes: true }) },
    { stdin: Readable.from([]), stdout: collect, stderr: collect },
    { clock: Date.now, steadyClock: Date.now, wait: async () => void (await wait()), watch: () => undefined },
  );
  // A program that writes a file ends some time.
  year.folder.finishPictures();
  year.count(prune ? 'watch and prune' : 'watch');
}

class WatchModel {
  readonly #year: Year;
  readonly #prune: boolean;
  readonly #defaultRating: Rating;
  /** The fingerprints of new and changed files in the last scan. */
  #seen = new Map<string, string>();
  /** Since when pictures are gone, and since when certainly. */
  #gone = new Map<number, number>();
  #certainlyGone = new Map<number, number>();

  constructor(year: Year, prune: boolean, defaultRating: Rating) {
    this.#year = year;
    this.#prune = prune;
    this.#defaultRating = defaultRating;
  }

  async scan(printed: string): Promise<void> {
    const { folder, imports } = this.#year;
    const fingerprints = new Map(folder.paths.map((path) => [path, folder.fingerprint(path)]));
    const isSettled = (path: string) =>
      imports.isKnown(path) || this.#seen.get(path) === fingerprints.get(path);
    const settled = new Set(folder.paths.filter(isSettled));
    this.#seen = fingerprints;
    await this.#year.checkImport({ full: false, defaultRating: this.#defaultRating }, printed, (path) =>
      settled.has(path),
    );
    if (this.#prune && settled.size === folder.paths.length) this.#pruneModel(Date.now());
    await this.#year.compare();
  }

  #pruneModel(now: number): void {
    const { imports } = this.#year;
    const found = imports.findGone();
    const certain = [...found].filter(([, { isCertain }]) => isCertain);
    this.#gone = new Map(found.keys().map((picture) => [picture, this.#gone.get(picture) ?? now]));
    this.#certainlyGone = new Map(
      certain.map(([picture]) => [picture, this.#certainlyGone.get(picture) ?? now]),
    );
    const expired = (since: Map<number, number>) =>
      [...since].flatMap(([picture, at]) => (now - at >= GRACE_MS ? picture : []));
    imports.mayBeGone(expired(this.#gone));
    imports.prune(new Map(expired(this.#certainlyGone).map((picture) => [picture, { isCertain: true }])));
  }
}
