/** What a cursor is valid for: a seed and filters, as text. */
import type { Filter } from './catalogue.ts';
import { fold } from './fold.ts';

/** The same text for the same seed and filters: neither the order of names nor their case matters. */
export function cursorScope(seed: string, filter: Filter): string {
  const categories = namesIn(filter.categories);
  // With fewer than two categories, "all" and "any" mean the same.
  const match = categories.length > 1 ? (filter.match ?? 'all') : undefined;
  const { nsfw, orientation, exclude, artist, character } = filter;
  return JSON.stringify([
    ...[seed, namesIn(nsfw), namesIn(orientation), categories, match, namesIn(exclude), artist, character],
  ]);
}

function namesIn(list: readonly string[] = []): string[] {
  return [...new Set(list.map(fold))].sort();
}
