/** Writes which images are on which shelves and have which terms in their texts, block by block. */
import { blockOf, changeImages, changeSizes, listImages, packImages } from '../../catalogue/sets/blocks.ts';
import type { Placed, Placement } from '../../catalogue/sets/image-set.ts';
import { inBatches } from '../../lib/concurrency.ts';
import { readInBlocks, readPlacements, readShelf } from '../read/snapshot.ts';
import {
  PLACEMENT_COLUMNS,
  type PlacementRow,
  type SqlValue,
  toPlacements,
  type WriteSession,
} from '../session.ts';

// Writes which images are on shelves, or have terms in their texts, in blocks of their numbers. Changes are collected and
// written together, block by block. So a commit costs the same in a larger catalogue.

/** Bounds the memory of what waits to be written: images, and keys, each of which takes as much as several images. */
const MAX_WAITING = 1_000_000;
const IMAGES_PER_KEY = 8;
/** Keys that are written at once. */
const KEYS_AT_ONCE = 4096;

export class BlockWriter<Key extends number | string> {
  readonly #session: WriteSession;
  readonly #table: string;
  readonly #key: string;
  /** By block and key, images in the order of the changes; those that leave are negative. */
  readonly #changes = new Map<number, Map<Key, number[]>>();
  #waiting = 0;
  readonly #onGrowth: (key: Key, growth: number) => void;

  /** `key` is the name of a column of the table. `onGrowth` hears how many images each key has gained. */
  constructor(
    session: WriteSession,
    table: string,
    key: string,
    onGrowth: (key: Key, growth: number) => void = () => {},
  ) {
    this.#session = session;
    this.#table = table;
    this.#key = key;
    this.#onGrowth = onGrowth;
  }

  /** Adds an image to a key, or removes one whose number is negative. */
  change(key: Key, image: number): void {
    const block = blockOf(Math.abs(image));
    let ofBlock = this.#changes.get(block);
    if (!ofBlock) {
      ofBlock = new Map();
      this.#changes.set(block, ofBlock);
    }
    const images = ofBlock.get(key);
    if (images) images.push(image);
    else {
      ofBlock.set(key, [image]);
      this.#waiting += IMAGES_PER_KEY;
    }
    this.#waiting++;
  }

  /** Moves an image from the keys that it has to others. */
  move(image: number, from: ReadonlySet<Key>, to: ReadonlySet<Key>): void {
    for (const key of from) if (!to.has(key)) this.change(key, -image);
    for (const key of to) if (!from.has(key)) this.change(key, image);
  }

  /** Forgets what is not written. */
  clear(): void {
    this.#changes.clear();
    this.#waiting = 0;
  }

  /** Writes all changes so far. */
  async write(): Promise<void> {
    for (const block of [...this.#changes.keys()]) await this.#writeBlock(block);
  }

  /** Writes changes if many wait. The last block comes last: it may get more images, and would be read and written again. */
  async writeIfMany(): Promise<void> {
    if (this.#waiting < MAX_WAITING) return;
    const blocks = [...this.#changes.keys()].sort((a, b) => a - b);
    for (const block of blocks)
      if (block !== blocks.at(-1) || this.#waiting >= MAX_WAITING) await this.#writeBlock(block);
  }

  async #writeBlock(block: number): Promise<void> {
    const changes = this.#changes.get(block) ?? new Map<Key, number[]>();
    this.#changes.delete(block);
    for (const images of changes.values()) this.#waiting -= images.length + IMAGES_PER_KEY;
    // Rows that are written in the order of the index take a fraction of the time.
    for (const keys of inBatches([...changes.keys()].sort(), KEYS_AT_ONCE))
      await this.#writeKeys(block, keys, changes);
  }

  async #writeKeys(block: number, keys: Key[], changes: Map<Key, number[]>): Promise<void> {
    const stored = await this.#takeBlocks(block, keys);
    const rows: SqlValue[][] = [];
    for (const key of keys) {
      const { content, growth } = changeImages(stored.get(key) ?? '', changes.get(key) ?? []);
      if (content !== '') rows.push([key, block, content]);
      this.#onGrowth(key, growth);
    }
    await this.#session.insert(this.#table, [this.#key, 'block', 'images'], rows);
  }

  /** Removes the blocks and returns what they had. */
  async #takeBlocks(block: number, keys: Key[]): Promise<Map<Key, string>> {
    const rows = await this.#session.query<{ key: Key; images: string }>(
      `delete from ${this.#table} where block = $1 and ${this.#key} = any($2) returning ${this.#key} as key, images`,
      [block, keys as string[] | number[]],
    );
    return new Map(rows.map(({ key, images }) => [key, images]));
  }
}

// Writes which images are on which shelves, and their sizes: for each image (`image_shelves`), and for each shelf in blocks
// (`shelf_block`). Sizes and covers of shelves are saved at the end, by `saveShelves`.

/** Images whose sizes wait in memory. */
const MAX_SIZED = 50_000;
/** Blocks have lower numbers. */
const MAX_BLOCK = 2 ** 31 - 1;

export class Placements {
  readonly #session: WriteSession;
  readonly #sfwShelf: number;
  readonly #blocks: BlockWriter<number>;
  /** By shelf, the newest image that it gained as a possible cover. */
  readonly #covers = new Map<number, number>();
  /** Shelves that lost possible covers, and these images. If one of them is the cover, another one has to be looked for. */
  readonly #losing = new Set<number>();
  readonly #lost = new Set<number>();
  /** Images whose size is new. */
  readonly #sized = new Map<number, Placed>();
  /** How many images the shelves written so far have gained. */
  readonly #growth = new Map<number, number>();

  constructor(session: WriteSession, sfwShelf: number) {
    this.#session = session;
    this.#sfwShelf = sfwShelf;
    this.#blocks = new BlockWriter(session, 'shelf_block', 'shelf', (shelf, growth) =>
      this.#grow(shelf, growth),
    );
  }

  /** Appends new images to their shelves. */
  async append(added: Placed[]): Promise<void> {
    const images = await this.#withAlbums(added);
    await this.#savePlacements(images);
    for (const placed of images) {
      const { image, shelves } = placed;
      for (const shelf of shelves) this.#blocks.change(shelf, image);
      if (shelves.includes(this.#sfwShelf)) this.#gainCover(image, shelves);
      this.#sized.set(image, placed);
    }
    await this.#writeIfMany();
  }

  /** Moves images from the shelves that they are on to those they belong on. */
  async move(moved: Placed[]): Promise<void> {
    const before = await this.#takePlacements(moved.map(({ image }) => image));
    const images = await this.#withAlbums(moved);
    for (const placed of images) {
      const former = before.get(placed.image);
      this.#move(placed.image, former?.shelves ?? [], placed.shelves);
      if (former?.width !== placed.width || former.height !== placed.height)
        this.#sized.set(placed.image, placed);
    }
    await this.#savePlacements(images);
    await this.#writeIfMany();
  }

  /** Places images again, some of which an album has gained or lost. */
  async moveInAlbum(album: number, images: number[]): Promise<void> {
    const before = await readPlacements(this.#session, images);
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
    for (const [image, { shelves }] of await this.#takePlacements(images)) this.#move(image, shelves, []);
    await this.#writeIfMany();
  }

  /** Rebuilds all blocks from the shelves of each image. */
  async renumberAll(): Promise<void> {
    this.#blocks.clear();
    this.#sized.clear();
    this.#growth.clear();
    this.#covers.clear();
    this.#losing.clear();
    await this.#session.run('delete from shelf_block');
    await this.#session.run('delete from size_block');
    await this.#session.run('update shelf set size = 0, cover = null');
    for await (const [block, placed] of readInBlocks(this.#session)) {
      const packed = packImages(placed);
      for (const [shelf, { size }] of packed) this.#grow(shelf, size);
      for (const { image, shelves } of placed)
        if (shelves.includes(this.#sfwShelf)) this.#gainCover(image, shelves);
      await this.#session.insert(
        'shelf_block',
        ['shelf', 'block', 'images'],
        Array.from(packed, ([shelf, { content }]) => [shelf, block, content]),
      );
      await this.#session.insert('size_block', ['block', 'sizes'], [[block, changeSizes('', placed)]]);
    }
  }

  /** The numbers of the images on a shelf, in ascending order. */
  async imagesOn(shelf: number): Promise<number[]> {
    await this.write();
    return readShelf(this.#session, shelf);
  }

  /** Writes all changes so far. */
  async write(): Promise<void> {
    await this.#blocks.write();
    await this.#writeSizes();
  }

  async #writeSizes(): Promise<void> {
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
    const changed = [...new Set([...this.#growth.keys(), ...this.#covers.keys(), ...this.#losing])];
    const shelves = (await this.#session.runWith(
      { number: 'int', growth: 'int', cover: 'int' },
      changed.map((number) => ({
        ...{ number, growth: this.#growth.get(number) ?? 0, cover: this.#covers.get(number) ?? null },
      })),
      `update shelf set size = shelf.size + given.growth,
         cover = case when shelf.cover > given.cover then shelf.cover else coalesce(given.cover, shelf.cover) end
       from given where given.number = shelf.number returning shelf.number, shelf.cover`,
    )) as { number: number; cover: number }[];
    const found: { number: number; cover: number | null }[] = [];
    for (const { number, cover } of shelves)
      if (this.#lost.has(cover)) found.push({ number, cover: await this.#findCover(number) });
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

  async #writeIfMany(): Promise<void> {
    await this.#blocks.writeIfMany();
    if (this.#sized.size >= MAX_SIZED) await this.#writeSizes();
  }

  /** Moves an image from the shelves that it is on to those it belongs on. */
  #move(image: number, from: number[], to: number[]): void {
    const [before, after] = [new Set(from), new Set(to)];
    this.#blocks.move(image, before, after);
    const possible = (shelves: Set<number>) => (shelves.has(this.#sfwShelf) ? shelves : new Set<number>());
    const [had, has] = [possible(before), possible(after)];
    this.#gainCover(image, has.difference(had));
    const lost = had.difference(has);
    for (const shelf of lost) this.#losing.add(shelf);
    if (lost.size > 0) this.#lost.add(image);
  }

  #gainCover(image: number, shelves: Iterable<number>): void {
    for (const shelf of shelves) this.#covers.set(shelf, Math.max(image, this.#covers.get(shelf) ?? 0));
  }

  #grow(shelf: number, growth: number): void {
    this.#growth.set(shelf, (this.#growth.get(shelf) ?? 0) + growth);
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
    const rows = await this.#session.query<PlacementRow>(
      `delete from image_shelves where image = any($1) returning ${PLACEMENT_COLUMNS}`,
      [images],
    );
    return toPlacements(rows, this.#session.dialect);
  }

  /** Documents do not say which albums an image is in: the albums do. */
  async #withAlbums(images: Placed[]): Promise<Placed[]> {
    const rows = await this.#session.query<{ image: number; album: number }>(
      `select image.number as image, album from image join album_image on album_image.image = image.id
       where image.number = any($1)`,
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
