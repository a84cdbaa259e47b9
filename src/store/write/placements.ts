/**
 * Writes which image is at which position of which shelf. Changes are collected and written together, which takes a third
 * of the time of writing them one by one. Sizes and covers are saved at the end, by `saveShelves`.
 */
import type { Placed, Placement } from '../../catalogue/writer.ts';
import {
  createShelfQueries,
  PLACEMENT_COLUMNS,
  type PlacementRow,
  type SqlValue,
  toPlacements,
  type WriteSession,
} from '../session.ts';

// What a transaction changes about shelves, until it is written: shelf by shelf, and only from the first position that
// changes. So the shelves in the database are always in order and without gaps.

/** Images of one shelf. */
interface ShelfChange {
  /** New images, in ascending order: they are newer than all others on the shelf. */
  appended: number[];
  /** Others that are now on the shelf. */
  entered: number[];
  /** Those that are no longer on it. */
  left: number[];
}

class ShelfChanges {
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

/** Changes that wait in memory. */
const MAX_WAITING = 300_000;

/** The position of the first image ($2) on a shelf ($1) that is not older, or the size of the shelf. A binary search. */
const POSITION_OF = `
  with recursive search (low, high) as (
    select 0, (select coalesce(max(position) + 1, 0) from placement where shelf = $1)
    union all
    select case when image < $2 then (low + high) / 2 + 1 else low end,
      case when image < $2 then high else (low + high) / 2 end
    from search left join placement on shelf = $1 and position = (low + high) / 2
    where low < high
  ) select low as position from search where low = high`;

interface Size {
  number: number;
  size: number;
}

export class Placements {
  readonly #session: WriteSession;
  readonly #queries: ReturnType<typeof createShelfQueries>;
  readonly #changes: ShelfChanges;
  /** Sizes of the shelves written so far. */
  readonly #sizes = new Map<number, number>();

  constructor(session: WriteSession, sfwShelf: number) {
    this.#session = session;
    this.#queries = createShelfQueries(session.dialect);
    this.#changes = new ShelfChanges(sfwShelf);
  }

  /** Appends new images to their shelves. */
  async append(added: Placed[]): Promise<void> {
    const images = await this.#withAlbums(added);
    await this.#savePlacements(images);
    for (const { image, shelves } of images) this.#changes.append(image, shelves);
    await this.#writeIfMany();
  }

  /** Moves images from the shelves that they are on to those they belong on. */
  async move(moved: Placed[]): Promise<void> {
    const before = await this.#takePlacements(moved.map(({ image }) => image));
    const images = await this.#withAlbums(moved);
    for (const { image, shelves } of images)
      this.#changes.move(image, before.get(image)?.shelves ?? [], shelves);
    await this.#savePlacements(images);
    await this.#writeIfMany();
  }

  /** Places images again, some of which an album has gained or lost. */
  async moveInAlbum(album: number, images: number[]): Promise<void> {
    const before = await this.#readPlacements(images);
    const isOther = (shelf: number) => shelf !== album;
    await this.move(
      Array.from(before, ([image, { shelves, ...size }]) => ({
        image,
        shelves: shelves.filter(isOther),
        ...size,
      })),
    );
  }

  async remove(images: number[]): Promise<void> {
    for (const [image, { shelves }] of await this.#takePlacements(images))
      this.#changes.move(image, shelves, []);
    await this.#writeIfMany();
  }

  /** Rebuilds all placements from the shelves of each image. */
  async renumberAll(): Promise<void> {
    this.#changes.clear();
    await this.#session.run('delete from placement');
    await this.#session.run(this.#queries.PLACE_ALL);
    // A trigger then tells those that have shelves in memory.
    await this.#session.run('update image_shelves set shelves = shelves');
    const sizes = await this.#session.query<Size>(
      'select number, (select cast(count(*) as int) from placement where shelf = number) as size from shelf',
    );
    for (const { number, size } of sizes) {
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
    const appended: SqlValue[][] = [];
    const others: { shelf: number; entered: number[]; left: number[] }[] = [];
    for (const shelf of shelves) {
      const change = this.#changes.take(shelf);
      let size = this.#sizes.get(shelf) as number;
      for (const image of change.appended) appended.push([shelf, size++, image]);
      this.#sizes.set(shelf, size);
      if (change.entered.length + change.left.length > 0) others.push({ shelf, ...change });
    }
    await this.#session.insert('placement', ['shelf', 'position', 'image'], appended);
    for (const { shelf, entered, left } of others) await this.#rewrite(shelf, entered, left);
  }

  async saveShelves(): Promise<void> {
    const { covers, withoutCover } = this.#changes;
    await this.#session.runWith(
      { number: 'int', size: 'int', cover: 'int' },
      Array.from(this.#sizes, ([number, size]) => ({ number, size, cover: covers.get(number) ?? null })),
      `update shelf set size = given.size, cover = coalesce(given.cover, shelf.cover)
       from given where given.number = shelf.number`,
    );
    const uncovered = Array.from(withoutCover, (number) => ({ number }));
    await this.#session.runWith({ number: 'int' }, uncovered, this.#queries.FIND_COVERS);
  }

  async #writeIfMany(): Promise<void> {
    if (this.#changes.size >= MAX_WAITING) await this.write();
  }

  async #savePlacements(images: Placed[]): Promise<void> {
    const { formatShelves } = this.#session.dialect;
    const rows = images.map(({ image, shelves, width, height }) => [
      image,
      formatShelves(shelves),
      width,
      height,
    ]);
    await this.#session.insert('image_shelves', ['image', 'shelves', 'width', 'height'], rows);
  }

  /** Removes the rows of the images and returns what they had. */
  async #takePlacements(images: number[]): Promise<Map<number, Placement>> {
    const { isOneOf } = this.#session.dialect;
    const rows = await this.#session.query<PlacementRow>(
      `delete from image_shelves where image ${isOneOf('$1', 'int')} returning ${PLACEMENT_COLUMNS}`,
      [images],
    );
    return toPlacements(rows, this.#session.dialect);
  }

  async #readPlacements(images: number[]): Promise<Map<number, Placement>> {
    const { isOneOf } = this.#session.dialect;
    const rows = await this.#session.query<PlacementRow>(
      `select ${PLACEMENT_COLUMNS} from image_shelves where image ${isOneOf('$1', 'int')}`,
      [images],
    );
    return toPlacements(rows, this.#session.dialect);
  }

  /** Documents do not say which albums an image is in: the albums do. */
  async #withAlbums(images: Placed[]): Promise<Placed[]> {
    const rows = await this.#session.query<{ image: number; album: number }>(
      `select image.number as image, album from image join album_image on album_image.image = image.id
       where image.number ${this.#session.dialect.isOneOf('$1', 'int')}`,
      [images.map(({ image }) => image)],
    );
    if (rows.length === 0) return images;
    const albums = Map.groupBy(rows, ({ image }) => image);
    return images.map((placed) => {
      const added = (albums.get(placed.image) ?? []).map(({ album }) => album);
      return { ...placed, shelves: [...new Set([...placed.shelves, ...added])] };
    });
  }

  async #readSizes(shelves: number[]): Promise<void> {
    const missing = shelves.filter((shelf) => !this.#sizes.has(shelf));
    if (missing.length === 0) return;
    const isOneOf = this.#session.dialect.isOneOf('$1', 'int');
    const text = `select number, size from shelf where number ${isOneOf}`;
    for (const { number, size } of await this.#session.query<Size>(text, [missing]))
      this.#sizes.set(number, size);
  }

  /** From the first position that changes. */
  async #rewrite(shelf: number, entered: number[], left: number[]): Promise<void> {
    const first = [...entered, ...left].reduce((least, image) => Math.min(least, image));
    const [found] = await this.#session.query<{ position: number }>(POSITION_OF, [shelf, first]);
    const position = found?.position as number;
    const values = [shelf, position, left, entered];
    const size = position + (await this.#session.run(this.#session.dialect.rewriteShelf, values));
    await this.#session.run('delete from placement where shelf = $1 and position >= $2', [shelf, size]);
    this.#sizes.set(shelf, size);
  }
}
