/** The whole embedded catalogue, read in one transaction. */
import type { ImportRun } from '../../catalogue/import-runs.ts';
import type { CatalogueSnapshot, SavedImage } from '../../catalogue/writer.ts';
import {
  BLOCKED_COLUMNS,
  EDITED_IMAGES,
  FIXED_SHELVES,
  IMAGE_COLUMNS,
  IMAGE_COUNTS,
  IMPORT_RUNS,
  IS_EDITED,
  imageIdsQuery,
  isOfImportRun,
  REMOVED_COLUMNS,
  readFixedShelves,
} from '../shared/queries.ts';
import { findUnusedKeys } from './keys.ts';
import { createLookup, ENTRY_COLUMNS, toEntry } from './lookup.ts';
import { isOn, isOnNo, MISNUMBERED, parseShelves, SHELVES_OF } from './queries.ts';
import { openForReading } from './read-only.ts';
import { catalogueSchema } from './schema.ts';

export function openSnapshot(path: string): CatalogueSnapshot {
  const database = openForReading(path, catalogueSchema);
  database.exec('begin');
  const shelvesOf = database.prepare(SHELVES_OF);
  async function* streamRows<Row>(query: string): AsyncGenerator<Row, void> {
    yield* database.prepare(query).iterate() as unknown as Iterable<Row>;
  }
  return {
    ...createLookup(database),
    fixedShelves: readFixedShelves(database.prepare(FIXED_SHELVES).all() as never),
    async *entries(kind) {
      const rows = database.prepare(`select ${ENTRY_COLUMNS} from shelf where kind = ? order by position`);
      for (const row of rows.iterate(kind)) yield toEntry(row);
    },
    images: () => streamRows(`select ${IMAGE_COLUMNS} from image order by number`),
    async *editedImages() {
      for await (const { image } of streamRows<{ image: number }>(EDITED_IMAGES)) yield image;
    },
    async imageIds({ shelves, without, isEdited, importRun }) {
      const query = imageIdsQuery('?', [
        ...shelves.slice(1).map(() => isOn('?')),
        ...(without.length > 0 ? [isOnNo('in (select value from json_each(?))')] : []),
        ...(isEdited ? [IS_EDITED] : []),
        ...(importRun === undefined ? [] : [isOfImportRun('?')]),
      ]);
      const kinds = without.length > 0 ? [JSON.stringify(without)] : [];
      const runs = importRun === undefined ? [] : [importRun, importRun];
      const rows = database.prepare(query).all(...shelves, ...kinds, ...runs);
      return rows.map(({ id }) => id as string);
    },
    async imageCounts(kind) {
      const rows = database.prepare(`${IMAGE_COUNTS} ?`).all(kind);
      return new Map(rows.map(({ id, size }) => [id as string, size as number]));
    },
    importRuns: async () => database.prepare(IMPORT_RUNS).all() as unknown as ImportRun[],
    blockedNames: () => streamRows(`select ${BLOCKED_COLUMNS} from blocked_name order by kind, key`),
    removedFiles: () => streamRows(`select ${REMOVED_COLUMNS} from removed_file order by hash`),
    async imagesByNumber(numbers) {
      const find = database.prepare(`select ${IMAGE_COLUMNS} from image where number = ?`);
      return numbers.flatMap((number) => find.all(number) as unknown as SavedImage[]);
    },
    perceptualHashes: () => streamRows('select image, hash from perceptual_hash order by image'),
    unusedKeys: async (keys) => findUnusedKeys(database, keys),
    async shelvesOf(images) {
      return new Map(images.map((image) => [image, parseShelves(shelvesOf.get(image)?.shelves)]));
    },
    async *misnumbered() {
      for (const { problem } of database.prepare(MISNUMBERED).iterate()) yield problem as string;
    },
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}
