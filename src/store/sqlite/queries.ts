/**
 * SQL about the shelves of each image, which SQLite stores as text: `,1,2,6,`. So a shelf is found without parsing, and one
 * row for each image takes a fraction of the time and space of an index of placements by image.
 */
import { createShelfQueries } from '../shared/shelf-queries.ts';

export const formatShelves = (shelves: number[]): string => `,${shelves.join()},`;

/** From a row of `SHELVES_OF`, if there is one. */
export function parseShelves(shelves: unknown): number[] {
  return typeof shelves === 'string' ? shelves.split(',').filter(Boolean).map(Number) : [];
}

export const SHELVES_OF = 'select shelves from image_shelves where image = ?';

/** A row for each shelf of each image, as `belongs (image, shelf)`. */
const BELONGS = `(select image, cast(value as integer) as shelf from image_shelves,
  json_each('[' || trim(shelves, ',') || ']')) as belongs`;

/** Whether a row of `image_shelves` has the shelf. Node binds numbers as reals. */
export const hasShelf = (shelf: string): string =>
  `instr(shelves, ',' || cast(${shelf} as integer) || ',') > 0`;

export const { FIND_COVERS, MISNUMBERED, PLACE_ALL, isOn, isOnNo } = createShelfQueries({
  hasShelf,
  belongs: BELONGS,
});
