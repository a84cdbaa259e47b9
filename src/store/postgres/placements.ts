/**
 * Writes which image is at which position of which shelf. Changes are collected and written together. Sizes and covers are
 * saved at the end, by `saveShelves`.
 */
import type pg from 'pg';
import { ShelfChanges } from '../shared/shelf-changes.ts';
import { columns } from './batches.ts';
import { formatRows } from './copy.ts';
import { FIND_COVERS, PLACE_ALL, POSITION_OF } from './queries.ts';

/** Changes that wait in memory. */
const MAX_WAITING = 200_000;

/** Runs a statement of the writer's transaction. */
export type Query = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;
/** Sends rows to a table, of which the first parameter names the columns too. */
export type Copy = (target: string, rows: string) => Promise<void>;

/** An image and the shelves that it belongs on. */
export interface Placed {
  image: number;
  shelves: number[];
}

export class Placements {
  readonly #query: Query;
  readonly #copy: Copy;
  readonly #changes: ShelfChanges;
  /** Sizes of the shelves written so far. */
  readonly #sizes = new Map<number, number>();

  constructor(query: Query, copy: Copy, sfwShelf: number) {
    this.#query = query;
    this.#copy = copy;
    this.#changes = new ShelfChanges(sfwShelf);
  }

  /** Appends new images to their shelves. */
  async append(images: Placed[]): Promise<void> {
    await this.#saveShelvesOf(images);
    for (const { image, shelves } of images) this.#changes.append(image, shelves);
    await this.#writeIfMany();
  }

  /** Moves images from the shelves that they are on to those they belong on. */
  async move(images: Placed[]): Promise<void> {
    const before = await this.#takeShelvesOf(images.map(({ image }) => image));
    for (const { image, shelves } of images) this.#changes.move(image, before.get(image) ?? [], shelves);
    await this.#saveShelvesOf(images);
    await this.#writeIfMany();
  }

  async remove(images: number[]): Promise<void> {
    for (const [image, shelves] of await this.#takeShelvesOf(images)) this.#changes.move(image, shelves, []);
    await this.#writeIfMany();
  }

  /** Rebuilds all placements from the shelves of each image. */
  async renumberAll(): Promise<void> {
    this.#changes.clear();
    await this.#query('delete from placement');
    await this.#query(PLACE_ALL);
    const { rows } = await this.#query(
      'select number, (select count(*)::int from placement where shelf = number) as size from shelf',
    );
    for (const { number, size } of rows) {
      this.#sizes.set(number, size);
      this.#changes.withoutCover.add(number);
    }
  }

  async size(shelf: number): Promise<number> {
    await this.#readSizes([shelf]);
    return this.#sizes.get(shelf) as number;
  }

  /** Writes all changes so far. */
  async write(): Promise<void> {
    const shelves = this.#changes.shelves.sort((a, b) => a - b);
    await this.#readSizes(shelves);
    let appended = '';
    const others: { shelf: number; entered: number[]; left: number[] }[] = [];
    for (const shelf of shelves) {
      const change = this.#changes.take(shelf);
      const size = this.#sizes.get(shelf) as number;
      for (const [index, image] of change.appended.entries())
        appended += `${shelf}\t${size + index}\t${image}\n`;
      this.#sizes.set(shelf, size + change.appended.length);
      if (change.entered.length + change.left.length > 0) others.push({ shelf, ...change });
    }
    if (appended !== '') await this.#copy('placement (shelf, position, image)', appended);
    for (const { shelf, entered, left } of others) await this.#rewrite(shelf, entered, left);
  }

  async saveShelves(): Promise<void> {
    const shelves = [...this.#sizes.keys()];
    const covers = shelves.map((shelf) => this.#changes.covers.get(shelf) ?? null);
    await this.#query(
      `update shelf set size = changed.size, cover = coalesce(changed.cover, shelf.cover)
       from unnest($1::int[], $2::int[], $3::int[]) as changed (number, size, cover)
       where changed.number = shelf.number`,
      [shelves, [...this.#sizes.values()], covers],
    );
    await this.#query(`${FIND_COVERS} and number = any($1::int[])`, [[...this.#changes.withoutCover]]);
  }

  async #writeIfMany(): Promise<void> {
    if (this.#changes.size >= MAX_WAITING) await this.write();
  }

  async #saveShelvesOf(images: Placed[]): Promise<void> {
    const rows = images.map(({ image, shelves }) => [image, shelves]);
    await this.#copy('image_shelves (image, shelves)', formatRows(rows));
  }

  /** Removes the shelves of the images and returns them. */
  async #takeShelvesOf(images: number[]): Promise<Map<number, number[]>> {
    const { rows } = await this.#query(
      'delete from image_shelves where image = any($1::int[]) returning image, shelves',
      [images],
    );
    return new Map(rows.map(({ image, shelves }) => [image, shelves]));
  }

  async #readSizes(shelves: number[]): Promise<void> {
    const missing = shelves.filter((shelf) => !this.#sizes.has(shelf)).map((number) => ({ number }));
    if (missing.length === 0) return;
    const { rows } = await this.#query(
      'select number, size from shelf where number = any($1::int[])',
      columns(missing, 'number'),
    );
    for (const { number, size } of rows) this.#sizes.set(number, size);
  }

  /** From the first position that changes. */
  async #rewrite(shelf: number, entered: number[], left: number[]): Promise<void> {
    const first = [...entered, ...left].reduce((least, image) => Math.min(least, image));
    const { rows } = await this.#query(POSITION_OF, [shelf, first]);
    const position = rows[0].position as number;
    // Sorting reads all deleted rows before the first insert, so that no new row meets the one that it replaces.
    const { rowCount } = await this.#query(
      `with deleted as (delete from placement where shelf = $1 and position >= $2 returning image)
       insert into placement (shelf, position, image)
       select $1, $2 + row_number() over (order by image) - 1, image
       from (select image from deleted
             where not exists (select from unnest($3::int[]) as gone (image) where gone.image = deleted.image)
             union all select unnest($4::int[])) as kept`,
      [shelf, position, left, entered],
    );
    this.#sizes.set(shelf, position + (rowCount ?? 0));
  }
}
