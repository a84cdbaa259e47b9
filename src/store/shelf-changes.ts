/**
 * What a transaction changes about shelves, until it is written: shelf by shelf, and only from the first position that
 * changes. So the shelves in the database are always in order and without gaps.
 */

/** Images of one shelf. */
export interface ShelfChange {
  /** New images, in ascending order: they are newer than all others on the shelf. */
  appended: number[];
  /** Others that are now on the shelf. */
  entered: number[];
  /** Those that are no longer on it. */
  left: number[];
}

export class ShelfChanges {
  readonly #sfwShelf: number;
  readonly #appended = new Map<number, number[]>();
  readonly #entered = new Map<number, Set<number>>();
  readonly #left = new Map<number, Set<number>>();
  #size = 0;
  /** The new covers of shelves that gained a new image. */
  readonly covers = new Map<number, number>();
  /** Shelves whose cover has to be looked for, because other images entered or left, or got another rating. */
  readonly withoutCover = new Set<number>();

  constructor(sfwShelf: number) {
    this.#sfwShelf = sfwShelf;
  }

  /** How many images are waiting to be placed on a shelf, or removed from one. */
  get size(): number {
    return this.#size;
  }

  /** The shelves that have changes. */
  get shelves(): number[] {
    return [...new Set([...this.#appended.keys(), ...this.#entered.keys(), ...this.#left.keys()])];
  }

  /** Appends a new image to its shelves. */
  append(image: number, shelves: number[]): void {
    const isCover = shelves.includes(this.#sfwShelf);
    for (const shelf of shelves) {
      const images = this.#appended.get(shelf);
      if (images) images.push(image);
      else this.#appended.set(shelf, [image]);
      if (isCover) this.covers.set(shelf, image);
    }
    this.#size += shelves.length;
  }

  /** Moves an image from the shelves that it is on to those it belongs on. */
  move(image: number, from: number[], to: number[]): void {
    const [before, after] = [new Set(from), new Set(to)];
    for (const shelf of before.difference(after)) this.#record(shelf, image, this.#left, this.#entered);
    for (const shelf of after.difference(before)) this.#record(shelf, image, this.#entered, this.#left);
    if (before.has(this.#sfwShelf) !== after.has(this.#sfwShelf))
      for (const shelf of after) this.withoutCover.add(shelf);
  }

  /** Removes the changes of a shelf and returns them. */
  take(shelf: number): ShelfChange {
    const appended = this.#appended.get(shelf) ?? [];
    const [entered, left] = [this.#entered, this.#left].map((changes) => [...(changes.get(shelf) ?? [])]);
    for (const changes of [this.#appended, this.#entered, this.#left]) changes.delete(shelf);
    const change = { appended, entered: entered as number[], left: left as number[] };
    this.#size -= appended.length + change.entered.length + change.left.length;
    return change;
  }

  /** Forgets all changes that are not written. */
  clear(): void {
    for (const shelf of this.shelves) this.take(shelf);
  }

  #record(
    shelf: number,
    image: number,
    changes: Map<number, Set<number>>,
    opposite: Map<number, Set<number>>,
  ): void {
    this.withoutCover.add(shelf);
    if (opposite.get(shelf)?.delete(image)) {
      this.#size--;
      return;
    }
    this.#size++;
    const images = changes.get(shelf);
    if (images) images.add(image);
    else changes.set(shelf, new Set([image]));
  }
}
