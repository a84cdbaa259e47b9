/** What both stores agree on about shelves. */
import type { Orientation, Rating } from '../../catalogue/types.ts';

export interface Shelf {
  number: number;
  size: number;
}

/** A version of the catalogue, and the highest number of an image in it. */
export interface CatalogueVersion {
  version: number;
  lastImage: number;
}

/** The shelves that draws are made from, as of one version of the catalogue. Those of artists and characters are too many. */
export interface ShelfSnapshot extends CatalogueVersion {
  all: Shelf;
  ratings: Map<Rating, Shelf>;
  orientations: Map<Orientation, Shelf>;
  /** By folded name. */
  categories: Map<string, Shelf>;
}

/** How many documents are rewritten at a time when a category or character has changed. */
export const REWRITTEN_AT_ONCE = 1000;

/** The kind of a shelf, its id, where it is a category its folded name, its number, and its size. */
export type ShelfRow = [kind: string, id: string, category: string | null, number: number, size: number];

/** For the rows that make the shelves of a moment. */
export const SHELF_COLUMNS = 'kind, id, category, shelf.number, size';
export const SHELF_KINDS = `('catalogue', 'rating', 'orientation', 'category')`;

export function shelvesIn(version: number, lastImage: number, rows: ShelfRow[]): ShelfSnapshot {
  const shelves: ShelfSnapshot = {
    ...{ version, lastImage, all: { number: 0, size: 0 } },
    ...{ ratings: new Map(), orientations: new Map(), categories: new Map() },
  };
  for (const [kind, id, category, number, size] of rows) {
    const shelf = { number, size };
    if (category !== null) shelves.categories.set(category, shelf);
    else if (kind === 'rating') shelves.ratings.set(id as Rating, shelf);
    else if (kind === 'orientation') shelves.orientations.set(id as Orientation, shelf);
    else shelves.all = shelf;
  }
  return shelves;
}
