/**
 * Shelves: numbered rows of images without gaps, in the order in which the images were added. A store keeps one for the
 * whole catalogue and one for each rating, orientation, artist, category and character.
 */
import type { Kind, Orientation, Rating, Statistics } from '../../catalogue/types.ts';

export interface Shelf {
  number: number;
  size: number;
}

/** A version of the catalogue, and the highest image number in it. */
export interface CatalogueVersion {
  version: number;
  lastImage: number;
}

/** The shelves of one version that filters choose from. Artists and characters are too many to hold: see EntryShelves. */
export interface ShelfSnapshot extends CatalogueVersion {
  all: Shelf;
  ratings: Map<Rating, Shelf>;
  orientations: Map<Orientation, Shelf>;
  /** By folded name. */
  categories: Map<string, Shelf>;
}

/** A row of `SHELF_COLUMNS`. `category` is the folded name of a category, null for other kinds. */
export type ShelfRow = [kind: string, id: string, category: string | null, number: number, size: number];

export const SHELF_COLUMNS = 'kind, id, category, shelf.number, size';
/** The kinds that a snapshot holds. */
export const SNAPSHOT_KINDS = `('catalogue', 'rating', 'orientation', 'category')`;

export function buildSnapshot(version: number, lastImage: number, rows: ShelfRow[]): ShelfSnapshot {
  const snapshot: ShelfSnapshot = {
    ...{ version, lastImage, all: { number: 0, size: 0 } },
    ...{ ratings: new Map(), orientations: new Map(), categories: new Map() },
  };
  for (const [kind, id, category, number, size] of rows) {
    const shelf = { number, size };
    if (category !== null) snapshot.categories.set(category, shelf);
    else if (kind === 'rating') snapshot.ratings.set(id as Rating, shelf);
    else if (kind === 'orientation') snapshot.orientations.set(id as Orientation, shelf);
    else snapshot.all = shelf;
  }
  return snapshot;
}

/** The statistics, from the sizes of the fixed shelves by id and the number of entries by kind. */
export function buildStatistics(sizes: Map<string, number>): Statistics {
  const size = (id: string) => sizes.get(id) ?? 0;
  const entries = (kind: Kind) => ({ count: size(kind) });
  return {
    images: {
      count: size('all'),
      nsfw: { nsfw: size('nsfw'), questionable: size('questionable'), sfw: size('sfw') },
      orientation: { landscape: size('landscape'), portrait: size('portrait'), square: size('square') },
    },
    artists: entries('artist'),
    characters: entries('character'),
    categories: entries('category'),
  };
}
