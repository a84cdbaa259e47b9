/** What a seeded walk goes through, as text. */
import type { Filter } from './catalogue.ts';
import { fold } from './fold.ts';

/** The same for the same seed and filters, however they are written: neither the order of names nor their case matters. */
export function cursorScope(seed: string, filter: Filter): string {
  const { ratings = [], orientations = [], categories = [], match, exclude = [], artist, character } = filter;
  const sorted = (names: readonly string[]) => [...new Set(names)].sort();
  const folded = (names: readonly string[]) => sorted(names.map(fold));
  const names = folded(categories);
  const isAny = match === 'any' && names.length > 1;
  return JSON.stringify([
    ...[seed, sorted(ratings), sorted(orientations), names, isAny, folded(exclude)],
    ...[artist ?? null, character ?? null],
  ]);
}
