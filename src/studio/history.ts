/** What the page shows of the change log and of the trash. */

import { isId } from '../catalogue/names.ts';
import { type DescribedItem, describeItems, nameOf } from '../changes/describe.ts';
import type { Kept, UndoResult } from '../changes/undoing.ts';
import type { Change, ChangeFilter, ChangeOrigin } from '../store/contract/change-log.ts';
import type { CatalogueSnapshot } from '../store/contract/writer.ts';
import { StudioError } from './server.ts';
import type { SelectionSummary } from './summary.ts';

const MAX_STEPS = 100;
const MAX_CHANGES = 200;
const MAX_IMPORTS = 100;
/** Longer lists are cut, and all are counted. */
const MAX_LISTED = 20;
const MAX_ITEMS = 200;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ORIGINS: ChangeOrigin[] = ['import', 'shell', 'studio'];

type OpenSnapshot = () => Promise<CatalogueSnapshot>;

/** A change that was made in the studio and can be undone. */
export interface Step {
  id: number;
  label: string;
  at: string;
}

/** What the page needs to know after a change. */
export interface Changed {
  steps: Step[];
  summary?: SelectionSummary;
}

/** The last one first. */
export async function listSteps(openSnapshot: OpenSnapshot): Promise<Step[]> {
  await using snapshot = await openSnapshot();
  // Each may be followed by the change that undid it.
  const changes = await snapshot.changeLog.list({ limit: 2 * MAX_STEPS, origin: 'studio' });
  return changes
    .filter(({ state, undoes }) => state === 'done' && undoes === null)
    .slice(0, MAX_STEPS)
    .map(({ number, summary, at }) => ({ id: number, label: summary, at }));
}

/** Changes of every origin, the last one first: all of them, or those of an image, an origin or since a time. */
export async function listChanges(query: URLSearchParams, openSnapshot: OpenSnapshot): Promise<Change[]> {
  await using snapshot = await openSnapshot();
  return await snapshot.changeLog.list(readFilter(query));
}

function readFilter(query: URLSearchParams): ChangeFilter {
  const [image, origin, since] = [query.get('image'), query.get('origin'), query.get('since')];
  if (image !== null && !isId(image)) throw new StudioError(400, 'the id of the picture is not valid');
  const known = ORIGINS.find((known) => known === origin);
  if (origin !== null && !known) throw new StudioError(400, `there is no origin "${origin}"`);
  if (since !== null && !TIME.test(since)) throw new StudioError(400, 'the time is not valid');
  return {
    limit: MAX_CHANGES,
    since: since ?? undefined,
    origin: known,
    ...(image !== null && { of: { kinds: ['image', 'taken-down'], ids: [image] } }),
  };
}

/** The first things that a change concerns, or only one image. */
export async function showChange(
  query: URLSearchParams,
  openSnapshot: OpenSnapshot,
): Promise<DescribedItem[]> {
  const number = query.get('number') ?? '';
  if (!/^[1-9]\d{0,8}$/.test(number)) throw new StudioError(400, `there is no change "${number}"`);
  const image = query.get('image');
  await using snapshot = await openSnapshot();
  const found: DescribedItem[] = [];
  for await (const items of snapshot.changeLog.items(Number(number))) {
    const wanted = items.filter(({ id }) => image === null || id === image);
    found.push(...(await describeItems(snapshot, wanted.slice(0, MAX_ITEMS - found.length))));
    if (found.length >= MAX_ITEMS) break;
  }
  return found;
}

/** The newest one first. */
export async function listImports(openSnapshot: OpenSnapshot): Promise<Change[]> {
  await using snapshot = await openSnapshot();
  return await snapshot.changeLog.list({ limit: MAX_IMPORTS, isImport: true });
}

interface Counted<T> {
  count: number;
  listed: T[];
}

/** What undoing a change does, or would do. */
export interface UndoView {
  removed: Counted<string>;
  restored: Counted<string>;
  changed: Counted<string>;
  /** Pictures that have another file now. */
  replaced: number;
  entries: number;
  kept: Counted<Kept>;
}

export function viewUndo({ removed, restored, changed, replaced, entries, kept }: UndoResult): UndoView {
  const view = <T>(items: T[]): Counted<T> => ({ count: items.length, listed: items.slice(0, MAX_LISTED) });
  return {
    removed: view(removed),
    restored: view(restored),
    changed: view(changed),
    replaced,
    entries,
    kept: view(kept),
  };
}

export interface RemovedPicture {
  id: string;
  removedAt: string;
  reason: string;
  /** Its title or file name, as long as it is in the trash. */
  name?: string;
  /** Whether it can be restored. */
  isInTrash: boolean;
}

/** Pictures in the trash, and those that imports leave out; the last one first. */
export async function listRemoved(openSnapshot: OpenSnapshot): Promise<RemovedPicture[]> {
  await using snapshot = await openSnapshot();
  const removed = new Map<string, RemovedPicture>();
  for await (const { image: id, removedAt, reason } of snapshot.removedFiles())
    removed.set(id, { id, removedAt, reason, isInTrash: false });
  for await (const { kind, image, removedAt } of snapshot.changeLog.trash())
    if (kind === 'image') {
      const { id } = image;
      const name = nameOf(image);
      const { reason = '' } = removed.get(id) ?? {};
      removed.set(id, { id, removedAt, reason, ...(name && { name }), isInTrash: true });
    }
  return [...removed.values()].sort((a, b) => (a.removedAt < b.removedAt ? 1 : -1));
}
