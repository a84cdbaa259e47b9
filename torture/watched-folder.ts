/** A folder of pictures that changes at random while it is watched, and which pictures it has. */
import { hash } from 'node:crypto';
import { appendFileSync, copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tinyPicture } from '../test/support/pictures/tiny.ts';
import type { Random } from './random.ts';

/** Without these bytes at its end a picture can be read nevertheless: nobody sees that half of the file is missing. */
const TAIL = Buffer.from('the end of the file');
const MIN_FILES = 4;

export class WatchedFolder {
  readonly root: string;
  /** The hash of the picture at each path. */
  readonly #files = new Map<string, string>();
  /** What is left to write, and what the file will be then. */
  readonly #unfinished = new Map<string, { rest: Buffer; picture: string }>();
  /** The hashes of all pictures that were ever complete. */
  readonly complete = new Set<string>();
  #count = 0;

  constructor(root: string) {
    this.root = root;
    while (this.#files.size < 2 * MIN_FILES) this.add();
  }

  /** The pictures that are there now. */
  get pictures(): Set<string> {
    return new Set(this.#files.values());
  }

  /** Writes the second half of files that are being written. */
  finishWrites(): void {
    for (const [path, { rest, picture }] of this.#unfinished) {
      appendFileSync(join(this.root, path), rest);
      this.#note(path, picture);
    }
    this.#unfinished.clear();
  }

  /** A new picture. */
  add(path = `first/${++this.#count}.png`): void {
    const { bytes, picture } = this.#newPicture();
    this.#write(path, bytes);
    this.#note(path, picture);
  }

  change(random: Random): void {
    const path = `${random.pick(['first', 'second', 'third/deep'])}/${++this.#count}.png`;
    const existing = random.pick([...this.#files.keys()]);
    const isLast = this.#files.size <= MIN_FILES;
    random.pick([
      () => this.add(path),
      () => this.#begin(path, random),
      () => this.#move(existing, path),
      () => this.#copy(existing, path),
      () => (isLast ? this.add(path) : this.#remove(existing)),
      () => (isLast ? this.add(path) : this.#replace(existing)),
    ])();
  }

  #begin(path: string, random: Random): void {
    const { bytes, picture } = this.#newPicture();
    const length = random.pick([60, bytes.length - TAIL.length]);
    this.#write(path, bytes.subarray(0, length));
    this.#unfinished.set(path, { rest: bytes.subarray(length), picture });
  }

  #move(from: string, to: string): void {
    mkdirSync(dirname(join(this.root, to)), { recursive: true });
    renameSync(join(this.root, from), join(this.root, to));
    this.#note(to, this.#files.get(from) as string);
    this.#files.delete(from);
  }

  #copy(from: string, to: string): void {
    mkdirSync(dirname(join(this.root, to)), { recursive: true });
    copyFileSync(join(this.root, from), join(this.root, to));
    this.#note(to, this.#files.get(from) as string);
  }

  #remove(path: string): void {
    rmSync(join(this.root, path));
    this.#files.delete(path);
  }

  /** By another picture, at once, as careful programs write. */
  #replace(path: string): void {
    const { bytes, picture } = this.#newPicture();
    this.#write('unnamed', bytes);
    renameSync(join(this.root, 'unnamed'), join(this.root, path));
    this.#note(path, picture);
  }

  #newPicture(): { bytes: Buffer; picture: string } {
    const bytes = Buffer.concat([tinyPicture(++this.#count), TAIL]);
    return { bytes, picture: hash('sha256', bytes) };
  }

  #write(path: string, bytes: Buffer): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), bytes);
  }

  #note(path: string, picture: string): void {
    this.#files.set(path, picture);
    this.complete.add(picture);
  }
}
