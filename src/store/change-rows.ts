/** Adds rows to the change log and to the trash, and drops broken ones. */
import type { Change, StoredItem, TrashedImage } from '../catalogue/change-log.ts';
import type { WriteSession } from './session.ts';

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
