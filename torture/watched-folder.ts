/**
 * A folder that changes at random while it is watched. Every picture is new, a copy, or another version of the one at its path, so
 * that it is certain which image it has to be.
 */
import { hash } from 'node:crypto';
import { extname } from 'node:path';
import { DAMAGED, Folder } from '../test/lifecycle/folder.ts';
import { editsOf, paintAll, paintedAs, pictureBytes, TAIL } from '../test/lifecycle/pictures.ts';
import type { Random } from './random.ts';

const MIN_FILES = 4;
/** How many scans have to find the same file until it is imported for certain: one may have missed it, another one waits. */
const SCANS = 3;
/** Numbers of tiny pictures begin here; a folder has at most so many paintings. */
const [FIRST_TINY, PAINTINGS] = [100, 24];
await paintAll(PAINTINGS);

export class WatchedFolder extends Folder {
  /** Pictures that were ever complete, by the hash of their bytes. */
  readonly complete = new Map<string, number>();
  /** What a picture replaced at its path when that was imported, and whether it is the same image. */
  readonly replaced = new Map<number, { former: number; isSame: boolean }>();
  readonly #scans = new Map<string, { stamp: number; count: number }>();
  #count = 0;

  constructor(root: string) {
    super(root);
    while (this.pictures.size < 2 * MIN_FILES) this.add();
  }

  /** The pictures that are there now. */
  get present(): Set<number> {
    return new Set(this.paths.map((path) => this.pictureAt(path)).filter((picture) => picture !== DAMAGED));
  }

  override writePicture(path: string, picture: number): void {
    super.writePicture(path, picture);
    this.complete.set(hash('sha256', pictureBytes(picture)), picture);
  }

  /** A new picture. */
  add(path = `first/${this.#count + 1}.png`): void {
    this.writePicture(path, this.#newPicture());
  }

  /** The watcher has scanned the folder once more, or all of it has been imported. */
  noteScan(count = 1): void {
    for (const [path, { stamp }] of this.pictures) {
      const seen = this.#scans.get(path);
      this.#scans.set(path, { stamp, count: (seen?.stamp === stamp ? seen.count : 0) + count });
    }
  }

  noteImport(): void {
    this.noteScan(SCANS);
  }

  /** The next watcher does not know what this one was waiting for. */
  forgetScans(): void {
    for (const [path, { count }] of this.#scans) if (count < SCANS) this.#scans.delete(path);
  }

  change(random: Random): void {
    const path = `${random.pick(['first', 'second', 'third/deep'])}/${this.#count + 1}.png`;
    const free = this.paths.filter((one) => this.pictureAt(one) !== DAMAGED && !this.#isBeingReplaced(one));
    const existing = random.pick(free);
    const isKept = existing === undefined || this.present.size <= MIN_FILES;
    if (existing === undefined || random.chance(0.3)) {
      if (random.chance(0.5)) this.add(path);
      else this.#begin(path, random);
      return;
    }
    random.pick([
      () => this.move(existing, path, false),
      () => this.writePicture(path, this.pictureAt(existing)),
      () => (isKept ? this.add(path) : this.removePicture(existing)),
      () => (isKept ? this.add(path) : this.#replace(existing, this.#newPicture())),
      () => this.#edit(existing, random),
      () => this.#edit(existing, random),
    ])();
  }

  #begin(path: string, random: Random): void {
    const picture = this.#newPicture();
    this.beginPicture(path, picture, random.pick([60, pictureBytes(picture).length - TAIL.length]));
  }

  /** As a program saves a picture: with a comment, cropped, converted or turned. */
  #edit(path: string, random: Random): void {
    const next = editsOf(this.pictureAt(path));
    const isOnly = this.paths.filter((one) => this.pictureAt(one) === this.pictureAt(path)).length === 1;
    if (next.length === 0 || !isOnly || !this.#isImported(path)) return;
    const { edit, number } = random.pick(next);
    const target = edit === 'converted' ? path.replace(extname(path), '.webp') : path;
    this.#replace(path, number, edit !== 'turned', target);
  }

  #replace(path: string, picture: number, isSame = false, target = path): void {
    const former = this.pictureAt(path);
    if (this.#isImported(path)) this.replaced.set(picture, { former, isSame });
    this.writePicture(target, picture);
    if (target !== path) this.removePicture(path);
  }

  #isImported(path: string): boolean {
    const seen = this.#scans.get(path);
    return seen !== undefined && seen.stamp === this.pictures.get(path)?.stamp && seen.count >= SCANS;
  }

  /** Whoever moves it now takes it away before anybody can know what it is. */
  #isBeingReplaced(path: string): boolean {
    return this.replaced.has(this.pictureAt(path)) && !this.#isImported(path);
  }

  #newPicture(): number {
    const count = this.#count++;
    const painting = count >> 1;
    return count % 2 === 0 && painting < PAINTINGS ? paintedAs(painting, 'painted') : FIRST_TINY + count;
  }
}
