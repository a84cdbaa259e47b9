/** Drawing images of a selection uniformly, without knowing all of it. */
import { drawPositions, shuffledPositions } from '../../catalogue/sampling.ts';
import type { RandomInt } from '../../random.ts';
import { type Choice, type Selection, shelfCount } from './selection.ts';
import type { Shelf } from './shelves.ts';

/** How many draws may be made before the selection itself is worked out. */
const MAX_DRAWS = 100;
/** Of a selection with more shelves than this it is worked out at once: each draw would have to look at all of them. */
const MAX_SHELVES = 20;

/** How a store looks at shelves: which image is at a position, and whether an image is there at all. */
export interface Look {
  finder(shelf: Shelf): (position: number) => number;
  tester(shelf: Shelf): (image: number) => boolean;
}

/** A place on one of the shelves of a choice. */
export interface Place {
  /** Which of the shelves. */
  index: number;
  position: number;
}

/** Whether drawing is quicker than working the selection out. */
export function isForDrawing(selection: Selection): boolean {
  return shelfCount(selection) <= MAX_SHELVES;
}

/** So many places of a choice that something must be found there, or nothing much is there: distinct, in random order. */
export function* drawPlaces(choice: Choice, randomInt: RandomInt): Generator<Place, void> {
  for (const position of shuffledPositions(choice.size, randomInt).take(MAX_DRAWS))
    yield placeOf(choice, position);
}

/** Whether these draws have all that there is to find. */
export function isEverything({ size }: Choice): boolean {
  return size <= MAX_DRAWS;
}

/**
 * The numbers of images of the selection. Places are drawn on the shelves of its smallest choice, and the image there is
 * taken when it meets the others too. An image that is on several of these shelves is taken at the first of them only, or
 * it would be more likely than others. Undefined where too few are found: then they are to be drawn from the selection
 * itself. Giving up depends on no particular image, so the result is uniform either way.
 */
export function drawFrom(
  selection: Selection,
  limit: number,
  randomInt: RandomInt,
  look: Look,
): number[] | undefined {
  if (!isForDrawing(selection)) return undefined;
  const [first, ...others] = selection.choices;
  const imageAt = finderOf(first, look);
  const tests = [
    ...others.map(({ shelves }) => anyOf(shelves.map((shelf) => look.tester(shelf)))),
    ...selection.none.map((shelf) => not(look.tester(shelf))),
  ];
  if (tests.length === 0 && !first.mayOverlap)
    return drawPositions(first.size, limit, randomInt).map(imageAt) as number[];
  const images: number[] = [];
  let draws = 0;
  for (const position of shuffledPositions(first.size, randomInt)) {
    if (images.length === limit) break;
    if (++draws > MAX_DRAWS) return undefined;
    const image = imageAt(position);
    if (image !== undefined && tests.every((isMet) => isMet(image))) images.push(image);
  }
  return images;
}

type Test = (image: number) => boolean;

const not =
  (isMet: Test): Test =>
  (image) =>
    !isMet(image);

function anyOf(tests: Test[]): Test {
  const [only] = tests;
  return only && tests.length === 1 ? only : (image) => tests.some((isMet) => isMet(image));
}

/** Gives the image at a position of a choice; undefined where it is on an earlier shelf of it too. */
function finderOf(choice: Choice, look: Look): (position: number) => number | undefined {
  const finders = choice.shelves.map((shelf) => look.finder(shelf));
  const [only] = finders;
  if (only && finders.length === 1) return only;
  const tests = choice.mayOverlap ? choice.shelves.map((shelf) => look.tester(shelf)) : [];
  return (at) => {
    const { index, position } = placeOf(choice, at);
    const image = finders[index]?.(position) as number;
    return tests.slice(0, index).some((isOn) => isOn(image)) ? undefined : image;
  };
}

function placeOf({ shelves }: Choice, position: number): Place {
  let index = 0;
  let left = position;
  for (; left >= (shelves[index] as Shelf).size; index++) left -= (shelves[index] as Shelf).size;
  return { index, position: left };
}
