/**
 * Pages of images, newest first. Numbers grow as images are added, so a page continues below the last number of the
 * previous one: images added meanwhile are above it, and a removed one leaves no gap.
 */

/** Images in ascending order of their numbers. An ImageSet is one, and so is a shelf. */
export interface OrderedImages {
  readonly size: number;
  at(position: number): number;
}

export interface NewestPage {
  /** Image numbers, descending. */
  numbers: number[];
  /** The next page continues below this number. Undefined on the last page. */
  next: number | undefined;
}

/** The newest images, or the newest of those below a number. Looks at few of them, however many there are. */
export function newestBelow(images: OrderedImages, below: number | undefined, limit: number): NewestPage {
  const end = below === undefined ? images.size : countBelow(images, below);
  const start = Math.max(0, end - limit);
  const numbers: number[] = [];
  for (let position = end - 1; position >= start; position--) numbers.push(images.at(position));
  return { numbers, next: start > 0 ? numbers.at(-1) : undefined };
}

/** By binary search. */
function countBelow(images: OrderedImages, number: number): number {
  let [low, high] = [0, images.size];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (images.at(middle) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
