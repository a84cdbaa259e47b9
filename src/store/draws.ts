/** Drawing images from shelves, uniformly, where looking at one image is cheap. (PostgreSQL looks at many in one statement.) */
import { fold } from '../catalogue/fold.ts';
import { drawPositions, shuffledPositions } from '../catalogue/sampling.ts';
import type { Chance } from '../model.ts';
import { MOST_DRAWS, type Shelf, type Shelves } from './shelves.ts';

/** How a store looks at shelves: which image is at a position, and whether an image is there at all. */
export interface Look {
  finder(shelf: Shelf): (position: number) => number;
  tester(shelf: Shelf): (image: number) => boolean;
}

/** The shelves of categories, the smallest first. */
export function shelvesNamed(
  { categories }: Shelves,
  names: string[],
): { shelves: Shelf[] } | { unknownCategories: string[] } {
  const found = new Set<Shelf>();
  const unknownCategories: string[] = [];
  for (const name of names) {
    const shelf = categories.get(fold(name));
    if (shelf) found.add(shelf);
    else unknownCategories.push(name);
  }
  if (unknownCategories.length > 0) return { unknownCategories };
  return { shelves: [...found].sort((a, b) => a.size - b.size) };
}

/**
 * The numbers of images that stand on each of the shelves. Positions are drawn on the first one, and an image is kept when
 * it is on the others too. Undefined where that finds too few: then they are to be drawn from what the shelves have in
 * common. Giving up depends on no particular image, so the result is uniform either way.
 */
export function drawFrom(
  [first, ...others]: [Shelf, ...Shelf[]],
  limit: number,
  chance: Chance,
  look: Look,
): number[] | undefined {
  const imageAt = look.finder(first);
  if (others.length === 0) return drawPositions(first.size, limit, chance).map(imageAt);
  const tests = others.map((shelf) => look.tester(shelf));
  const images: number[] = [];
  let draws = 0;
  for (const position of shuffledPositions(first.size, chance)) {
    if (images.length === limit) break;
    if (++draws > MOST_DRAWS) return undefined;
    const image = imageAt(position);
    if (tests.every((standsOn) => standsOn(image))) images.push(image);
  }
  return images;
}
