/** The shelves that every catalogue has. */
import type { DatabaseSync } from 'node:sqlite';
import type { FixedShelves, Orientation, Rating } from '../model.ts';

export function readFixedShelves(database: DatabaseSync): FixedShelves {
  const rows = database.prepare(
    `select kind, id, number from shelf where kind in ('catalogue', 'rating', 'orientation')`,
  );
  const numbers = new Map(rows.all().map((row) => [`${row.kind} ${row.id}`, row.number as number]));
  const shelf = (name: string) => numbers.get(name) as number;
  const rating = (name: Rating) => shelf(`rating ${name}`);
  const orientation = (name: Orientation) => shelf(`orientation ${name}`);
  return {
    catalogue: shelf('catalogue all'),
    rating: { sfw: rating('sfw'), questionable: rating('questionable'), nsfw: rating('nsfw') },
    orientation: {
      landscape: orientation('landscape'),
      portrait: orientation('portrait'),
      square: orientation('square'),
    },
  };
}
