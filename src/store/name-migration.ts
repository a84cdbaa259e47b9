/**
 * Migrates catalogues of versions that stored names as they were given, and sorted them by code point. Names get one Unicode
 * form, entries that differed in form only become one, and lists ignore case. Once released, never edit it.
 */
import { foldName, normaliseName, normaliseTexts, sortByName } from '../catalogue/names.ts';
import { fold } from '../catalogue/search/fold.ts';
import { parse, query, type Statement, type Value } from './data-migration.ts';
import { normaliseLog, replaceInLog } from './logged-name-migration.ts';

/** How `image_shelves` stores the shelves of an image. */
interface ShelfLists {
  format(shelves: number[]): Value;
  parse(stored: unknown): number[];
}

interface Entry {
  number: number;
  kind: string;
  id: string;
  name: string;
  size: number;
  document: string;
}

const BATCH_SIZE = 500;
const KINDS = `('artist', 'category', 'character')`;

export function* normaliseNames(lists: ShelfLists): Generator<Statement, void, unknown[]> {
  const entries = yield* query<Entry>(
    `select number, kind, id, name, size, document from shelf where kind in ${KINDS} order by number`,
  );
  const merged = findMerged(entries);
  for (const [from, into] of merged) yield* mergeShelves(from, into, lists);
  const others = Map.groupBy(merged.keys(), (from) => merged.get(from));
  const kept = new Map(
    entries
      .filter((entry) => !merged.has(entry))
      .map((entry) => [`${entry.kind} ${entry.id}`, normaliseEntry(entry, others.get(entry) ?? [])]),
  );
  // Names change one after the other, and no two may be the same meanwhile.
  yield* query('update shelf set category = null');
  for (const { number, kind, name, document } of kept.values())
    yield* query(
      'update shelf set name = $1, sort_key = $2, category = $3, document = $4 where number = $5',
      ...[name, fold(name), kind === 'category' ? fold(name) : null, document, number],
    );
  yield* query(`update shelf set position = ordered.position
    from (select number, row_number() over (partition by kind order by sort_key, name, id) - 1 as position from shelf
          where kind in ${KINDS}) as ordered
    where ordered.number = shelf.number`);
  for (const [from, into] of merged)
    kept.set(`${from.kind} ${from.id}`, kept.get(`${into.kind} ${into.id}`) as Entry);
  yield* normaliseKeys('alias');
  yield* query(`delete from alias where exists (select 1 from shelf
    where shelf.number = alias.shelf and alias.key = coalesce(shelf.category, shelf.name))`);
  yield* normaliseKeys('blocked_name');
  for (const table of ['image', 'trash'] as const) yield* rewriteDocuments(table, kept);
  yield* normaliseLog();
  if (merged.size > 0)
    yield* replaceInLog(new Map(merged.entries().map(([from, into]) => [from.id, into.id])));
}

/** Each entry that becomes a part of another one: the one with the most images, in whatever form its name is. */
function findMerged(entries: Entry[]): Map<Entry, Entry> {
  const identityOf = ({ kind, name, document }: Entry) =>
    JSON.stringify([
      kind,
      kind === 'category' ? foldName(name) : normaliseName(name),
      kind === 'character' ? normaliseName(parse<{ source?: string }>(document)?.source ?? '') : '',
    ]);
  const merged = new Map<Entry, Entry>();
  for (const same of Map.groupBy(entries, identityOf).values()) {
    const [best, ...others] = same.toSorted((a, b) => b.size - a.size || a.number - b.number) as [
      Entry,
      ...Entry[],
    ];
    // Two artists may share a name on purpose. Nobody knows which of them one with another form is.
    const isShared = new Set(same.map(({ name }) => name)).size < same.length;
    if (!isShared) for (const other of others) merged.set(other, best);
  }
  return merged;
}

/** With what only the others had, such as a description. */
function normaliseEntry(entry: Entry, others: Entry[]): Entry {
  const document = parse<Record<string, unknown>>(entry.document);
  for (const other of document ? others : []) {
    const fields = parse<Record<string, unknown>>(other.document) ?? {};
    for (const name in document) if (isEmpty(document[name])) document[name] = fields[name] ?? document[name];
  }
  return {
    ...entry,
    name: normaliseName(entry.name),
    document: document ? JSON.stringify(normaliseTexts(document)) : entry.document,
  };
}

const isEmpty = (value: unknown) => value === false || (value as { length?: number }).length === 0;

/** Gives the images of one shelf to another, and removes the first. */
function* mergeShelves(from: Entry, into: Entry, lists: ShelfLists) {
  const rows = yield* query<{ image: number; shelves: unknown }>(
    `select image, shelves from image_shelves where image in (select image from placement where shelf = $1)`,
    from.number,
  );
  for (const { image, shelves } of rows) {
    const after = new Set(lists.parse(shelves).map((shelf) => (shelf === from.number ? into.number : shelf)));
    yield* query('update image_shelves set shelves = $1 where image = $2', lists.format([...after]), image);
  }
  const images = yield* query<{ image: number }>(
    'select distinct image from placement where shelf = $1 or shelf = $2 order by image',
    ...[from.number, into.number],
  );
  yield* query('delete from placement where shelf = $1 or shelf = $2', from.number, into.number);
  for (const [position, { image }] of images.entries())
    yield* query(
      'insert into placement (shelf, position, image) values ($1, $2, $3)',
      into.number,
      position,
      image,
    );
  yield* query(
    `update shelf set size = $1, cover = (select max(placed.image) from placement as placed
       join placement as safe on safe.image = placed.image
       join shelf as sfw on sfw.number = safe.shelf and sfw.kind = 'rating' and sfw.id = 'sfw'
       where placed.shelf = $2) where number = $2`,
    ...[images.length, into.number],
  );
  yield* query('update alias set shelf = $1 where shelf = $2', into.number, from.number);
  yield* query('delete from shelf where number = $1', from.number);
}

/** Of two names that differ in form only, the first stays. */
function* normaliseKeys(table: 'alias' | 'blocked_name') {
  const rows = yield* query<{ kind: string; key: string; name: string }>(
    `select kind, key, name from ${table} order by kind, key`,
  );
  const keys = new Set(rows.map(({ kind, key }) => `${kind} ${key}`));
  for (const { kind, key, name } of rows) {
    const after = kind === 'category' ? foldName(name) : normaliseName(name);
    const isTaken = after !== key && keys.has(`${kind} ${after}`);
    keys.add(`${kind} ${after}`);
    const given: Value[] = isTaken ? [kind, key] : [kind, key, after, normaliseName(name)];
    const text = isTaken ? `delete from ${table}` : `update ${table} set key = $3, name = $4`;
    if (isTaken || after !== key || normaliseName(name) !== name)
      yield* query(`${text} where kind = $1 and key = $2`, ...given);
  }
}

/** `entries` has what each entry is now, by kind and id. */
function* rewriteDocuments(table: 'image' | 'trash', entries: Map<string, Entry>) {
  const order = table === 'image' ? 'number' : 'change, id';
  const [major, minor] = table === 'image' ? ['number', '0'] : ['change', 'id'];
  let after: Value[] = table === 'image' ? [0, 0] : [0, ''];
  for (;;) {
    const rows = yield* query<{ major: number; minor: string | number; document: string }>(
      `select ${major} as major, ${minor} as minor, document from ${table}
       where (${major}, ${minor}) > ($1, $2) order by ${order} limit ${BATCH_SIZE}`,
      ...after,
    );
    const last = rows.at(-1);
    if (!last) return;
    after = [last.major, last.minor];
    for (const { major: one, minor: other, document } of rows) {
      const rewritten = rewriteDocument(document, entries);
      if (rewritten !== document)
        yield* query(
          `update ${table} set document = $1 where ${major} = $2 and ${minor} = $3`,
          ...[rewritten, one, other],
        );
    }
  }
}

/** The public JSON ends after the fourth line feed; the artist follows (catalogue/documents/document.ts). */
function rewriteDocument(document: string, entries: Map<string, Entry>): string {
  const lines = document.split('\n');
  const body = lines[3] ?? '';
  const start = body.indexOf('"categories":[');
  const middle = body.indexOf('],"characters":[', start);
  const end = body.lastIndexOf('],"createdAt":"');
  const listed = [
    body.slice(start + '"categories":'.length, middle + 1),
    body.slice(middle + '],"characters":'.length, end + 1),
  ];
  const [categories, characters] = listed.map((json) => parse<Entry[]>(json));
  if (!categories || !characters) return document;
  const list = (kind: string, former: Entry[]) => {
    const current = former.map(
      (entry) => entries.get(`${kind} ${entry.id}`) ?? { ...entry, document: JSON.stringify(entry) },
    );
    const unique = new Map(current.map((entry) => [entry.id, entry]));
    return sortByName([...unique.values()]).map((entry) => entry.document);
  };
  const head = body.slice(0, start);
  const artistId = /^","artist":"([0-9a-f-]{36})"/.exec(head)?.[1] ?? '';
  const artist = entries.get(`artist ${artistId}`);
  lines[3] = `${artist ? head.replace(artistId, artist.id) : head}"categories":[${list('category', categories)}],"characters":[${list('character', characters)}${body.slice(end)}`;
  if (artist) lines[5] = artist.document;
  return lines.join('\n');
}
