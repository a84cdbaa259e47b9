/** What both stores agree on about shelves. */
export interface Shelf {
  number: number;
  size: number;
}

/** The shelves that draws are made from, as of one version of the catalogue. */
export interface Shelves {
  version: number;
  /** The highest number of an image. */
  lastImage: number;
  all: Shelf;
  /** By folded name. */
  categories: Map<string, Shelf>;
}

/** How many draws several categories may take before what they have in common is worked out. */
export const MOST_DRAWS = 100;

/** How many documents are rewritten at a time when a category or character has changed. */
export const REWRITTEN_AT_ONCE = 1000;

/** From rows of a category's folded name (null for the shelf of all images), its shelf's number, and its size. */
export function shelvesIn(
  version: number,
  lastImage: number,
  rows: [category: string | null, number: number, size: number][],
): Shelves {
  const categories = new Map<string, Shelf>();
  let all: Shelf = { number: 0, size: 0 };
  for (const [category, number, size] of rows) {
    if (category === null) all = { number, size };
    else categories.set(category, { number, size });
  }
  return { version, lastImage, all, categories };
}
