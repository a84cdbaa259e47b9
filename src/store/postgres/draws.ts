/** The values of the statement that draws random images of a selection. */
import type { Draw } from '../shared/draws.ts';
import type { Selection } from '../shared/selection.ts';

/** In the order in which `statements.qualifying` explains them. */
export function qualifyingValues(selection: Selection, draws: Draw[], limit: number): unknown[] {
  const [first, ...others] = selection.choices;
  const shelves = first.shelves.map(({ number }) => number);
  const required = others.flatMap((choice, index) => choice.shelves.map(({ number }) => [index, number]));
  return [
    draws.map(({ index }) => shelves[index]),
    draws.map(({ position }) => position),
    required.map(([index]) => index),
    required.map(([, number]) => number),
    others.length,
    selection.excluded.map(({ number }) => number),
    first.mayOverlap ? shelves : [],
    limit,
  ];
}
