/** What importing a folder does to the model. */
import assert from 'node:assert/strict';
import type { Rating } from '../../src/catalogue/types.ts';
import type { Folder } from './folder.ts';
import type { Model } from './model.ts';
import { isLower } from './sidecars.ts';
import type { readState } from './state.ts';

export interface ModelFlags {
  /** Whether files that did not change are read, too. */
  full: boolean;
  defaultRating: Rating;
}

type ActualImage = ReturnType<typeof readState>['description']['images'][number];

export class Imports {
  readonly #model: Model;
  readonly #folder: Folder;
  readonly #count: (action: string) => void;
  /** What was imported last from each path. */
  readonly #known = new Map<string, { picture: number; fingerprint: string }>();
  /** Pictures that had several files when the folder was imported last. */
  #copied = new Set<number>();
  /** Where each picture was imported from, ever. */
  readonly #places = new Map<number, Set<string>>();
  /** Pictures whose images an import may have removed. */
  readonly #mayBeGone = new Set<number>();

  constructor(model: Model, folder: Folder, count: (action: string) => void) {
    this.#model = model;
    this.#folder = folder;
    this.#count = count;
  }

  /** Pictures with several files, or that had several before. Which of them counts, the model leaves open. */
  findCopied(): Set<number> {
    const numbers = this.#folder.paths.map((path) => this.#folder.pictureAt(path));
    const several = new Set(numbers.filter((number, index) => numbers.indexOf(number) !== index));
    const copied = new Set([...several, ...this.#copied]);
    this.#copied = several;
    return copied;
  }

  isKnown(path: string): boolean {
    const isSame = this.#known.get(path)?.fingerprint === this.#folder.fingerprint(path);
    return isSame && this.#model.images.has(this.#folder.pictureAt(path));
  }

  /** Returns the ratings that go down. `isSeen` is whether the import looks at the file. */
  importIntoModel(
    { full, defaultRating }: ModelFlags,
    copied: Set<number>,
    isSeen: (path: string) => boolean,
  ): string[] {
    const [model, folder] = [this.#model, this.#folder];
    const lowered: string[] = [];
    for (const path of folder.paths) {
      const states = folder.statementOf(path);
      if (states.isBad || !isSeen(path)) continue;
      const picture = folder.pictureAt(path);
      if (copied.has(picture) || (this.isKnown(path) && !full)) continue;
      const before = model.importPicture(picture, states, defaultRating);
      if (before) lowered.push(`${path}: ${before} → ${model.images.get(picture)?.rating}`);
      if (!model.images.has(picture)) continue;
      this.forget(picture);
      this.#addPlace(picture, path);
    }
    return lowered;
  }

  /** Pictures of images that came from the folder and that are in none of its files, and whether that is certain. */
  findGone(): Map<number, { isCertain: boolean }> {
    const [model, folder] = [this.#model, this.#folder];
    const present = new Set(folder.paths.map((path) => folder.pictureAt(path)));
    const gone = [...model.images].filter(
      ([picture, { isFromFolder }]) => isFromFolder && !present.has(picture),
    );
    return new Map(
      gone.map(([picture]) => {
        const places = [...(this.#places.get(picture) ?? [])].filter((path) => folder.pictures.has(path));
        return [picture, { isCertain: places.length === 0 }];
      }),
    );
  }

  /** Removes images. A file that is skipped is not gone from where an image once came from. */
  prune(gone = this.findGone()): void {
    for (const [picture] of gone) {
      const places = [...(this.#places.get(picture) ?? [])];
      const isSkipped = (path: string) =>
        this.#folder.pictures.has(path) && this.#folder.statementOf(path).isBad;
      if (places.some(isSkipped)) this.#mayBeGone.add(picture);
      else this.#model.images.delete(picture);
      this.#count('prune');
    }
  }

  /** Images that may be gone or not. */
  mayBeGone(pictures: Iterable<number>): void {
    for (const picture of pictures) this.#mayBeGone.add(picture);
  }

  forgetGone(exists: (picture: number) => boolean): void {
    for (const picture of this.#mayBeGone) if (!exists(picture)) this.#model.images.delete(picture);
    this.#mayBeGone.clear();
  }

  /** Checks what has to be true whichever file counts, and takes over the rest. */
  adoptCopied(
    copied: Set<number>,
    images: ActualImage[],
    lowered: string[],
    isSeen: (path: string) => boolean,
  ): void {
    const [model, folder] = [this.#model, this.#folder];
    for (const picture of copied) {
      const paths = folder.paths.filter((path) => folder.pictureAt(path) === picture && isSeen(path));
      const stated = paths.map((path) => folder.statementOf(path)).filter(({ isBad }) => !isBad);
      const actual = images.find((image) => image.picture === picture);
      const before = model.images.get(picture);
      if (stated.length === 0) continue;
      if (!before && model.removed.has(picture)) {
        assert.equal(actual, undefined, `picture ${picture} was taken down`);
        continue;
      }
      assert.ok(actual, `picture ${picture} has files`);
      if (!before?.edited.has('rating'))
        for (const { rating } of stated)
          assert.ok(
            !rating || !isLower(actual.rating, rating),
            `picture ${picture}: ${JSON.stringify([actual, stated])}`,
          );
      if (before && isLower(actual.rating, before.rating))
        assert.ok(
          paths.some((path) => lowered.includes(`${path}: ${before.rating} → ${actual.rating}`)),
          `picture ${picture}: ${before.rating} → ${actual.rating} is not in ${lowered}`,
        );
      // As if a file said what the image has. Fields that were edited stay in the model, too.
      model.importPicture(picture, actual, actual.rating);
      this.forget(picture);
      for (const path of paths) this.#addPlace(picture, path);
      this.#count('copies');
    }
  }

  /** The next import reads its file again. */
  forget(picture: number): void {
    for (const [path, known] of this.#known) if (known.picture === picture) this.#known.delete(path);
  }

  #addPlace(picture: number, path: string): void {
    this.#known.set(path, { picture, fingerprint: this.#folder.fingerprint(path) });
    this.#places.set(picture, new Set(this.#places.get(picture)).add(path));
  }
}
