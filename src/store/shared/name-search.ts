/** Searching the names of a kind. The folded names are cached until the catalogue changes. */

import type { Caller } from '../../catalogue/catalogue.ts';
import { fold } from '../../catalogue/fold.ts';
import { parsePattern } from '../../catalogue/search/pattern.ts';
import { type NameList, scan } from '../../catalogue/search/scan.ts';
import { splitAtWildcards } from '../../catalogue/search/shape.ts';
import type { Kind } from '../../catalogue/types.ts';
import { FairQueue, WORK_PER_SLICE } from './fair-queue.ts';
import { readSlices, type SliceReader } from './slices.ts';
import { retryOnChange, VersionedCache } from './versions.ts';

/** Positions in the list of a kind, as of one version of the catalogue. */
export interface Matches {
  version: number;
  positions: number[];
}

export class NameSearch {
  readonly #reader: SliceReader;
  readonly #names: Record<Kind, VersionedCache<NameList>>;
  readonly #queue = new FairQueue();

  constructor(reader: SliceReader) {
    this.#reader = reader;
    const cacheNames = (kind: Kind) =>
      new VersionedCache(
        () => this.#readNames(kind),
        () => reader.currentVersion(),
      );
    this.#names = {
      artist: cacheNames('artist'),
      category: cacheNames('category'),
      character: cacheNames('character'),
    };
  }

  async find(kind: Kind, pattern: string, caller: Caller): Promise<Matches> {
    const parsed = parsePattern(pattern);
    const names = await this.#names[kind].get();
    // Patterns of literals are always cheap, so they overtake the others even before any has started.
    const expected = splitAtWildcards(parsed) ? 0 : WORK_PER_SLICE;
    const positions = await this.#queue.run(caller, expected, (spend) => scan(parsed, names, spend));
    return { version: names.version, positions };
  }

  #readNames(kind: Kind): Promise<NameList> {
    const { namesPerSlice } = this.#reader;
    return retryOnChange(async () => {
      const folded: string[] = [];
      let maxLength = 0;
      const version = await readSlices(
        namesPerSlice,
        (from, to) => this.#reader.readNames(kind, from, to),
        (name) => {
          folded.push(fold(name));
          maxLength = Math.max(maxLength, name.length);
        },
      );
      return version === undefined ? undefined : { kind, version, folded, maxLength };
    });
  }
}
