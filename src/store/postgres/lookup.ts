/** Finds entries and images of the catalogue in PostgreSQL. */
import { nameKey } from '../../catalogue/decisions.ts';
import { fold } from '../../catalogue/fold.ts';
import type { Lookup } from '../../catalogue/writer.ts';
import {
  ALIASES_OF_SHELF,
  ENTRY_COLUMNS as columns,
  IMAGE_COLUMNS,
  SHELF_BATCH_SIZE,
} from '../shared/queries.ts';
import type { Query } from './placements.ts';

export const ENTRY_COLUMNS = `${columns},
  (select coalesce(json_agg(alias.name order by alias.name), '[]'::json) ${ALIASES_OF_SHELF}) as aliases`;

export function createLookup(query: Query): Lookup {
  const find = async <Row>(text: string, keys: string[], ...more: string[]): Promise<Row[]> =>
    keys.length === 0 ? [] : ((await query(text, [keys, ...more])).rows as Row[]);
  return {
    entriesById: (kind, ids) =>
      find(`select ${ENTRY_COLUMNS} from shelf where kind = $2 and id = any($1)`, ids, kind),
    entriesByName: (kind, names) =>
      kind === 'category'
        ? find(`select ${ENTRY_COLUMNS} from shelf where category = any($1)`, names.map(fold))
        : find(`select ${ENTRY_COLUMNS} from shelf where kind = $2 and name = any($1)`, names, kind),
    entriesByAlias: (kind, aliases) =>
      find(
        `select ${ENTRY_COLUMNS} from shelf
         where number in (select alias.shelf from alias where alias.kind = $2 and alias.key = any($1))`,
        aliases.map((alias) => nameKey(kind, alias)),
        kind,
      ),
    async entryNames(kind) {
      const { rows } = await query('select name from shelf where kind = $1 order by position', [kind]);
      return rows.map(({ name }) => name);
    },
    imagesById: (ids) => find(`select ${IMAGE_COLUMNS} from image where id = any($1)`, ids),
    async *imagesOn(shelf) {
      // The numbers first: positions change when images are moved.
      const { rows } = await query(
        `select string_agg(image::text, ',' order by position) as numbers from placement where shelf = $1`,
        [shelf],
      );
      const numbers = Uint32Array.from(rows[0].numbers?.split(',') ?? []);
      for (let from = 0; from < numbers.length; from += SHELF_BATCH_SIZE) {
        const batch = [...numbers.subarray(from, from + SHELF_BATCH_SIZE)];
        const text = `select ${IMAGE_COLUMNS} from image where number = any($1::int[]) order by number`;
        yield (await query(text, [batch])).rows;
      }
    },
  };
}
