/** Names that someone may have meant. Pure. */
import { fold } from './fold.ts';

const MAX_SUGGESTIONS = 3;

/** Those that differ from the name by a third of its characters at most, or contain it; the nearest first. */
export function nearNames(name: string, names: Iterable<string>): string[] {
  const wanted = [...fold(name)];
  const maxDistance = Math.max(1, Math.floor(wanted.length / 3));
  const near: { name: string; distance: number }[] = [];
  for (const candidate of names) {
    const folded = fold(candidate);
    const distance = editDistance(wanted, [...folded], maxDistance);
    if (distance <= maxDistance) near.push({ name: candidate, distance });
    else if (folded.includes(fold(name))) near.push({ name: candidate, distance: maxDistance + 1 });
  }
  return near
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/** How many characters to insert, remove or replace; any number above `max` if it is more. */
function editDistance(a: string[], b: string[], max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, character] of a.entries()) {
    const next = [index + 1];
    for (const [column, other] of b.entries()) {
      const replaced = (row[column] as number) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] as number) + 1, (next[column] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
