/** The tables of the change log and of the trash: their reads, and the rows that are added to them. */
import type {
  Change,
  ChangeFilter,
  ChangeItem,
  ChangeLogReader,
  ItemKind,
  StoredItem,
  TrashedImage,
} from '../../catalogue/change-log.ts';
import { normaliseName } from '../../catalogue/names.ts';
import type { SavedImage } from '../../catalogue/writer.ts';
import { mapEach } from '../../lib/concurrency.ts';
import {
  ENTRY_KINDS,
  type ReadSession,
  readPages,
  readValues,
  type SqlValue,
  type WriteSession,
} from '../session.ts';

export const CHANGE_COLUMNS = `number, at, origin, user_name as "user", summary, source, added, changed, removed, entries,
  first_image as "firstImage", last_image as "lastImage", items, undoes, state`;
export const ITEM_COLUMNS = 'kind, id, before, after, undone_by as "undoneBy"';
const TRASH_COLUMNS = `change, kind, removed_at as "removedAt", number, id, etag as "eTag", key, mimetype, document,
  perceptual_hash as "perceptualHash", edited,
  case when change in (select number from change where undoes is not null) then 1 else 0 end as "byUndo"`;

export type ItemRow = Omit<StoredItem, 'change'>;
type TrashRow = SavedImage & Omit<TrashedImage, 'image' | 'isByUndo'> & { byUndo: number };

const parse = (text: string | null) => (text === null ? null : JSON.parse(text));

export function toItem(row: ItemRow): ChangeItem {
  return { ...row, before: parse(row.before), after: parse(row.after) };
}

function toTrashed({ change, kind, removedAt, byUndo, ...image }: TrashRow): TrashedImage {
  return { change, kind, removedAt, isByUndo: byUndo === 1, image };
}

/** Rows of the trash for a `where` clause, with the values of its parameters. */
export async function readTrash(
  session: ReadSession,
  condition: string,
  values: SqlValue[],
): Promise<TrashedImage[]> {
  const text = `select ${TRASH_COLUMNS} from trash where ${condition} order by change, number`;
  return (await session.query<TrashRow>(text, values)).map(toTrashed);
}

export function createChangeLogReader(session: ReadSession): ChangeLogReader {
  return {
    list: (filter) => listChanges(session, filter),
    async find(number) {
      const text = `select ${CHANGE_COLUMNS} from change where number = $1`;
      return (await session.query<Change>(text, [number]))[0];
    },
    items(change) {
      const text = `select ${ITEM_COLUMNS} from change_item where change = $1 and (kind, id) > ($2, $3)
        order by kind, id`;
      const pages = readPages<ItemRow>(session, text, [change], ['', ''], ({ kind, id }) => [kind, id]);
      return mapEach(pages, (rows) => rows.map(toItem));
    },
    changes: () => session.stream<Change>(`select ${CHANGE_COLUMNS} from change order by number`),
    storedItems: () =>
      session.stream<StoredItem>(`select change, ${ITEM_COLUMNS} from change_item order by change, kind, id`),
    async entriesNamed(name) {
      // The name comes first (recorder.ts).
      const start = `{"name":${JSON.stringify(normaliseName(name))},`.replaceAll(/[\\%_]/g, '\\$&');
      const text = `select distinct id as value from change_item where kind in ${ENTRY_KINDS}
        and (before like $1 escape '\\' or after like $1 escape '\\')`;
      return readValues(session, text, [`${start}%`]);
    },
    trash() {
      const text = `select ${TRASH_COLUMNS} from trash order by removed_at desc, change desc, number desc`;
      return mapEach(session.stream<TrashRow>(text), toTrashed);
    },
    trashed: (ids) => readTrash(session, 'id = any($1)', [ids]),
    trashedBytes: (hashes) => readTrash(session, 'etag = any($1)', [hashes]),
  };
}

async function listChanges(
  session: ReadSession,
  { limit, since, before, of, isImport, origin, user }: ChangeFilter,
): Promise<Change[]> {
  const values: SqlValue[] = [];
  const bind = (value: SqlValue) => `$${values.push(value)}`;
  const conditions = ['number > 0'];
  if (since !== undefined) conditions.push(`at >= ${bind(since)}`);
  if (before !== undefined) conditions.push(`number < ${bind(before)}`);
  if (isImport) conditions.push('source is not null');
  if (origin !== undefined) conditions.push(`origin = ${bind(origin)}`);
  if (user !== undefined) conditions.push(`user_name = ${bind(user)}`);
  if (of) conditions.push(isOf(of, bind));
  return session.query<Change>(
    `select ${CHANGE_COLUMNS} from change where ${conditions.join(' and ')} order by number desc limit ${bind(limit)}`,
    values,
  );
}

/** A change concerns an image if it has an item for it, or if it added it. */
function isOf(
  { kinds, ids }: { kinds: readonly ItemKind[]; ids: readonly string[] },
  bind: (value: SqlValue) => string,
): string {
  const ofItem = `exists (select 1 from change_item where change_item.change = change.number
    and change_item.kind = any(${bind(kinds)}) and change_item.id = any(${bind(ids)}))`;
  if (!kinds.includes('image')) return ofItem;
  const isAdded = (table: string) =>
    `exists (select 1 from ${table} where ${table}.id = any(${bind(ids)})
       and ${table}.number between change.first_image and change.last_image)`;
  return `(${ofItem} or ${isAdded('image')} or ${isAdded('trash')})`;
}

// Adds rows to the change log and to the trash, and drops broken ones.

export async function addChanges(session: WriteSession, changes: Change[]): Promise<void> {
  await session.insert(
    'change',
    [
      ...['number', 'at', 'origin', 'user_name', 'summary', 'source', 'added', 'changed', 'removed'],
      ...['entries', 'first_image', 'last_image', 'items', 'undoes', 'state'],
    ],
    changes.map((change) => [
      ...[change.number, change.at, change.origin, change.user, change.summary, change.source],
      ...[change.added, change.changed, change.removed, change.entries],
      ...[change.firstImage, change.lastImage, change.items, change.undoes, change.state],
    ]),
  );
}

/** An item that was added before is replaced. */
export async function addItems(session: WriteSession, items: StoredItem[]): Promise<void> {
  await session.runWith(
    { change: 'int', kind: 'text', id: 'text', before: 'text', after: 'text', undoneBy: 'int' },
    items,
    `insert into change_item (change, kind, id, before, after, undone_by)
     select change, kind, id, before, after, undoneBy from given where true
     on conflict (change, kind, id) do update set before = excluded.before, after = excluded.after`,
  );
}

/** What a change took first is what was before it. */
export async function addTrash(session: WriteSession, trash: TrashedImage[]): Promise<void> {
  await session.runWith(
    {
      ...{ change: 'int', id: 'text', kind: 'text', removedAt: 'text', number: 'int', eTag: 'text' },
      ...{ key: 'text', mimetype: 'text', document: 'text', perceptualHash: 'text', edited: 'text' },
    } as const,
    trash.map(({ image, change, kind, removedAt }) => ({ ...image, change, kind, removedAt })),
    `insert into trash (change, id, kind, removed_at, number, etag, key, mimetype, document, perceptual_hash, edited)
     select change, id, kind, removedAt, number, eTag, key, mimetype, document, perceptualHash, edited
     from given where true on conflict (change, id) do nothing`,
  );
}

export async function repairItems(
  session: WriteSession,
  broken: Pick<StoredItem, 'change' | 'kind' | 'id'>[],
): Promise<void> {
  await session.runWith(
    { change: 'int', kind: 'text', id: 'text' },
    broken,
    `delete from change_item where exists (select 1 from given where given.change = change_item.change
       and given.kind = change_item.kind and given.id = change_item.id)`,
  );
  await session.run('delete from change_item where change not in (select number from change)');
  const found = '(select count(*) from change_item where change_item.change = change.number)';
  await session.run(`update change set items = ${found} where items < ${found}`);
}

/** For changes that nobody described. */
export function summarise({ source, added, changed, removed, entries }: Change): string {
  const count = (number: number, what: string, verb: string) =>
    number === 0 ? [] : [`${number} ${what}${number === 1 ? '' : 's'} ${verb}`];
  const parts = [
    ...count(added, 'image', 'added'),
    ...count(changed, 'image', 'changed'),
    ...count(removed, 'image', 'removed'),
    ...(entries === 0 ? [] : [`${entries} ${entries === 1 ? 'entry' : 'entries'} changed`]),
  ];
  return `${source === null ? '' : 'import: '}${parts.join(', ') || 'decisions changed'}`;
}
