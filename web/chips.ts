/**
 * The categories to choose from. They are those of the pictures on show, the most frequent ones first: that takes no call,
 * and each of them leads to at least one picture together with those that are chosen already.
 */
import type { Picture } from './types.ts';

const MOST = 18;

export interface Chip {
  name: string;
  isChosen: boolean;
}

export function chipsOf(pictures: readonly Picture[], chosen: readonly string[]): Chip[] {
  const counts = new Map<string, number>();
  for (const { categories } of pictures)
    for (const { name } of categories) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isChosen = (name: string) => chosen.some((other) => isSame(other, name));
  const others = [...counts]
    .filter(([name]) => !isChosen(name))
    .sort(([name, count], [other, more]) => more - count || name.localeCompare(other))
    .map(([name]) => ({ name, isChosen: false }));
  return [...chosen.map((name) => ({ name, isChosen: true })), ...others].slice(
    0,
    Math.max(MOST, chosen.length),
  );
}

export function toggled(chosen: readonly string[], name: string): string[] {
  const without = chosen.filter((other) => !isSame(other, name));
  return without.length < chosen.length ? without : [...chosen, name];
}

/** The API does not mind case either. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
