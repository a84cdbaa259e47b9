/** Searching the names of a kind. */
import { parsePattern } from '../../catalogue/search/pattern.ts';
import { type NameList, type ScanOptions, scan } from '../../catalogue/search/scan.ts';
import { Unavailable } from '../../errors.ts';
import { yieldToEventLoop } from '../../event-loop.ts';

const scanOptions: ScanOptions = {
  budget: 1000,
  slice: 5,
  clock: () => performance.now(),
  pause: yieldToEventLoop,
};
/** More searches than this would only wait for each other. */
const MAX_CONCURRENT = 32;

export class NameSearch {
  #running = 0;

  /** The positions of the names that match. */
  async find(names: NameList, pattern: string): Promise<number[]> {
    if (this.#running >= MAX_CONCURRENT) throw new Unavailable('too many searches are running');
    this.#running++;
    try {
      return await scan(parsePattern(pattern), names, scanOptions);
    } finally {
      this.#running--;
    }
  }
}
