/** The part of name-migration.ts that concerns the change log. Once released, never edit it. */
import { normaliseLogged, normaliseName } from '../catalogue/names.ts';
import { parse, query, type Value } from './data-migration.ts';

const BATCH_SIZE = 500;

export function* normaliseLog() {
  const rows = yield* query<{
    change: number;
    kind: string;
    id: string;
    before: string | null;
    after: string | null;
  }>(
    `select change, kind, id, before, after from change_item where kind in ('artist', 'category', 'character', 'blocked')`,
  );
  const ids = new Set(rows.map(({ change, kind, id }) => JSON.stringify([change, kind, id])));
  for (const { change, kind, id, before, after } of rows) {
    const isLost =
      kind === 'blocked' &&
      normaliseName(id) !== id &&
      ids.has(JSON.stringify([change, kind, normaliseName(id)]));
    const given: Value[] = [change, kind, id];
    const texts = [
      kind === 'blocked' ? normaliseName(id) : id,
      normaliseFields(before),
      normaliseFields(after),
    ];
    if (isLost) yield* query('delete from change_item where change = $1 and kind = $2 and id = $3', ...given);
    else if (texts[0] !== id || texts[1] !== before || texts[2] !== after)
      yield* query(
        'update change_item set id = $4, before = $5, after = $6 where change = $1 and kind = $2 and id = $3',
        ...[...given, ...(texts as Value[])],
      );
  }
}

/** Changes of images can still be undone. `ids` are those of merged entries. */
export function* replaceInLog(ids: Map<string, string>) {
  const replace = (text: string | null) =>
    text?.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => ids.get(id) ?? id) ?? null;
  for (let after: Value[] = [0, '']; ; ) {
    const rows = yield* query<{ change: number; id: string; before: string | null; after: string | null }>(
      `select change, id, before, after from change_item
       where (change, kind, id) > ($1, 'image', $2) and kind = 'image' order by change, kind, id limit ${BATCH_SIZE}`,
      ...after,
    );
    for (const row of rows)
      if (replace(row.before) !== row.before || replace(row.after) !== row.after)
        yield* query(
          `update change_item set before = $3, after = $4 where change = $1 and kind = 'image' and id = $2`,
          ...[row.change, row.id, replace(row.before), replace(row.after)],
        );
    const last = rows.at(-1);
    if (!last) return;
    after = [last.change, last.id];
  }
}

function normaliseFields(text: string | null): string | null {
  const fields = text === null ? undefined : parse<{ document?: string }>(text);
  // The document of an entry is JSON within JSON, and may be damaged, too.
  const isReadable = fields && (fields.document === undefined || parse(fields.document) !== undefined);
  return isReadable ? JSON.stringify(normaliseLogged(fields)) : text;
}
