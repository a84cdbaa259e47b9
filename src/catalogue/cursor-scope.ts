/** The scope of a cursor: the order and the filter that it was issued for, as text. */
import type { Filter } from '../store/contract/catalogue.ts';
import { fold } from './search/fold.ts';

/**
 * The order is that of a seed, or newest first without one. The order, case and repeats of names in a list do not matter,
 * and neither does an empty list. Fields that are not given are left out, so a new filter does not invalidate older cursors.
 */
export function cursorScope(seed: string | undefined, filter: Filter): string {
  const conditions = Object.entries(filter)
    .map(([field, value]) => [field, Array.isArray(value) ? canonicalList(value) : value] as const)
    .filter(([field, value]) => (field === 'match' ? isMatchAny(filter) : isGiven(value)))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([seed ?? null, conditions]);
}

function canonicalList(names: readonly string[]): string[] {
  return [...new Set(names.map(fold))].sort();
}

function isGiven(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** With fewer than two categories, "any" and "all" mean the same, and "all" is the default. */
function isMatchAny({ match, categories = [] }: Filter): boolean {
  return match === 'any' && canonicalList(categories).length > 1;
}
