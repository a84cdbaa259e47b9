/**
 * Writes which images are on which shelves, and their sizes: for each image (`image_shelves`), and for each shelf in blocks
 * (`shelf_block`). Changes are collected and written together, block by block. So a commit costs the same in a larger catalogue.
 * Sizes and covers of shelves are saved at the end, by `saveShelves`.
 */
import { blockOf, changeImages, changeSizes, listImages, packImages } from '../../catalogue/sets/blocks.ts';
import type { Placed, Placement } from '../../catalogue/sets/image-set.ts';
import { inBatches } from '../../lib/concurrency.ts';
import { readInBlocks, readShelf } from '../read/shelves.ts';
import {
  ENTRY_KINDS,
  PLACEMENT_COLUMNS,
  type PlacementRow,
  type SqlValue,
  toPlacements,
  type WriteSession,
} from '../session.ts';

/** Images of one shelf that are now on it, or no longer. */
interface ShelfChange {
  entered: number[];
  left: number[];
}

/** What a transaction changes about shelves, until it is written. */
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
    const change = { entered: [...appended, ...(entered as number[])], left: left as number[] };
    this.#size -= change.entered.length + change.left.length;
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
/** Shelves whose blocks are in memory at once. */
const SHELVES_AT_ONCE = 64;
/** Blocks have lower numbers. */
const MAX_BLOCK = 2 ** 31 - 1;

export class Placements {
  readonly #session: WriteSession;
  readonly #sfwShelf: number;
  readonly #changes: ShelfChanges;
  /** Images whose size is new. */
  readonly #sized = new Map<number, Placed>();
  /** How many images the shelves written so far have gained. */
  readonly #growth = new Map<number, number>();

  constructor(session: WriteSession, sfwShelf: number) {
    this.#session = session;
    this.#sfwShelf = sfwShelf;
    this.#changes = new ShelfChanges(sfwShelf);
  }

  /** Appends new images to their shelves. */
  async append(added: Placed[]): Promise<void> {
    const images = await this.#withAlbums(added);
    await this.#savePlacements(images);
    for (const placed of images) {
      this.#changes.append(placed.image, placed.shelves);
      this.#sized.set(placed.image, placed);
    }
    await this.#writeIfMany();
  }

  /** Moves images from the shelves that they are on to those they belong on. */
  async move(moved: Placed[]): Promise<void> {
    const before = await this.#takePlacements(moved.map(({ image }) => image));
    const images = await this.#withAlbums(moved);
    for (const placed of images) {
      const former = before.get(placed.image);
      this.#changes.move(placed.image, former?.shelves ?? [], placed.shelves);
      if (former?.width !== placed.width || former.height !== placed.height)
        this.#sized.set(placed.image, placed);
    }
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

  /** Rebuilds all blocks from the shelves of each image. */
  async renumberAll(): Promise<void> {
    this.#changes.clear();
    this.#sized.clear();
    this.#growth.clear();
    await this.#session.run('delete from shelf_block');
    await this.#session.run('delete from size_block');
    const sizes = new Map<number, number>();
    for await (const [block, placed] of readInBlocks(this.#session)) {
      const packed = packImages(placed);
      for (const [shelf, { size }] of packed) sizes.set(shelf, (sizes.get(shelf) ?? 0) + size);
      await this.#session.insert(
        'shelf_block',
        ['shelf', 'block', 'images'],
        Array.from(packed, ([shelf, { content }]) => [shelf, block, content]),
      );
      await this.#session.insert('size_block', ['block', 'sizes'], [[block, changeSizes('', placed)]]);
    }
    const shelves = await this.#session.query<{ number: number }>('select number from shelf');
    await this.#session.run('update shelf set size = 0');
    for (const { number } of shelves) {
      this.#growth.set(number, sizes.get(number) ?? 0);
      this.#changes.withoutCover.add(number);
    }
  }

  /** The numbers of the images on a shelf, in ascending order. */
  async imagesOn(shelf: number): Promise<number[]> {
    await this.write();
    return readShelf(this.#session, shelf);
  }

  /** Writes all changes so far. */
  async write(): Promise<void> {
    for (const shelves of inBatches(this.#changes.shelves, SHELVES_AT_ONCE))
      await this.#writeShelves(shelves);
    const byBlock = Map.groupBy(this.#sized.values(), ({ image }) => blockOf(image));
    this.#sized.clear();
    for (const [block, placed] of byBlock) {
      const [stored] = await this.#session.query<{ sizes: string }>(
        'delete from size_block where block = $1 returning sizes',
        [block],
      );
      const sizes = changeSizes(stored?.sizes ?? '', placed);
      await this.#session.insert('size_block', ['block', 'sizes'], [[block, sizes]]);
    }
  }

  async saveShelves(): Promise<void> {
    const { covers, withoutCover } = this.#changes;
    await this.#session.runWith(
      { number: 'int', growth: 'int', cover: 'int' },
      Array.from(this.#growth, ([number, growth]) => ({ number, growth, cover: covers.get(number) ?? null })),
      `update shelf set size = shelf.size + given.growth, cover = coalesce(given.cover, shelf.cover)
       from given where given.number = shelf.number`,
    );
    const uncovered = await this.#session.query<{ number: number }>(
      `select number from shelf where number ${this.#session.dialect.isOneOf('$1', 'int')} and kind in ${ENTRY_KINDS}`,
      [[...withoutCover]],
    );
    const found: { number: number; cover: number | null }[] = [];
    for (const { number } of uncovered) found.push({ number, cover: await this.#findCover(number) });
    await this.#session.runWith(
      { number: 'int', cover: 'int' },
      found,
      'update shelf set cover = given.cover from given where given.number = shelf.number',
    );
  }

  /** The newest image rated sfw on a shelf. Looks at few blocks, of which the newest comes first. */
  async #findCover(shelf: number): Promise<number | null> {
    for (let below = MAX_BLOCK; ; ) {
      const rows = await this.#session.query<{ block: number; images: string; safe: string }>(
        `select listed.block as block, listed.images as images, safe.images as safe from shelf_block as listed
         join shelf_block as safe on safe.shelf = $2 and safe.block = listed.block
         where listed.shelf = $1 and listed.block < $3 order by listed.block desc limit 4`,
        [shelf, this.#sfwShelf, below],
      );
      for (const { block, images, safe } of rows) {
        const others = new Set(listImages([block, safe]));
        const cover = listImages([block, images]).findLast((image) => others.has(image));
        if (cover !== undefined) return cover;
        below = block;
      }
      if (rows.length === 0) return null;
    }
  }

  async #writeShelves(shelves: number[]): Promise<void> {
    const changed = shelves.flatMap((shelf) => {
      const { entered, left } = this.#changes.take(shelf);
      const [enteredBy, leftBy] = [Map.groupBy(entered, blockOf), Map.groupBy(left, blockOf)];
      const blocks = new Set([...enteredBy.keys(), ...leftBy.keys()]);
      return Array.from(blocks, (block) => ({
        ...{ shelf, block, key: `${shelf} ${block}` },
        ...{ entered: enteredBy.get(block) ?? [], left: leftBy.get(block) ?? [] },
      }));
    });
    const stored = await this.#takeBlocks(changed);
    const rows: SqlValue[][] = [];
    for (const { shelf, block, key, entered, left } of changed) {
      const { content, growth } = changeImages(stored.get(key) ?? '', entered, left);
      if (content !== '') rows.push([shelf, block, content]);
      this.#growth.set(shelf, (this.#growth.get(shelf) ?? 0) + growth);
    }
    await this.#session.insert('shelf_block', ['shelf', 'block', 'images'], rows);
  }

  /** Removes the blocks and returns what they had. */
  async #takeBlocks(wanted: { shelf: number; block: number }[]): Promise<Map<string, string>> {
    const { isOneOf } = this.#session.dialect;
    const stored = new Map<string, string>();
    for (const [shelf, ofShelf] of Map.groupBy(wanted, ({ shelf }) => shelf)) {
      const rows = await this.#session.query<{ block: number; images: string }>(
        `delete from shelf_block where shelf = $1 and block ${isOneOf('$2', 'int')} returning block, images`,
        [shelf, ofShelf.map(({ block }) => block)],
      );
      for (const { block, images } of rows) stored.set(`${shelf} ${block}`, images);
    }
    return stored;
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
}
