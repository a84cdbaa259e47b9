/** A page of the records whose names match a pattern. */

import type { Catalogue } from '../../catalogue/catalogue.ts';
import { parsePattern } from '../../catalogue/search/pattern.ts';
import { PatternTooExpensive } from '../../catalogue/search/positions.ts';
import { PatternError } from '../../catalogue/search/reader.ts';
import { type ScanOptions, scan } from '../../catalogue/search/scan.ts';
import type { Kind, Page, Window } from '../../catalogue/types.ts';
import { Unavailable } from '../../errors.ts';
import { yieldToEventLoop } from '../../event-loop.ts';
import { ApiError } from '../server/errors.ts';

const scanning: ScanOptions = {
  budget: 1000,
  slice: 5,
  clock: () => performance.now(),
  pause: yieldToEventLoop,
};

/** How often a search begins anew because of imports. */
const MAX_TRIES = 100;
/** More searches than this would only wait for each other. */
const MAX_AT_ONCE = 32;
let running = 0;

export async function searchPage(
  catalogue: Catalogue,
  kind: Kind,
  search: string,
  { offset, limit }: Window,
): Promise<Page> {
  if (running >= MAX_AT_ONCE)
    throw new ApiError(503, 'Too many searches are running: try again in a second.', { 'Retry-After': '1' });
  running++;
  try {
    const pattern = parsePattern(search);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const names = await catalogue.names(kind);
      const positions = await scan(pattern, names, scanning);
      const documents = await catalogue.listed(names, positions.slice(offset, offset + limit));
      // An import came in between: what was found is of a catalogue that is gone.
      if (documents) return { total: positions.length, items: documents };
    }
    throw new Unavailable('the catalogue changes faster than it can be searched');
  } catch (error) {
    if (error instanceof PatternError) throw new ApiError(400, `Invalid search query: ${error.message}.`);
    if (error instanceof PatternTooExpensive)
      throw new ApiError(
        400,
        'Invalid search query: the pattern is too expensive; use fewer or smaller repetitions.',
      );
    throw error;
  } finally {
    running--;
  }
}
