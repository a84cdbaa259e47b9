/** The whole embedded catalogue, read in one transaction. */
import type { CatalogueSnapshot, SavedEntry, SavedImage } from '../../catalogue/writer.ts';
import {
  ENTRY_COLUMNS,
  FIXED_SHELVES,
  IMAGE_COLUMNS,
  MISNUMBERED,
  readFixedShelves,
} from '../shared/queries.ts';
import { findUnusedKeys } from './keys.ts';
import { openForReading } from './read-only.ts';
import { catalogueSchema } from './schema.ts';

export function openSnapshot(path: string): CatalogueSnapshot {
  const database = openForReading(path, catalogueSchema);
  database.exec('begin');
  const shelvesOf = database.prepare('select shelf from placement where image = ?');
  return {
    fixedShelves: readFixedShelves(database.prepare(FIXED_SHELVES).all() as never),
    async *entries(kind) {
      const rows = database.prepare(`select ${ENTRY_COLUMNS} from shelf where kind = ? order by position`);
      yield* rows.iterate(kind) as unknown as Iterable<SavedEntry>;
    },
    async *images() {
      const rows = database.prepare(`select ${IMAGE_COLUMNS} from image order by number`);
      yield* rows.iterate() as unknown as Iterable<SavedImage>;
    },
    async imagesById(ids) {
      const find = database.prepare(`select ${IMAGE_COLUMNS} from image where id = ?`);
      return ids.flatMap((id) => find.all(id) as unknown as SavedImage[]);
    },
    async imagesByNumber(numbers) {
      const find = database.prepare(`select ${IMAGE_COLUMNS} from image where number = ?`);
      return numbers.flatMap((number) => find.all(number) as unknown as SavedImage[]);
    },
    async *perceptualHashes() {
      const rows = database.prepare('select image, hash from perceptual_hash order by image');
      yield* rows.iterate() as unknown as Iterable<{ image: number; hash: string }>;
    },
    unusedKeys: async (keys) => findUnusedKeys(database, keys),
    async shelvesOf(images) {
      return new Map(images.map((image) => [image, shelvesOf.all(image).map((row) => row.shelf as number)]));
    },
    async *misnumbered() {
      for (const { problem } of database.prepare(MISNUMBERED).iterate()) yield problem as string;
    },
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}
