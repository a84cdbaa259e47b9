/** The whole of the embedded catalogue, read in one transaction: as it was when the reading began. */
import { DatabaseSync } from 'node:sqlite';
import type { CatalogueDump, Entry, ImageRow, Kind } from '../model.ts';
import { catalogueSchema } from './schema.ts';
import { BUSY_TIMEOUT_MS, openDatabase } from './sqlite-file.ts';

export function openDump(path: string): CatalogueDump {
  openDatabase(path, catalogueSchema).close();
  const database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  database.exec('begin');
  return {
    entries(kind: Kind) {
      const rows = database.prepare(
        `select number as shelf, kind, id, name, created_at as createdAt, document
         from shelf where kind = ? order by position`,
      );
      return rows.iterate(kind) as unknown as Iterable<Entry>;
    },
    images() {
      const rows = database.prepare(
        'select number, id, etag as eTag, key, mimetype, document from image order by number',
      );
      return rows.iterate() as unknown as Iterable<ImageRow>;
    },
    async close() {
      database.close();
    },
  };
}
