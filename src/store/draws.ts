/** Drawing random images of a selection without knowing all of them. */
import { drawPositions, shuffledPositions } from '../catalogue/sets/choose-images.ts';
import type { RandomInt } from '../lib/random.ts';
import { type Choice, countShelves, type Selection } from './selection.ts';
import type { Shelf } from './shelves.ts';
import type { Draw } from './view.ts';

/** After this many draws, finding the whole selection is cheaper. */
const MAX_DRAWS = 100;
/** Every draw is tested against every shelf. */
const MAX_SHELVES = 20;

/** A shelf as draws look at it. An ImageSet is one. */
export interface ShelfView {
  at(position: number): number;
  has(image: number): boolean;
}

/** A position on one of the shelves of a choice. */
interface Place {
  /** Index of the shelf within the choice. */
  index: number;
  position: number;
}

/** Whether drawing is expected to be cheaper than finding the whole selection. */
export function isDrawable(selection: Selection): boolean {
  return countShelves(selection) <= MAX_SHELVES;
}

/** `drawImages` for a database: either all positions of the smallest choice, or enough to give up when too few qualify. */
export function planDraw(selection: Selection, limit: number, randomInt: RandomInt): Draw {
  const [first, ...others] = selection.choices;
  const shelves = numbersOf(first.shelves);
  const positions = shuffledPositions(first.size, randomInt).take(MAX_DRAWS);
  return {
    places: positions
      .map((drawn) => locate(first, drawn))
      .map(({ index, position }) => ({ shelf: shelves[index] as number, position }))
      .toArray(),
    required: others.map((choice) => numbersOf(choice.shelves)),
    excluded: numbersOf(selection.excluded),
    bounds: selection.bounds,
    overlapping: first.mayOverlap ? shelves : [],
    limit,
  };
}

/** Whether `planDraw` covers the whole selection. */
export function isExhaustive({ choices: [first] }: Selection): boolean {
  return first.size <= MAX_DRAWS;
}

/**
 * The numbers of random images of the selection; `isWithinBounds` tests its bounds. Draws come from the smallest choice, and an image is taken if it meets
 * the other conditions. An image on several shelves of that choice is taken at the first of them only, or it would be more
 * likely than others. Undefined if too few are found: the caller then draws from the whole selection. Giving up does not
 * depend on any particular image, so the result is uniform either way.
 */
export function drawImages(
  selection: Selection,
  viewShelf: (shelf: Shelf) => ShelfView,
  isWithinBounds: (image: number) => boolean,
  limit: number,
  randomInt: RandomInt,
): number[] | undefined {
  const [first, ...others] = selection.choices;
  const views = first.shelves.map(viewShelf);
  const required = others.map(({ shelves }) => shelves.map(viewShelf));
  const excluded = selection.excluded.map(viewShelf);
  const imageAt = ({ index, position }: Place) => (views[index] as ShelfView).at(position);
  if (required.length + excluded.length === 0 && !first.mayOverlap && !selection.bounds)
    return drawPositions(first.size, limit, randomInt).map((position) => imageAt(locate(first, position)));
  const qualifies = (image: number) =>
    isWithinBounds(image) &&
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

function numbersOf(shelves: Shelf[]): number[] {
  return shelves.map(({ number }) => number);
}

function locate({ shelves }: Choice, drawn: number): Place {
  let index = 0;
  let position = drawn;
  for (; position >= (shelves[index] as Shelf).size; index++) position -= (shelves[index] as Shelf).size;
  return { index, position };
}
