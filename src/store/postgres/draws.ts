/** Drawing random images of a selection: in memory, or by a statement. */
import { drawPositions } from '../../catalogue/sampling.ts';
import type { RandomInt } from '../../random.ts';
import { drawImages, isDrawable, makeDraws, type ShelfView } from '../shared/draws.ts';
import { type Selection, soleShelf } from '../shared/selection.ts';
import type { Shelf } from '../shared/shelves.ts';
import type { LoadedShelves } from './loaded-shelves.ts';
import type { Statement } from './servers.ts';
import { statements } from './statements.ts';

/** Undefined if not all shelves are in memory. */
export function drawInMemory(
  selection: Selection,
  shelves: LoadedShelves,
  limit: number,
  randomInt: RandomInt,
): number[] | 'too few' | undefined {
  if (!isDrawable(selection)) return 'too few';
  const named = selection.choices.flatMap((choice) => choice.shelves).concat(selection.excluded);
  const views = new Map<Shelf, ShelfView | undefined>();
  for (const shelf of named) views.set(shelf, shelves.get(shelf, selection.of));
  if (named.some((shelf) => !views.get(shelf))) return undefined;
  return drawImages(selection, (shelf) => views.get(shelf) as ShelfView, limit, randomInt) ?? 'too few';
}

/** A statement that draws images, and its values. */
export function drawStatement(
  selection: Selection,
  limit: number,
  randomInt: RandomInt,
): [Statement, unknown[]] {
  const shelf = soleShelf(selection);
  if (shelf) return [statements.imagesAt, [shelf.number, drawPositions(shelf.size, limit, randomInt)]];
  const [first, ...others] = selection.choices;
  const draws = makeDraws(first, randomInt);
  const shelves = first.shelves.map(({ number }) => number);
  const required = others.flatMap((choice, index) => choice.shelves.map(({ number }) => [index, number]));
  return [
    statements.qualifying,
    [
      draws.map(({ index }) => shelves[index]),
      draws.map(({ position }) => position),
      required.map(([index]) => index),
      required.map(([, number]) => number),
      others.length,
      selection.excluded.map(({ number }) => number),
      first.mayOverlap ? shelves : [],
      limit,
    ],
  ];
}
