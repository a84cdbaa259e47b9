/** Searching the names of a kind. The folded names are cached until the catalogue changes. */

import { normaliseName } from '../catalogue/names.ts';
import { fold } from '../catalogue/search/fold.ts';
import { type Node, parsePattern } from '../catalogue/search/pattern.ts';
import { type NameList, SearchTooLong, scan } from '../catalogue/search/scan.ts';
import { splitAtWildcards } from '../catalogue/search/shape.ts';
import type { Kind } from '../catalogue/types.ts';
import { LruCache } from '../lib/lru-cache.ts';
import { defaultTuning } from '../lib/tuning.ts';
import type { Caller } from './contract/catalogue.ts';
import { CHEAP_WORK, FairQueue, type Spend } from './fair-queue.ts';
import { readSlices, type SliceReader } from './slices.ts';
import { retryOnChange, VersionedCache } from './versions.ts';

/** Positions in the list of a kind, as of one version of the catalogue. */
export interface Matches {
  version: number;
  positions: number[];
}

interface Result {
  version: number;
  /** Undefined if the search takes too long. */
  positions: number[] | undefined;
  bytes: number;
}

/** Pages of the same search, and clients that repeat one, need no other scan. */
const MAX_RESULT_BYTES = 8 * 1024 * 1024;

export class NameSearch {
  readonly #reader: SliceReader;
  readonly #isCaching: boolean;
  readonly #names: Record<Kind, VersionedCache<NameList>>;
  readonly #queue = new FairQueue();
  /** By kind and pattern. */
  readonly #results = new LruCache<string, Result>(MAX_RESULT_BYTES);

  constructor(reader: SliceReader, tuning = defaultTuning) {
    this.#reader = reader;
    this.#isCaching = tuning.isCaching;
    const cacheNames = (kind: Kind) =>
      new VersionedCache(
        () => this.#readNames(kind),
        () => reader.currentVersion(),
        tuning,
      );
    this.#names = {
      artist: cacheNames('artist'),
      category: cacheNames('category'),
      character: cacheNames('character'),
    };
  }

  async find(kind: Kind, text: string, caller: Caller): Promise<Matches> {
    const pattern = normaliseName(text);
    const parsed = parsePattern(pattern);
    const names = await this.#names[kind].get();
    const key = `${kind} ${pattern}`;
    const cached = () => {
      const result = this.#results.get(key);
      return result?.version === names.version ? result : undefined;
    };
    // Patterns of literals are always cheap, so they overtake the others even before any has started.
    const expected = splitAtWildcards(parsed) ? 0 : CHEAP_WORK;
    const compute = async (spend: Spend) => {
      const result = cached() ?? (await runScan(parsed, names, spend));
      if (this.#isCaching) this.#results.set(key, result);
      return result;
    };
    const { version, positions } = cached() ?? (await this.#queue.run(caller, expected, compute));
    if (!positions) throw new SearchTooLong();
    return { version, positions };
  }

  #readNames(kind: Kind): Promise<NameList> {
    const { namesPerSlice } = this.#reader;
    return retryOnChange(async () => {
      const folded: string[] = [];
      const version = await readSlices(
        namesPerSlice,
        (from, to) => this.#reader.readNames(kind, from, to),
        (name) => folded.push(fold(name)),
      );
      return { kind, version, folded };
    });
  }
}

async function runScan(pattern: Node, names: NameList, spend: Spend): Promise<Result> {
  const { version } = names;
  try {
    const positions = await scan(pattern, names, spend);
    return { version, positions, bytes: 8 * positions.length };
  } catch (error) {
    if (!(error instanceof SearchTooLong)) throw error;
    return { version, positions: undefined, bytes: 0 };
  }
}
