/** What importing a folder does to the model. */
import assert from 'node:assert/strict';
import type { Rating } from '../../src/catalogue/schemas.ts';
import type { Folder } from './folder.ts';
import type { Model, ModelImage } from './model.ts';
import { areVersions } from './pictures.ts';
import { isLower } from './sidecars.ts';
import type { readState } from './state.ts';

export interface ModelFlags {
  /** Whether files that did not change are read, too. */
  full: boolean;
  defaultRating: Rating;
}

type State = ReturnType<typeof readState>;

/** An image as it was, with the number of its picture. */
interface Former {
  picture: number;
  image: ModelImage;
  rating: Rating;
  /** Whether somebody rated it. */
  isRated: boolean;
}

const formerOf = (picture: number, image: ModelImage): Former => {
  const { rating, edited } = image;
  return { picture, image, rating, isRated: edited.has('rating') || edited.has('file-changed') };
};

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
  /** The image that each path had last. */
  readonly #rows = new Map<string, ModelImage>();
  /** Images that had several files: which of them counted, the model leaves open. */
  readonly #ambiguous = new Set<ModelImage>();
  /** What the images were before the import. */
  #before: Former[] = [];
  /** The former files of images, and the pruned images: the trash has them. */
  #trashedFiles: Former[] = [];
  readonly #pruned: Former[] = [];
  /** Pictures whose images an import may have removed. */
  readonly #mayBeGone = new Set<number>();

  constructor(model: Model, folder: Folder, count: (action: string) => void) {
    this.#model = model;
    this.#folder = folder;
    this.#count = count;
  }

  /**
   * Pictures with several files, or that had several before, and versions of such. Which of them counts, the model leaves open.
   * Call it before an import.
   */
  findUncertain(): Set<number> {
    this.#before = [...this.#model.images].map(([picture, image]) => formerOf(picture, image));
    const numbers = this.#folder.paths.map((path) => this.#folder.pictureAt(path));
    const several = new Set(numbers.filter((number, index) => numbers.indexOf(number) !== index));
    const copied = new Set([...several, ...this.#copied]);
    this.#copied = several;
    for (const path of this.#folder.paths) {
      const former = this.#formerAt(path);
      if (former && this.#ambiguous.has(former.image)) copied.add(this.#folder.pictureAt(path));
    }
    return copied;
  }

  #formerAt(path: string): Former | undefined {
    return this.#before.find(({ image }) => image === this.#rows.get(path));
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
    const read = folder.paths.filter((path) => isSeen(path) && !folder.statementOf(path).isBad);
    const present = new Set(read.map((path) => folder.pictureAt(path)));
    for (const path of read) {
      const states = folder.statementOf(path);
      const picture = folder.pictureAt(path);
      if (copied.has(picture) || (this.isKnown(path) && !full)) continue;
      const former = this.#isNew(picture) ? this.#formerAt(path) : undefined;
      if (former && areVersions(former.picture, picture) && !present.has(former.picture))
        this.#continue(former, picture);
      const before = model.images.get(picture)?.rating;
      model.importPicture(picture, states, defaultRating);
      const image = model.images.get(picture);
      if (!image) {
        this.#rows.delete(path);
        continue;
      }
      if (this.#isNew(picture)) this.#keepRating(image, picture, states.rating, former);
      if (before && isLower(image.rating, before)) lowered.push(`${path}: ${before} → ${image.rating}`);
      this.forget(picture);
      this.#addPlace(picture, path);
    }
    return lowered;
  }

  /** Whether no image had it before the import. */
  #isNew(picture: number): boolean {
    return !this.#before.some((former) => former.picture === picture) && !this.#model.removed.has(picture);
  }

  /** The picture is the next version of an image, whose file goes to the trash. */
  #continue(former: Former, picture: number): void {
    this.#model.images.delete(former.picture);
    this.#model.images.set(picture, former.image);
    this.#trashedFiles.push(former);
    this.forget(former.picture);
    this.#count('version');
  }

  /** What a file was before, and what the trash has of its bytes, may be rated more strictly. */
  #keepRating(
    image: ModelImage,
    picture: number,
    stated: Rating | undefined,
    former: Former | undefined,
  ): void {
    const decided = this.#pruned.filter(({ isRated }) => isRated);
    const trashed = [...this.#trashedFiles, ...decided].filter((one) => one.picture === picture);
    const replaced = former ? [former, ...trashed] : trashed;
    for (const { rating } of replaced) {
      if (isLower(image.rating, rating)) image.rating = rating;
      if (stated && isLower(stated, rating)) image.edited.add('file-changed');
    }
    if (stated && isLower(image.rating, stated)) image.rating = stated;
    if (replaced.some(({ isRated }) => isRated)) image.edited.add('file-changed');
    if (replaced.length > 0) this.#count('rating kept');
  }

  /** What the trash has of an image, and of others with its bytes, goes for good. Returns the pictures, and the ids of the images. */
  takeDown(picture: number, image: ModelImage): [number, string][] {
    const others = this.#pruned.filter((one) => one.picture === picture).map(({ image }) => image);
    const isOf = (one: Former) => one.image === image || others.includes(one.image);
    const gone = this.#trashedFiles.filter(isOf);
    this.#trashedFiles = this.#trashedFiles.filter((one) => !isOf(one) && one.picture !== picture);
    return gone.map((one) => [one.picture, one.image.id as string]);
  }

  forgetTrash(): void {
    this.#trashedFiles = [];
    this.#pruned.length = 0;
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
      else this.#remove(picture);
      this.#count('prune');
    }
  }

  /** Images that may be gone or not. */
  mayBeGone(pictures: Iterable<number>): void {
    for (const picture of pictures) this.#mayBeGone.add(picture);
  }

  forgetGone(exists: (picture: number) => boolean): void {
    for (const picture of this.#mayBeGone) if (!exists(picture)) this.#remove(picture);
    this.#mayBeGone.clear();
  }

  #remove(picture: number): void {
    const image = this.#model.images.get(picture);
    if (image) this.#pruned.push(formerOf(picture, image));
    this.#model.images.delete(picture);
  }

  /** Checks what has to be true whichever file counts, and takes over the rest. */
  adoptCopied(
    copied: Set<number>,
    { ids, description: { images } }: State,
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
      const isNew = this.#isNew(picture);
      const formers = paths.flatMap((path) => this.#formerAt(path) ?? []);
      if (isNew)
        for (const { rating } of formers)
          assert.ok(!isLower(actual.rating, rating), `picture ${picture} replaces one rated ${rating}`);
      const continued = this.#before.find(({ image }) => image.id === ids.get(picture));
      if (isNew && continued) {
        assert.ok(areVersions(continued.picture, picture), `${continued.picture} became ${picture}`);
        this.#continue(continued, picture);
      }
      // As if a file said what the image has. Fields that were edited stay in the model, too.
      model.importPicture(picture, actual, actual.rating);
      const image = model.images.get(picture) as ModelImage;
      if (isNew) image.rating = actual.rating;
      if (actual.edited.includes('file-changed')) image.edited.add('file-changed');
      this.#ambiguous.add(image);
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
    this.#rows.set(path, this.#model.images.get(picture) as ModelImage);
  }
}
