/**
 * Shelves: numbered rows of images without gaps, in the order in which the images were added. A store keeps one for the
 * whole catalogue, one for animations, and one for each rating, orientation, file type, artist, category, character and
 * album.
 */
import type { FileType, Kind, Orientation, Rating, Statistics } from '../catalogue/types.ts';

export interface Shelf {
  number: number;
  size: number;
}

/**
 * A version of the catalogue, the highest image number in it, and what the document cache calls the state of its documents:
 * the same in all connections, unlike the version.
 */
export interface CatalogueVersion {
  version: number;
  lastImage: number;
  documentRevision: number;
}

/** The shelves of one version that filters choose from. Artists, characters and albums are too many to hold: see EntryShelves. */
export interface ShelfSnapshot extends CatalogueVersion {
  all: Shelf;
  ratings: Map<Rating, Shelf>;
  orientations: Map<Orientation, Shelf>;
  types: Map<FileType, Shelf>;
  animated: Shelf;
  /** By folded name, and by folded alias if no category has that name. */
  categories: Map<string, Shelf>;
  /** How many entries there are. */
  counts: Record<Kind, number>;
}

/** A row of `SNAPSHOT_QUERY`. `category` is the folded name or alias of a category, null for other rows. */
export type SnapshotRow = [kind: string, id: string, category: string | null, number: number, size: number];

/** The shelves of a snapshot, and the number of entries of each kind as the size of a row `count`. */
export const SNAPSHOT_QUERY = `
  select kind, id, category, number, size from shelf
  where kind in ('catalogue', 'rating', 'orientation', 'type', 'animation', 'category')
  union all
  select 'alias', '', key, alias.shelf, 0 from alias where alias.kind = 'category'
  union all
  select 'count', listed.kind, null, 0,
    (select coalesce(max(position) + 1, 0) from shelf where shelf.kind = listed.kind)
  from (select 'artist' as kind union all select 'category' union all select 'character'
    union all select 'album') as listed`;

export function buildSnapshot(version: CatalogueVersion, rows: SnapshotRow[]): ShelfSnapshot {
  const snapshot: ShelfSnapshot = {
    ...version,
    all: { number: 0, size: 0 },
    ratings: new Map(),
    orientations: new Map(),
    types: new Map(),
    animated: { number: 0, size: 0 },
    categories: new Map(),
    counts: { artist: 0, category: 0, character: 0, album: 0 },
  };
  const aliases: [alias: string, shelf: number][] = [];
  for (const [kind, id, category, number, size] of rows) {
    const shelf = { number, size };
    if (kind === 'count') snapshot.counts[id as Kind] = size;
    else if (kind === 'alias') aliases.push([category as string, number]);
    else if (category !== null) snapshot.categories.set(category, shelf);
    else if (kind === 'rating') snapshot.ratings.set(id as Rating, shelf);
    else if (kind === 'orientation') snapshot.orientations.set(id as Orientation, shelf);
    else if (kind === 'type') snapshot.types.set(id as FileType, shelf);
    else if (kind === 'animation') snapshot.animated = shelf;
    else snapshot.all = shelf;
  }
  const byNumber = new Map(snapshot.categories.values().map((shelf) => [shelf.number, shelf]));
  for (const [alias, number] of aliases) {
    const shelf = byNumber.get(number);
    if (shelf && !snapshot.categories.has(alias)) snapshot.categories.set(alias, shelf);
  }
  return snapshot;
}

const statistics = new WeakMap<ShelfSnapshot, Statistics>();

/** Always the same object for a snapshot, because the response is kept with it. */
export function statisticsOf(snapshot: ShelfSnapshot): Statistics {
  const known = statistics.get(snapshot) ?? buildStatistics(snapshot);
  statistics.set(snapshot, known);
  return known;
}

function buildStatistics({ all, ratings, orientations, counts }: ShelfSnapshot): Statistics {
  const rated = (rating: Rating) => ratings.get(rating)?.size ?? 0;
  const oriented = (orientation: Orientation) => orientations.get(orientation)?.size ?? 0;
  return {
    images: {
      count: all.size,
      nsfw: { nsfw: rated('nsfw'), questionable: rated('questionable'), sfw: rated('sfw') },
      orientation: {
        landscape: oriented('landscape'),
        portrait: oriented('portrait'),
        square: oriented('square'),
      },
    },
    artists: { count: counts.artist },
    characters: { count: counts.character },
    categories: { count: counts.category },
  };
}
