/** Finds pictures of an import that look like pictures of the catalogue, or like earlier ones of the same import. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { HashIndex, MAX_COPY_DISTANCE, Nearest, parseHash } from '../../catalogue/sets/hash-index.ts';
import type { CatalogueSnapshot, SavedImage } from '../../catalogue/writer.ts';
import { PictureError, readPicture } from '../../media/picture.ts';

const HASHES_PER_TICK = 10_000;
/** An original is among the nearest ones. */
const MAX_FOUND = 10;

export interface NearDuplicate {
  label: string;
  /** The label of the other picture, or the id of its image. */
  other: string;
}

/** What an import needs to know about the looks of pictures. */
export type Looks = Pick<NearDuplicates, 'add' | 'find'>;

/** For imports of pictures that nobody compares. */
export const noLooks: Looks = { add: async () => {}, find: async () => [] };

export class NearDuplicates {
  readonly #openSnapshot: () => Promise<CatalogueSnapshot>;
  readonly #maxListed: number;
  readonly #listed: { label: string; position: number }[] = [];
  #count = 0;
  /** The pictures of the catalogue, followed by the new ones. Loaded when the first new one is added. */
  #index: HashIndex | undefined;
  #firstNew = 0;
  readonly #new: { label: string; id: string }[] = [];

  constructor(openSnapshot: () => Promise<CatalogueSnapshot>, maxListed: number) {
    this.#openSnapshot = openSnapshot;
    this.#maxListed = maxListed;
  }

  /** How many were found, listed or not. */
  get count(): number {
    return this.#count;
  }

  /** A picture was added as the image with this id. */
  async add(label: string, id: string, perceptualHash: string): Promise<void> {
    const hash = parseHash(perceptualHash);
    if (!hash) return;
    const index = await this.#load();
    const [position] = findCopies(index, hash, 1);
    if (position !== undefined) {
      this.#count++;
      if (this.#listed.length < this.#maxListed) this.#listed.push({ label, position });
    }
    // New pictures are found by their position, so their number does not matter.
    index.add(0, perceptualHash);
    this.#new.push({ label, id });
  }

  /** The images that a picture looks like, the nearest first. */
  async find(perceptualHash: string): Promise<{ id: string; label: string }[]> {
    const hash = parseHash(perceptualHash);
    if (!hash) return [];
    const index = await this.#load();
    const found = findCopies(index, hash, MAX_FOUND);
    const existing = found.filter((position) => position < this.#firstNew);
    const ids = await this.#findIds(existing.map((position) => index.imageAt(position)));
    return found.flatMap((position) => {
      const id = ids.get(index.imageAt(position));
      return this.#new[position - this.#firstNew] ?? (id === undefined ? [] : { id, label: `image ${id}` });
    });
  }

  /** The first of those that were found. */
  async list(): Promise<NearDuplicate[]> {
    const index = this.#index;
    if (!index || this.#listed.length === 0) return [];
    const existing = this.#listed.filter(({ position }) => position < this.#firstNew);
    const ids = await this.#findIds(existing.map(({ position }) => index.imageAt(position)));
    return this.#listed.map(({ label, position }) => ({
      label,
      other: this.#new[position - this.#firstNew]?.label ?? `image ${ids.get(index.imageAt(position))}`,
    }));
  }

  async #findIds(numbers: number[]): Promise<Map<number, string>> {
    if (numbers.length === 0) return new Map();
    await using snapshot = await this.#openSnapshot();
    const rows = await snapshot.imagesByNumber(numbers);
    return new Map(rows.map(({ number, id }) => [number, id]));
  }

  async #load(): Promise<HashIndex> {
    if (this.#index) return this.#index;
    await using snapshot = await this.#openSnapshot();
    this.#index = await loadHashes(snapshot);
    this.#firstNew = this.#index.size;
    return this.#index;
  }
}

/** The positions of the nearest ones. */
function findCopies(index: HashIndex, hash: Int32Array, limit: number): number[] {
  const nearest = new Nearest(limit);
  index.scan(hash, MAX_COPY_DISTANCE, 0, index.size, (position, distance) => nearest.add(position, distance));
  return nearest.positions();
}

/** Yields now and then: there may be a million. */
export async function loadHashes(snapshot: CatalogueSnapshot): Promise<HashIndex> {
  const index = new HashIndex();
  let count = 0;
  for await (const { image, hash } of snapshot.perceptualHashes()) {
    index.add(image, hash);
    if (++count % HASHES_PER_TICK === 0) await nextTick();
  }
  return index;
}

/**
 * The images that a picture looks like, the nearest first. None if it is one of them to the byte, or cannot be read: an
 * import says so.
 */
export async function findLookAlikes(
  bytes: Buffer,
  snapshot: CatalogueSnapshot,
  limit: number,
): Promise<SavedImage[]> {
  const read = await readPicture(bytes, []).catch(() => undefined);
  if (!read) return [];
  const found = await findByHash(read.facts.perceptualHash ?? '', snapshot, limit);
  return found.some(({ eTag }) => eTag === read.facts.hash) ? [] : found;
}

/** That look like a picture that somebody searches with. */
export const MAX_LIKE = 500;

/** What a picture that somebody searches with looks like. */
export async function hashPicture(bytes: Buffer): Promise<string> {
  const { facts } = await readPicture(bytes, []);
  if (!facts.perceptualHash) throw new PictureError('it has too little detail to compare it with others');
  return facts.perceptualHash;
}

/** The images that look like one with this hash, the nearest first. */
export async function findByHash(
  perceptualHash: string,
  snapshot: CatalogueSnapshot,
  limit: number,
): Promise<SavedImage[]> {
  const hash = parseHash(perceptualHash);
  if (!hash) return [];
  const index = await loadHashes(snapshot);
  const numbers = findCopies(index, hash, limit).map((position) => index.imageAt(position));
  const rows = new Map((await snapshot.imagesByNumber(numbers)).map((row) => [row.number, row]));
  return numbers.flatMap((number) => rows.get(number) ?? []);
}
