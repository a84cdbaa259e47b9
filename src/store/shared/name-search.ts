/** Searching the names of a kind. The folded names are cached until the catalogue changes. */
import { fold } from '../../catalogue/fold.ts';
import { parsePattern } from '../../catalogue/search/pattern.ts';
import { type NameList, type ScanOptions, scan } from '../../catalogue/search/scan.ts';
import type { Kind } from '../../catalogue/types.ts';
import { Unavailable } from '../../errors.ts';
import { yieldToEventLoop } from '../../event-loop.ts';
import { readSlices, type SliceReader } from './slices.ts';
import { retryOnChange, VersionedCache } from './versions.ts';

const scanOptions: ScanOptions = {
  budget: 1000,
  slice: 5,
  clock: () => performance.now(),
  pause: yieldToEventLoop,
};
/** More searches than this would only wait for each other. */
const MAX_CONCURRENT = 32;

/** Positions in the list of a kind, as of one version of the catalogue. */
export interface Matches {
  version: number;
  positions: number[];
}

export class NameSearch {
  readonly #reader: SliceReader;
  readonly #names: Record<Kind, VersionedCache<NameList>>;
  #running = 0;

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

  async find(kind: Kind, pattern: string): Promise<Matches> {
    if (this.#running >= MAX_CONCURRENT) throw new Unavailable('too many searches are running');
    this.#running++;
    try {
      const parsed = parsePattern(pattern);
      const names = await this.#names[kind].get();
      return { version: names.version, positions: await scan(parsed, names, scanOptions) };
    } finally {
      this.#running--;
    }
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
