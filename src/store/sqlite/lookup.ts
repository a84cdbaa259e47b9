/** Finds entries and images of the embedded catalogue. */
import type { DatabaseSync } from 'node:sqlite';
import { nameKey } from '../../catalogue/decisions.ts';
import { fold } from '../../catalogue/fold.ts';
import type { Lookup, SavedEntry, SavedImage } from '../../catalogue/writer.ts';
import {
  ALIASES_OF_SHELF,
  ENTRY_COLUMNS as columns,
  IMAGE_COLUMNS,
  SHELF_BATCH_SIZE,
} from '../shared/queries.ts';

/** `aliases` is JSON, or null if there are none: imports look up many entries, and sorting nothing takes time too. */
export const ENTRY_COLUMNS = `${columns}, case when exists (select 1 ${ALIASES_OF_SHELF})
  then (select json_group_array(alias.name order by alias.name) ${ALIASES_OF_SHELF}) end as aliases`;

/** A row of `ENTRY_COLUMNS`. */
export function toEntry(row: Record<string, unknown>): SavedEntry {
  row.aliases = row.aliases === null ? [] : JSON.parse(row.aliases as string);
  return row as unknown as SavedEntry;
}

export function createLookup(database: DatabaseSync): Lookup {
  const prepare = (sql: string) => database.prepare(sql);
  const entryById = prepare(`select ${ENTRY_COLUMNS} from shelf where kind = ? and id = ?`);
  const entryByName = prepare(`select ${ENTRY_COLUMNS} from shelf where kind = ? and name = ?`);
  const categoryByName = prepare(`select ${ENTRY_COLUMNS} from shelf where category = ?`);
  const entryByAlias = prepare(
    `select ${ENTRY_COLUMNS} from shelf where number = (select shelf from alias where kind = ? and key = ?)`,
  );
  const imageById = prepare(`select ${IMAGE_COLUMNS} from image where id = ?`);
  return {
    async entriesById(kind, ids) {
      return ids.flatMap((id) => entryById.all(kind, id).map(toEntry));
    },
    async entriesByName(kind, names) {
      const find = (name: string) =>
        kind === 'category' ? categoryByName.all(fold(name)) : entryByName.all(kind, name);
      return names.flatMap((name) => find(name).map(toEntry));
    },
    async entriesByAlias(kind, aliases) {
      return aliases.flatMap((alias) => entryByAlias.all(kind, nameKey(kind, alias)).map(toEntry));
    },
    async entryNames(kind) {
      const rows = prepare('select name from shelf where kind = ? order by position').all(kind);
      return rows.map(({ name }) => name as string);
    },
    async imagesById(ids) {
      return ids.flatMap((id) => imageById.all(id) as unknown as SavedImage[]);
    },
    async *imagesOn(shelf) {
      // The numbers first: positions change when images are moved.
      const placed = prepare('select image from placement where shelf = ? order by position').iterate(shelf);
      const numbers = Uint32Array.from(placed, ({ image }) => image as number);
      const read = prepare(`select ${IMAGE_COLUMNS} from image where number = ?`);
      for (let from = 0; from < numbers.length; from += SHELF_BATCH_SIZE)
        yield [...numbers.subarray(from, from + SHELF_BATCH_SIZE)].flatMap(
          (number) => read.all(number) as unknown as SavedImage[],
        );
    },
  };
}
