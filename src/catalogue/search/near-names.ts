/** Names that someone may have meant. Pure. */
import { editDistance } from '../../lib/text.ts';
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
