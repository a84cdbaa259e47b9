/**
 * Undoes a change: removes what it added, restores what it removed, and gives everything else the fields that it had before.
 * What was changed since stays as it is and is listed; it can be undone later, when the later change was. Undoing is itself a
 * change, which can be undone.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Change, ChangeItem } from '../catalogue/change-log.ts';
import type { Kind } from '../catalogue/types.ts';
import type { CatalogueWriter } from '../catalogue/writer.ts';
import type { BlockedName, Decisions, RemovedFile } from '../store/contract/decisions.ts';
import { nameImages } from './describe.ts';
import { EditError } from './errors.ts';
import { removeCreatedEntries, restoreAliases, restoreEntries } from './undo-entries.ts';
import { undoImages } from './undo-images.ts';
import { isSame, type Kept, type Undoing, type UndoResult } from './undoing.ts';

const KINDS = ['artist', 'category', 'character', 'album'] as const;

export interface UndoOptions {
  openWriter: () => Promise<CatalogueWriter>;
  isDryRun: boolean;
  /** Whether it is an error if something has to stay. */
  isStrict: boolean;
  /** Called with the number of images that were looked at, and that of all. */
  onProgress?: (images: number, total: number) => void;
  /** Aborts it until it is committed. */
  signal?: AbortSignal;
}

/** Something of the change was changed since. */
export class ChangedSince extends EditError {
  readonly kept: Kept[];
  constructor(message: string, kept: Kept[]) {
    super(message);
    this.kept = kept;
  }
}

export async function undoChange(number: number, options: UndoOptions): Promise<UndoResult> {
  await using writer = await options.openWriter();
  const { changeLog } = writer;
  const change = await findChange(writer, number);
  const result: UndoResult = {
    change,
    removed: [],
    restored: [],
    changed: [],
    replaced: 0,
    entries: 0,
    kept: [],
  };
  let images = 0;
  const undoing: Undoing = {
    writer,
    change,
    result,
    markUndone: (items) => changeLog.markUndone(change, items),
    async onImages(count) {
      options.signal?.throwIfAborted();
      images += count;
      options.onProgress?.(images, change.added + change.changed + change.removed);
      // The embedded database does its work at once, and others wait.
      await nextTick();
    },
  };
  await changeLog.startUndo(change);
  changeLog.describe(`undo ${number}: ${change.summary}`);
  const others = await readOthers(writer, change);
  const restored = [];
  for (const kind of KINDS) restored.push(...(await restoreEntries(undoing, kind, others.get(kind) ?? [])));
  await undoImages(undoing);
  await restoreDecisions(undoing, [...(others.get('blocked') ?? []), ...(others.get('removed') ?? [])]);
  for (const kind of KINDS) await removeCreatedEntries(undoing, kind, others.get(kind) ?? []);
  await restoreAliases(undoing, restored);
  const kept = await nameImages(writer, result.kept);
  if (kept.length > 0 && options.isStrict)
    throw new ChangedSince(`nothing was undone: something of change ${number} was changed since`, kept);
  if (kept.length === 0) await changeLog.closeChange(change);
  // The next import of their folders reads their files again.
  await writer.sourceFiles.forget(result.changed);
  options.signal?.throwIfAborted();
  if (!options.isDryRun) await writer.commit();
  return { ...result, kept };
}

async function findChange({ changeLog }: CatalogueWriter, number: number): Promise<Change> {
  const change = await changeLog.find(number);
  if (!change) throw new EditError(`there is no change ${number}; "zukan history" lists them`);
  if (change.state === 'undone') throw new EditError(`change ${number} is undone already`);
  if (change.state === 'final')
    throw new EditError(
      `change ${number} took images down, which cannot be undone; "zukan remove --allow-again <id>" lets imports add them again`,
    );
  if (change.state === 'forgotten')
    throw new EditError(`change ${number} cannot be undone: it changed too much to be remembered`);
  return change;
}

/** Everything but images: there is not much of it. Those that were undone before are left out. */
async function readOthers(
  { changeLog }: CatalogueWriter,
  { number }: Change,
): Promise<Map<ChangeItem['kind'], ChangeItem[]>> {
  const items: ChangeItem[] = [];
  for await (const batch of changeLog.items(number))
    for (const item of batch) if (item.kind !== 'image' && item.undoneBy === null) items.push(item);
  return Map.groupBy(items, ({ kind }) => kind);
}

/** Restores blocked names and removed pictures, unless somebody decided otherwise since. */
async function restoreDecisions(
  { writer: { decisions, changeLog }, change, result, markUndone }: Undoing,
  items: ChangeItem[],
): Promise<void> {
  const keptImages = new Set(result.kept.map((kept) => kept.id));
  for (const { kind, id, before, after } of items) {
    // Imports still leave out a picture that is not restored.
    if (kind === 'removed' && keptImages.has(((after ?? before) as unknown as RemovedFile).image)) continue;
    const later = await changeLog.laterItems(change, kind, [id]);
    const current =
      kind === 'blocked' ? await findName(decisions, id) : (await decisions.removedFiles([id]))[0];
    if (later.has(id) || !isSame(current ?? null, after)) {
      result.kept.push({ kind, id, reason: 'decided otherwise since' });
      continue;
    }
    if (kind === 'blocked') await restoreName(decisions, id, before as BlockedName | null);
    else if (before) await decisions.rememberFiles([before as unknown as RemovedFile]);
    else await decisions.forgetFiles([id]);
    await markUndone([{ kind, id }]);
  }
}

/** `id` is JSON: the kind and the name. */
async function findName(decisions: Decisions, id: string): Promise<BlockedName | undefined> {
  const [kind, name] = JSON.parse(id) as [Kind, string];
  return (await decisions.blockedNames(kind, [name]))[0];
}

async function restoreName(decisions: Decisions, id: string, before: BlockedName | null): Promise<void> {
  const [kind, name] = JSON.parse(id) as [Kind, string];
  if (before) await decisions.blockNames([before]);
  else await decisions.unblockNames(kind, [name]);
}
