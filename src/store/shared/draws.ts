/** Drawing random images of a selection without knowing all of them. */
import { drawPositions, shuffledPositions } from '../../catalogue/sampling.ts';
import type { RandomInt } from '../../random.ts';
import { type Choice, countShelves, type Selection } from './selection.ts';
import type { Shelf } from './shelves.ts';

/** After this many draws, finding the whole selection is cheaper. */
const MAX_DRAWS = 100;
/** Every draw is tested against every shelf. */
const MAX_SHELVES = 20;

/** A shelf as draws look at it. An ImageSet is one. */
export interface ShelfView {
  at(position: number): number;
  has(image: number): boolean;
}

/** A random position on one of the shelves of a choice. */
export interface Draw {
  /** Index of the shelf within the choice. */
  index: number;
  position: number;
}

/** Whether drawing is expected to be cheaper than finding the whole selection. */
export function isDrawable(selection: Selection): boolean {
  return countShelves(selection) <= MAX_SHELVES;
}

/** Distinct draws from a choice: either all positions, or enough to give up when too few of them qualify. */
export function makeDraws(choice: Choice, randomInt: RandomInt): Draw[] {
  const draws: Draw[] = [];
  for (const position of shuffledPositions(choice.size, randomInt).take(MAX_DRAWS))
    draws.push(locate(choice, position));
  return draws;
}

/** Whether `makeDraws` covers the whole choice. */
export function isExhaustive({ size }: Choice): boolean {
  return size <= MAX_DRAWS;
}

/**
 * The numbers of random images of the selection. Draws come from the smallest choice, and an image is taken if it meets
 * the other conditions. An image on several shelves of that choice is taken at the first of them only, or it would be more
 * likely than others. Undefined if too few are found: the caller then draws from the whole selection. Giving up does not
 * depend on any particular image, so the result is uniform either way.
 */
export function drawImages(
  selection: Selection,
  viewShelf: (shelf: Shelf) => ShelfView,
  limit: number,
  randomInt: RandomInt,
): number[] | undefined {
  if (!isDrawable(selection)) return undefined;
  const [first, ...others] = selection.choices;
  const views = first.shelves.map(viewShelf);
  const required = others.map(({ shelves }) => shelves.map(viewShelf));
  const excluded = selection.excluded.map(viewShelf);
  const imageAt = ({ index, position }: Draw) => (views[index] as ShelfView).at(position);
  if (required.length + excluded.length === 0 && !first.mayOverlap)
    return drawPositions(first.size, limit, randomInt).map((position) => imageAt(locate(first, position)));
  const qualifies = (image: number) =>
    required.every((choice) => choice.some((shelf) => shelf.has(image))) &&
    !excluded.some((shelf) => shelf.has(image));
  const images: number[] = [];
  let draws = 0;
  for (const drawn of shuffledPositions(first.size, randomInt)) {
    if (images.length === limit) break;
    if (++draws > MAX_DRAWS) return undefined;
    const draw = locate(first, drawn);
    const image = imageAt(draw);
    const isRepeated = first.mayOverlap && views.slice(0, draw.index).some((shelf) => shelf.has(image));
    if (!isRepeated && qualifies(image)) images.push(image);
  }
  return images;
}

function locate({ shelves }: Choice, drawn: number): Draw {
  let index = 0;
  let position = drawn;
  for (; position >= (shelves[index] as Shelf).size; index++) position -= (shelves[index] as Shelf).size;
  return { index, position };
}
