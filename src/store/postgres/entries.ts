/** Saves and removes artists, categories and characters in PostgreSQL, with their aliases. */
import { nameKey } from '../../catalogue/decisions.ts';
import { fold } from '../../catalogue/fold.ts';
import type { Entry, SavedEntry } from '../../catalogue/writer.ts';
import { columns } from './batches.ts';
import type { Query } from './placements.ts';

type NumberedEntry = Entry & { shelf: number };

const category = ({ kind, name }: Entry) => (kind === 'category' ? fold(name) : null);

export async function addEntries(query: Query, entries: Entry[]): Promise<void> {
  const { rows } = await query(
    `insert into shelf (kind, id, name, category, created_at, document)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
     returning kind, id, number`,
    [
      ...columns(entries, 'kind', 'id', 'name'),
      entries.map(category),
      ...columns(entries, 'createdAt', 'document'),
    ],
  );
  const shelves = new Map<string, number>(rows.map(({ kind, id, number }) => [`${kind} ${id}`, number]));
  await saveAliases(
    query,
    entries.map((entry) => ({ ...entry, shelf: shelves.get(`${entry.kind} ${entry.id}`) as number })),
  );
}

export async function updateEntries(query: Query, entries: NumberedEntry[]): Promise<void> {
  await query(
    `update shelf set name = changed.name, category = changed.category, created_at = changed.created_at,
       document = changed.document
     from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[])
       as changed (number, name, category, created_at, document)
     where changed.number = shelf.number`,
    [
      ...columns(entries, 'shelf', 'name'),
      entries.map(category),
      ...columns(entries, 'createdAt', 'document'),
    ],
  );
  await saveAliases(query, entries);
}

export async function removeEntries(query: Query, entries: SavedEntry[]): Promise<void> {
  await query('delete from alias where shelf = any($1::int[])', columns(entries, 'shelf'));
  await query('delete from shelf where number = any($1::int[])', columns(entries, 'shelf'));
}

/** An alias that another entry has is taken from it; of two entries here, the last one gets it. */
export async function saveAliases(query: Query, entries: NumberedEntry[]): Promise<void> {
  const changed = entries.filter(({ aliases }) => aliases !== undefined);
  if (changed.length === 0) return;
  await query('delete from alias where shelf = any($1::int[])', columns(changed, 'shelf'));
  const rows = changed.flatMap(({ kind, shelf, aliases = [] }) =>
    aliases.map((name) => ({ kind, key: nameKey(kind, name), name, shelf })),
  );
  const unique = new Map(rows.map((row) => [`${row.kind} ${row.key}`, row]));
  await query(
    `insert into alias (kind, key, name, shelf) select * from unnest($1::text[], $2::text[], $3::text[], $4::int[])
     on conflict (kind, key) do update set name = excluded.name, shelf = excluded.shelf`,
    columns([...unique.values()], 'kind', 'key', 'name', 'shelf'),
  );
}
