/**
 * Writes which image is at which position of which shelf of the embedded catalogue. Sizes and covers are saved at the end, by
 * `saveShelves`.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { FIND_COVERS } from '../shared/queries.ts';

export class Placements {
  readonly #database: DatabaseSync;
  readonly #sfwShelf: number;
  readonly #shelvesOf: StatementSync;
  readonly #place: StatementSync;
  readonly #unplace: StatementSync;
  readonly #sizeOf: StatementSync;
  /** Sizes of the shelves touched so far. */
  readonly #sizes = new Map<number, number>();
  /** Shelves that lost an image, or gained one that is older than their last. */
  readonly #outOfOrder = new Set<number>();
  /** The new covers of shelves that gained a new image. */
  readonly #covers = new Map<number, number>();
  /** Shelves with an image that is no longer, or only now, rated sfw. */
  readonly #reRated = new Set<number>();

  constructor(database: DatabaseSync, sfwShelf: number) {
    this.#database = database;
    this.#sfwShelf = sfwShelf;
    this.#shelvesOf = database.prepare('select shelf from placement where image = ?');
    this.#place = database.prepare('insert into placement (shelf, position, image) values (?, ?, ?)');
    this.#unplace = database.prepare('delete from placement where image = ? and shelf = ?');
    this.#sizeOf = database.prepare('select size from shelf where number = ?');
  }

  /** Appends a new image to its shelves. */
  append(image: number, shelves: number[]): void {
    const isCover = shelves.includes(this.#sfwShelf);
    for (const shelf of shelves) {
      this.#append(shelf, image);
      if (isCover) this.#covers.set(shelf, image);
    }
  }

  /** Moves an image from the shelves that it is on to those it belongs on. */
  move(image: number, shelves: number[]): void {
    const before = new Set(this.#shelvesOfImage(image));
    const after = new Set(shelves);
    for (const shelf of before.difference(after)) this.#remove(shelf, image);
    for (const shelf of after.difference(before)) {
      this.#append(shelf, image);
      this.#outOfOrder.add(shelf);
    }
    if (before.has(this.#sfwShelf) !== after.has(this.#sfwShelf))
      for (const shelf of after) this.#reRated.add(shelf);
  }

  remove(image: number): void {
    for (const shelf of this.#shelvesOfImage(image)) this.#remove(shelf, image);
  }

  size(shelf: number): number {
    return this.#sizes.get(shelf) ?? (this.#sizeOf.get(shelf)?.size as number);
  }

  /** Makes `renumber` renumber every shelf. */
  renumberAll(): void {
    for (const row of this.#database.prepare('select number from shelf').all())
      this.#outOfOrder.add(row.number as number);
  }

  renumber(): void {
    for (const shelf of this.#outOfOrder) this.#sizes.set(shelf, renumberShelf(this.#database, shelf));
  }

  saveShelves(): void {
    const save = this.#database.prepare(
      'update shelf set size = ?, cover = coalesce(?, cover) where number = ?',
    );
    for (const [shelf, size] of this.#sizes) save.run(size, this.#covers.get(shelf) ?? null, shelf);
    const findCover = this.#database.prepare(`${FIND_COVERS} and number = ?`);
    for (const shelf of this.#outOfOrder.union(this.#reRated)) findCover.run(shelf);
  }

  #shelvesOfImage(image: number): number[] {
    return this.#shelvesOf.all(image).map((row) => row.shelf as number);
  }

  #append(shelf: number, image: number): void {
    const size = this.size(shelf);
    this.#place.run(shelf, size, image);
    this.#sizes.set(shelf, size + 1);
  }

  #remove(shelf: number, image: number): void {
    this.#unplace.run(image, shelf);
    this.#outOfOrder.add(shelf);
  }
}

/** Returns the size of the shelf. */
function renumberShelf(database: DatabaseSync, shelf: number): number {
  database.exec(
    `create temp table row_of as
     select row_number() over (order by image) - 1 as position, image from placement where shelf = ${shelf}`,
  );
  database.prepare('delete from placement where shelf = ?').run(shelf);
  const { changes } = database
    .prepare(
      'insert into placement (shelf, position, image) select ?, position, image from row_of order by position',
    )
    .run(shelf);
  database.exec('drop table row_of');
  return Number(changes);
}
