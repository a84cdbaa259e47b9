/**
 * Groups of images that look alike, among all images. Two hashes within the distance of copies agree in one of eight bands
 * of 16 bits, but for one bit at most, so each is compared only with those that have such a band.
 */
import { HASH_WORDS, type HashIndex, MAX_COPY_DISTANCE } from './hash-index.ts';

const BANDS = 2 * HASH_WORDS;
const BAND_BITS = 16;
const BAND_VALUES = 2 ** BAND_BITS;

if (MAX_COPY_DISTANCE >= 2 * BANDS) throw new Error('images may differ in two bits of every band');

/**
 * Groups of two or more positions in the index, each in ascending order, the largest first. Copies of copies are in one
 * group. `onProgress` is called with the share of the work that each step was.
 */
export function groupLookAlikes(
  index: HashIndex,
  onProgress: (share: number) => void = () => {},
): number[][] {
  const groups = new Groups(index.size);
  const distinct = joinEqual(index, groups);
  for (let band = 0; band < BANDS; band++) {
    joinWithinBand(index, distinct, band, groups);
    onProgress(1 / BANDS);
  }
  return groups.list();
}

/**
 * Which positions of a group to keep, each with the others that look like it. A copy of a copy may look different by now, so
 * it is compared with what is kept: the best of all, then the best of the rest. `compare` sorts the best first.
 */
export function chooseBest(
  index: HashIndex,
  group: number[],
  compare: (one: number, other: number) => number,
): { best: number; others: number[] }[] {
  const choices: { best: number; others: number[] }[] = [];
  let rest = group.toSorted(compare);
  while (rest.length > 0) {
    const [best, ...more] = rest as [number, ...number[]];
    const { true: others = [], false: different = [] } = Object.groupBy(more, (position) =>
      String(index.areWithin(MAX_COPY_DISTANCE, best, position)),
    );
    if (others.length > 0) choices.push({ best, others });
    rest = different;
  }
  return choices;
}

/** Joins images with equal hashes, and returns the first of each: a catalogue may have any number of them. */
function joinEqual(index: HashIndex, groups: Groups): Uint32Array {
  const first = new Map<string, number>();
  for (let position = 0; position < index.size; position++) {
    const hash = index.hashAt(position).join();
    const same = first.get(hash);
    if (same === undefined) first.set(hash, position);
    else groups.join(same, position);
  }
  return Uint32Array.from(first.values());
}

function joinWithinBand(index: HashIndex, positions: Uint32Array, band: number, groups: Groups): void {
  const values = Uint16Array.from(positions, (position) => bandOf(index, position, band));
  const { starts, sorted } = sortByValue(positions, values);
  const joinWith = (position: number, value: number, from: number) => {
    const end = starts[value + 1] as number;
    for (let place = from; place < end; place++) {
      const other = sorted[place] as number;
      if (index.areWithin(MAX_COPY_DISTANCE, position, other)) groups.join(position, other);
    }
  };
  for (let value = 0; value < BAND_VALUES; value++)
    for (let place = starts[value] as number; place < (starts[value + 1] as number); place++) {
      const position = sorted[place] as number;
      joinWith(position, value, place + 1);
      // A neighbour with a smaller value has made the same comparison.
      for (let bit = 0; bit < BAND_BITS; bit++) {
        const neighbour = value | (1 << bit);
        if (neighbour !== value) joinWith(position, neighbour, starts[neighbour] as number);
      }
    }
}

function bandOf(index: HashIndex, position: number, band: number): number {
  const word = index.wordAt(position, band >>> 1);
  return band % 2 === 0 ? word & 0xffff : word >>> 16;
}

/** A counting sort: the positions with a value are those from `starts[value]` up to `starts[value + 1]`. */
function sortByValue(positions: Uint32Array, values: Uint16Array) {
  const starts = new Uint32Array(BAND_VALUES + 1);
  for (const value of values) starts[value + 1] = (starts[value + 1] as number) + 1;
  for (let value = 0; value < BAND_VALUES; value++)
    starts[value + 1] = (starts[value + 1] as number) + (starts[value] as number);
  const next = starts.slice();
  const sorted = new Uint32Array(positions.length);
  for (const [index, value] of values.entries()) {
    sorted[next[value] as number] = positions[index] as number;
    next[value] = (next[value] as number) + 1;
  }
  return { starts, sorted };
}

/** Disjoint sets of positions. */
class Groups {
  /** A chain of parents leads from each position to the smallest one of its group. */
  readonly #parents: Uint32Array;

  constructor(size: number) {
    this.#parents = Uint32Array.from({ length: size }, (_, position) => position);
  }

  join(one: number, other: number): void {
    const [a, b] = [this.#first(one), this.#first(other)];
    this.#parents[Math.max(a, b)] = Math.min(a, b);
  }

  list(): number[][] {
    const groups = new Map<number, number[]>();
    for (let position = 0; position < this.#parents.length; position++) {
      const first = this.#first(position);
      const group = groups.get(first);
      if (group) group.push(position);
      else groups.set(first, [position]);
    }
    return [...groups.values()]
      .filter(({ length }) => length > 1)
      .sort((a, b) => b.length - a.length || (a[0] as number) - (b[0] as number));
  }

  #first(position: number): number {
    let first = position;
    while (this.#parents[first] !== first) {
      // Shortens the chain on the way.
      const next = this.#parents[this.#parents[first] as number] as number;
      this.#parents[first] = next;
      first = next;
    }
    return first;
  }
}
