/**
 * Writes which images are on shelves, or have terms in their texts, in blocks of their numbers. Changes are collected and
 * written together, block by block. So a commit costs the same in a larger catalogue.
 */
import { blockOf, changeImages } from '../../catalogue/sets/blocks.ts';
import { inBatches } from '../../lib/concurrency.ts';
import type { SqlType, SqlValue, WriteSession } from '../session.ts';

/** Bounds the memory of what waits to be written: images, and keys, each of which takes as much as several images. */
const MAX_WAITING = 1_000_000;
const IMAGES_PER_KEY = 8;
/** Keys that are written at once. */
const KEYS_AT_ONCE = 4096;

export class BlockWriter<Key extends number | string> {
  readonly #session: WriteSession;
  readonly #table: string;
  readonly #key: string;
  readonly #type: SqlType;
  /** By block and key, images in the order of the changes; those that leave are negative. */
  readonly #changes = new Map<number, Map<Key, number[]>>();
  #waiting = 0;
  readonly #onGrowth: (key: Key, growth: number) => void;

  /** `key` is the name of a column of the table. `onGrowth` hears how many images each key has gained. */
  constructor(
    session: WriteSession,
    table: string,
    key: string,
    type: SqlType,
    onGrowth: (key: Key, growth: number) => void = () => {},
  ) {
    this.#session = session;
    this.#table = table;
    this.#key = key;
    this.#type = type;
    this.#onGrowth = onGrowth;
  }

  add(key: Key, image: number): void {
    this.#change(key, image);
  }

  /** Moves an image from the keys that it has to others. */
  move(image: number, from: ReadonlySet<Key>, to: ReadonlySet<Key>): void {
    for (const key of from) if (!to.has(key)) this.#change(key, -image);
    for (const key of to) if (!from.has(key)) this.#change(key, image);
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
    const isOneOf = this.#session.dialect.isOneOf('$2', this.#type);
    const rows = await this.#session.query<{ key: Key; images: string }>(
      `delete from ${this.#table} where block = $1 and ${this.#key} ${isOneOf} returning ${this.#key} as key, images`,
      [block, keys as string[] | number[]],
    );
    return new Map(rows.map(({ key, images }) => [key, images]));
  }

  #change(key: Key, image: number): void {
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
}
