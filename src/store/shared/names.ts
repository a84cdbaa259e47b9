/** The names that searches look through, kept in memory as long as the catalogue stays the same. */

import { fold } from '../../catalogue/fold.ts';
import type { NameList } from '../../catalogue/search/scan.ts';
import type { Kind } from '../../catalogue/types.ts';
import { readSlices, type Slice } from './slices.ts';
import { changedTooOften, Kept, MAX_TRIES } from './versioned.ts';

/** The names of a kind, in the order of its list, from one position up to another. */
export type ReadNames = (kind: Kind, from: number, to: number) => Promise<Slice<string>>;

export class Names {
  readonly #readAtOnce: number;
  readonly #read: ReadNames;
  readonly #lists: Record<Kind, Kept<NameList>>;

  constructor(readAtOnce: number, read: ReadNames, version: () => number | Promise<number>) {
    this.#readAtOnce = readAtOnce;
    this.#read = read;
    const listOf = (kind: Kind) => new Kept(() => this.#readAll(kind), version);
    this.#lists = { artist: listOf('artist'), category: listOf('category'), character: listOf('character') };
  }

  of(kind: Kind): Promise<NameList> {
    return this.#lists[kind].current();
  }

  async #readAll(kind: Kind): Promise<NameList> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const folded: string[] = [];
      let maxLength = 0;
      const version = await readSlices(
        this.#readAtOnce,
        (from, to) => this.#read(kind, from, to),
        (name) => {
          folded.push(fold(name));
          maxLength = Math.max(maxLength, name.length);
        },
      );
      if (version !== undefined) return { kind, version, folded, maxLength };
    }
    throw changedTooOften();
  }
}
