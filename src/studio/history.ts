/** What the page shows of the change log and of the trash. */
import {
  type Change,
  type ChangeGroup,
  type DescribedItem,
  listGroups,
  type UndoResult,
} from '../catalogue/change-log.ts';
import type { CatalogueSnapshot } from '../catalogue/writer.ts';
import { describeItems, nameOf } from '../changes/describe.ts';
import { REPLACED } from '../changes/undo-images.ts';
import type { Changed, Listed, RemovedPicture, RequestTo, Undone } from './contract.ts';
import { lastChange } from './review.ts';

const MAX_STEPS = 100;
const MAX_CHANGES = 200;
const MAX_IMPORTS = 100;
/** Longer lists are cut, and all are counted. */
const MAX_LISTED = 20;
const MAX_ITEMS = 200;

/** Those of a person, the last one first. */
export async function listSteps(snapshot: CatalogueSnapshot, user: string): Promise<Changed> {
  // Each may be followed by the change that undid it.
  const changes = await snapshot.changeLog.list({ limit: 2 * MAX_STEPS, origin: 'studio', user });
  const steps = changes
    .filter(({ state, undoes }) => state === 'done' && undoes === null)
    .slice(0, MAX_STEPS)
    .map(({ number, summary, at }) => ({ id: number, label: summary, at }));
  return { steps, last: await lastChange(snapshot) };
}

/** Changes of every origin, the last one first: all of them, or those of an image, an origin or since a time. */
export function listChanges(
  snapshot: CatalogueSnapshot,
  { image, origin, since }: RequestTo<'/data/history'>,
): Promise<ChangeGroup[]> {
  return listGroups(snapshot.changeLog, {
    limit: MAX_CHANGES,
    since,
    origin,
    ...(image !== undefined && { of: { kinds: ['image', 'taken-down'], ids: [image] } }),
  });
}

/** The first things that a change concerns, or only one image. */
export async function showChange(
  snapshot: CatalogueSnapshot,
  { number, image }: RequestTo<'/data/change'>,
): Promise<DescribedItem[]> {
  const found: DescribedItem[] = [];
  for await (const items of snapshot.changeLog.items(Number(number))) {
    const wanted = items.filter(({ id }) => image === undefined || id === image);
    found.push(...(await describeItems(snapshot, wanted.slice(0, MAX_ITEMS - found.length))));
    if (found.length >= MAX_ITEMS) break;
  }
  return found;
}

/** The newest one first. */
export function listImports({ changeLog }: CatalogueSnapshot): Promise<Change[]> {
  return changeLog.list({ limit: MAX_IMPORTS, isImport: true });
}

export function viewUndo({ change, ...result }: UndoResult): Undone {
  return {
    ...result,
    number: change.number,
    undone: change.summary,
    removed: firstOf(result.removed),
    restored: firstOf(result.restored),
    changed: firstOf(result.changed),
    kept: firstOf(result.kept),
  };
}

const firstOf = <T>(items: T[]): Listed<T> => ({ count: items.length, listed: items.slice(0, MAX_LISTED) });

/** Pictures and former files in the trash, and those that imports leave out; the last one first. */
export async function listRemoved(snapshot: CatalogueSnapshot): Promise<RemovedPicture[]> {
  const removed = new Map<string, RemovedPicture>();
  // A picture that was removed may have had other files before.
  for await (const { image: id, removedAt, reason } of snapshot.removedFiles())
    if (reason !== REPLACED || !removed.has(id))
      removed.set(id, { id, removedAt, reason, isFormer: reason === REPLACED, isInTrash: false });
  for await (const { kind, image, removedAt } of snapshot.changeLog.trash()) {
    const { id } = image;
    const name = nameOf(image);
    const { reason = kind === 'file' ? REPLACED : '', isInTrash } = removed.get(id) ?? {};
    // The newest comes first.
    if (!isInTrash)
      removed.set(id, {
        ...{ id, removedAt, reason, ...(name && { name }) },
        ...{ isFormer: kind === 'file', isInTrash: true },
      });
  }
  return [...removed.values()].sort((a, b) => (a.removedAt < b.removedAt ? 1 : -1));
}
