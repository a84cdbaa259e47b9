/** A folder of tiny pictures and sidecars, on disk and in memory. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pictureBytes } from './pictures.ts';
import { combine, type Sidecar, type Statement } from './sidecars.ts';

interface Written<T> {
  content: T;
  /** Another one after every write or move. */
  stamp: number;
}

/** In place of a picture's number: a file that no program can read. */
export const DAMAGED = -1;

export class Folder {
  readonly root: string;
  /** The numbers of the pictures, by path. */
  readonly pictures = new Map<string, Written<number>>();
  readonly #sidecars = new Map<string, Written<Sidecar>>();
  readonly #unfinished = new Map<string, number>();
  #stamp = 0;

  constructor(root: string) {
    this.root = root;
    mkdirSync(root);
  }

  get paths(): string[] {
    return [...this.pictures.keys()].sort();
  }

  pictureAt(path: string): number {
    return this.pictures.get(path)?.content ?? Number.NaN;
  }

  pathOf(picture: number): string | undefined {
    return this.paths.find((path) => this.pictures.get(path)?.content === picture);
  }

  writePicture(path: string, picture: number): void {
    this.pictures.set(path, { content: picture, stamp: this.#stamp++ });
    this.#write(path, picture === DAMAGED ? pictureBytes(0).subarray(0, 60) : pictureBytes(picture));
  }

  /** Starts to write a picture. Until it is finished, it is no picture. */
  beginPicture(path: string, picture: number, length = 60): void {
    this.pictures.set(path, { content: DAMAGED, stamp: this.#stamp++ });
    this.#write(path, pictureBytes(picture).subarray(0, length));
    this.#unfinished.set(path, picture);
  }

  finishPictures(): void {
    for (const [path, picture] of this.#unfinished)
      if (this.pictureAt(path) === DAMAGED) this.writePicture(path, picture);
    this.#unfinished.clear();
  }

  writeSidecar(path: string, sidecar: Sidecar): void {
    const name = sidecarPath(path, sidecar.format);
    this.#sidecars.set(name, { content: sidecar, stamp: this.#stamp++ });
    this.#write(name, sidecar.text);
  }

  removePicture(path: string): void {
    this.pictures.delete(path);
    rmSync(join(this.root, path));
  }

  removeSidecars(path: string): void {
    for (const name of sidecarPaths(path)) {
      this.#sidecars.delete(name);
      rmSync(join(this.root, name), { force: true });
    }
  }

  move(from: string, to: string, withSidecars: boolean): void {
    this.#rename(this.pictures, from, to);
    if (!withSidecars) return;
    for (const [index, name] of sidecarPaths(from).entries())
      if (this.#sidecars.has(name)) this.#rename(this.#sidecars, name, sidecarPaths(to)[index] as string);
  }

  statementOf(path: string): Statement {
    const found = sidecarPaths(path).flatMap((name) => this.#sidecars.get(name)?.content.states ?? []);
    const damaged = this.pictureAt(path) === DAMAGED ? [{ isBad: true }] : [];
    return { ...combine(path.split('/').slice(0, -1), [...found, ...damaged]), fileName: basename(path) };
  }

  /** Changes when the picture or one of its sidecars does. */
  fingerprint(path: string): string {
    const stamps = sidecarPaths(path).map((name) => this.#sidecars.get(name)?.stamp);
    return JSON.stringify([this.pictures.get(path), stamps]);
  }

  #rename<T>(files: Map<string, Written<T>>, from: string, to: string): void {
    const { content } = files.get(from) as Written<T>;
    files.delete(from);
    files.set(to, { content, stamp: this.#stamp++ });
    mkdirSync(dirname(join(this.root, to)), { recursive: true });
    renameSync(join(this.root, from), join(this.root, to));
  }

  #write(name: string, content: string | Buffer): void {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    // A new file at once, as most programs write it.
    writeFileSync(join(this.root, 'unnamed'), content);
    renameSync(join(this.root, 'unnamed'), path);
  }
}

const sidecarPath = (path: string, format: Sidecar['format']) =>
  format === 'json' ? `${path}.json` : path.replace(/png$/, 'txt');

const sidecarPaths = (path: string) => [sidecarPath(path, 'json'), sidecarPath(path, 'txt')];
