/** Writes which image is at which position of which shelf. Sizes and covers are saved at the end, by `saveShelves`. */
import type pg from 'pg';
import { FIND_COVERS } from '../shared/queries.ts';
import { columns } from './batches.ts';

/** Runs a statement of the writer's transaction. */
export type Query = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

interface Placement {
  shelf: number;
  position: number;
  image: number;
}

/** An image and the shelves that it belongs on. */
export interface Placed {
  image: number;
  shelves: number[];
}

export class Placements {
  readonly #query: Query;
  readonly #sfwShelf: number;
  /** Sizes of the shelves touched so far. */
  readonly #sizes = new Map<number, number>();
  /** Shelves that lost an image, or gained one that is older than their last. */
  readonly #outOfOrder = new Set<number>();
  /** The new covers of shelves that gained a new image. */
  readonly #covers = new Map<number, number>();
  /** Shelves with an image that is no longer, or only now, rated sfw. */
  readonly #reRated = new Set<number>();

  constructor(query: Query, sfwShelf: number) {
    this.#query = query;
    this.#sfwShelf = sfwShelf;
  }

  /** Appends new images to their shelves. */
  async append(images: Placed[]): Promise<void> {
    await this.#readSizes(images);
    await this.#insert(
      images.flatMap(({ image, shelves }) => shelves.map((shelf) => this.#nextPlacement(shelf, image))),
    );
    for (const { image, shelves } of images)
      if (shelves.includes(this.#sfwShelf)) for (const shelf of shelves) this.#covers.set(shelf, image);
  }

  /** Moves images from the shelves that they are on to those they belong on. */
  async move(images: Placed[]): Promise<void> {
    await this.#readSizes(images);
    const { rows } = await this.#query(
      'select image, array_agg(shelf) as shelves from placement where image = any($1::int[]) group by image',
      columns(images, 'image'),
    );
    const current = new Map<number, number[]>(rows.map(({ image, shelves }) => [image, shelves]));
    const left: { shelf: number; image: number }[] = [];
    const entered: Placement[] = [];
    for (const { image, shelves } of images) {
      const [before, after] = [new Set(current.get(image)), new Set(shelves)];
      for (const shelf of before.difference(after)) left.push({ shelf, image });
      for (const shelf of after.difference(before)) entered.push(this.#nextPlacement(shelf, image));
      if (before.has(this.#sfwShelf) !== after.has(this.#sfwShelf))
        for (const shelf of after) this.#reRated.add(shelf);
    }
    for (const { shelf } of [...left, ...entered]) this.#outOfOrder.add(shelf);
    await this.#query(
      `delete from placement using unnest($1::int[], $2::int[]) as gone (shelf, image)
       where placement.shelf = gone.shelf and placement.image = gone.image`,
      columns(left, 'shelf', 'image'),
    );
    await this.#insert(entered);
  }

  async remove(images: number[]): Promise<void> {
    const { rows } = await this.#query('delete from placement where image = any($1::int[]) returning shelf', [
      images,
    ]);
    for (const { shelf } of rows) this.#outOfOrder.add(shelf);
  }

  /** Makes `renumber` renumber every shelf. */
  async renumberAll(): Promise<void> {
    const { rows } = await this.#query('select number from shelf');
    for (const { number } of rows) this.#outOfOrder.add(number);
  }

  async size(shelf: number): Promise<number> {
    await this.#readSizes([{ image: 0, shelves: [shelf] }]);
    return this.#sizes.get(shelf) as number;
  }

  async renumber(): Promise<void> {
    for (const shelf of this.#outOfOrder) await this.#renumber(shelf);
  }

  async saveShelves(): Promise<void> {
    const shelves = [...this.#sizes.keys()];
    const covers = shelves.map((shelf) => this.#covers.get(shelf) ?? null);
    await this.#query(
      `update shelf set size = changed.size, cover = coalesce(changed.cover, shelf.cover)
       from unnest($1::int[], $2::int[], $3::int[]) as changed (number, size, cover)
       where changed.number = shelf.number`,
      [shelves, [...this.#sizes.values()], covers],
    );
    await this.#query(`${FIND_COVERS} and number = any($1::int[])`, [
      [...this.#outOfOrder.union(this.#reRated)],
    ]);
  }

  async #insert(placements: Placement[]): Promise<void> {
    await this.#query(
      'insert into placement (shelf, position, image) select * from unnest($1::int[], $2::int[], $3::int[])',
      columns(placements, 'shelf', 'position', 'image'),
    );
  }

  #nextPlacement(shelf: number, image: number): Placement {
    const position = this.#sizes.get(shelf) as number;
    this.#sizes.set(shelf, position + 1);
    return { shelf, position, image };
  }

  async #readSizes(images: Placed[]): Promise<void> {
    const shelves = new Set(images.flatMap((image) => image.shelves));
    const missing = [...shelves].filter((shelf) => !this.#sizes.has(shelf));
    if (missing.length === 0) return;
    const { rows } = await this.#query('select number, size from shelf where number = any($1::int[])', [
      missing,
    ]);
    for (const { number, size } of rows) this.#sizes.set(number, size);
  }

  async #renumber(shelf: number): Promise<void> {
    // Sorting reads all deleted rows before the first insert, so that no new row meets the one that it replaces.
    const { rowCount } = await this.#query(
      `with deleted as (delete from placement where shelf = $1 returning image)
       insert into placement (shelf, position, image)
       select $1, row_number() over (order by image) - 1, image from deleted`,
      [shelf],
    );
    this.#sizes.set(shelf, rowCount ?? 0);
  }
}
