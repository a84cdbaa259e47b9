/**
 * Writes which image is at which position of which shelf of the embedded catalogue. Changes are collected and written
 * together, which takes a third of the time of writing them one by one. Sizes and covers are saved at the end, by
 * `saveShelves`.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ShelfChanges } from '../shared/shelf-changes.ts';
import { FIND_COVERS, formatShelves, PLACE_ALL, parseShelves, SHELVES_OF } from './queries.ts';

/** Changes that wait in memory. */
const MAX_WAITING = 300_000;

export class Placements {
  readonly #database: DatabaseSync;
  readonly #changes: ShelfChanges;
  readonly #shelvesOf: StatementSync;
  readonly #saveShelvesOf: StatementSync;
  readonly #removeShelvesOf: StatementSync;
  readonly #imageAt: StatementSync;
  readonly #append: StatementSync;
  readonly #rewrite: StatementSync;
  readonly #cut: StatementSync;
  readonly #sizeOf: StatementSync;
  /** Sizes of the shelves written so far. */
  readonly #sizes = new Map<number, number>();

  constructor(database: DatabaseSync, sfwShelf: number) {
    this.#database = database;
    this.#changes = new ShelfChanges(sfwShelf);
    this.#shelvesOf = database.prepare(SHELVES_OF);
    this.#saveShelvesOf = database.prepare(
      'insert or replace into image_shelves (image, shelves) values (?, ?)',
    );
    this.#removeShelvesOf = database.prepare('delete from image_shelves where image = ?');
    this.#imageAt = database.prepare('select image from placement where shelf = ? and position = ?');
    this.#append = database.prepare(
      'insert into placement (shelf, position, image) select ?1, ?2 + key, value from json_each(?3)',
    );
    this.#rewrite = database.prepare(
      `insert or replace into placement (shelf, position, image)
       select ?1, ?2 + row_number() over (order by image) - 1, image from (
         select image from placement
         where shelf = ?1 and position >= ?2 and image not in (select value from json_each(?3))
         union all select value from json_each(?4))`,
    );
    this.#cut = database.prepare('delete from placement where shelf = ? and position >= ?');
    this.#sizeOf = database.prepare('select size from shelf where number = ?');
  }

  /** Appends a new image to its shelves. */
  append(image: number, shelves: number[]): void {
    this.#saveShelvesOf.run(image, formatShelves(shelves));
    this.#changes.append(image, shelves);
    this.#writeIfMany();
  }

  /** Moves an image from the shelves that it is on to those it belongs on. */
  move(image: number, shelves: number[]): void {
    this.#changes.move(image, this.#shelvesOfImage(image), shelves);
    this.#saveShelvesOf.run(image, formatShelves(shelves));
    this.#writeIfMany();
  }

  remove(image: number): void {
    this.#changes.move(image, this.#shelvesOfImage(image), []);
    this.#removeShelvesOf.run(image);
    this.#writeIfMany();
  }

  size(shelf: number): number {
    return this.#sizes.get(shelf) ?? (this.#sizeOf.get(shelf)?.size as number);
  }

  /** Writes all changes so far. */
  write(): void {
    for (const shelf of this.#changes.shelves.sort((a, b) => a - b)) this.#write(shelf);
  }

  /** Rebuilds all placements from the shelves of each image. */
  renumberAll(): void {
    this.#changes.clear();
    this.#database.exec(`delete from placement; ${PLACE_ALL}`);
    const sizes = 'select number, (select count(*) from placement where shelf = number) as size from shelf';
    for (const { number, size } of this.#database.prepare(sizes).all() as never[])
      this.#sizes.set(number, size);
    for (const shelf of this.#sizes.keys()) this.#changes.withoutCover.add(shelf);
  }

  saveShelves(): void {
    const { covers, withoutCover } = this.#changes;
    const save = this.#database.prepare(
      'update shelf set size = ?, cover = coalesce(?, cover) where number = ?',
    );
    for (const [shelf, size] of this.#sizes) save.run(size, covers.get(shelf) ?? null, shelf);
    const findCover = this.#database.prepare(`${FIND_COVERS} and number = ?`);
    for (const shelf of withoutCover) findCover.run(shelf);
  }

  #writeIfMany(): void {
    if (this.#changes.size >= MAX_WAITING) this.write();
  }

  #shelvesOfImage(image: number): number[] {
    return parseShelves(this.#shelvesOf.get(image)?.shelves);
  }

  #write(shelf: number): void {
    const { appended, entered, left } = this.#changes.take(shelf);
    let size = this.size(shelf);
    if (appended.length > 0) {
      this.#append.run(shelf, size, JSON.stringify(appended));
      size += appended.length;
    }
    if (entered.length + left.length > 0) {
      const first = [...entered, ...left].reduce((least, image) => Math.min(least, image));
      const position = this.#positionOf(shelf, first, size);
      const { changes } = this.#rewrite.run(shelf, position, JSON.stringify(left), JSON.stringify(entered));
      size = position + Number(changes);
      this.#cut.run(shelf, size);
    }
    this.#sizes.set(shelf, size);
  }

  /** The position of the first image that is not older, or the size of the shelf. */
  #positionOf(shelf: number, image: number, size: number): number {
    let [low, high] = [0, size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#imageAt.get(shelf, middle)?.image as number) < image) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
