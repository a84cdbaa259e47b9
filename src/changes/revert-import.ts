/**
 * Reverts an import: removes the images that it added, and restores what it changed. What was changed since stays as it is.
 * Nothing is remembered, so the next import of the same files does the same again.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { isEditedByHand, stateOf, versionOf } from '../catalogue/documents/edit-image.ts';
import { fileKeys } from '../catalogue/documents/thumbnails.ts';
import type { FormerImage } from '../import/apply/import-record.ts';
import { inBatches } from '../lib/parallel.ts';
import type { Files } from '../media/files.ts';
import type { ImportChange, ImportRun } from '../store/contract/import-runs.ts';
import type { CatalogueWriter, SavedImage } from '../store/contract/writer.ts';
import { EditError } from './errors.ts';
import { commitWithJournal, removeJournaled } from './remove-images.ts';
import { placeFormer } from './restore-images.ts';
import { type Kept, removeCreatedEntries, restoreEntries, revertDecisions } from './revert-entries.ts';

const BATCH_SIZE = 500;

export interface Revert {
  files: Files;
  openWriter: () => Promise<CatalogueWriter>;
  isDryRun: boolean;
  /** Whether something that was changed since is an error. Otherwise it is kept. */
  isStrict: boolean;
  /** Called with the number of images that were looked at, and that of all. */
  onProgress?: (images: number, total: number) => void;
  /** Aborts it until it is committed. */
  signal: AbortSignal;
}

export interface RevertResult {
  run: ImportRun;
  /** The ids of images that were removed, and of those that have their former fields again. */
  removed: string[];
  restored: string[];
  /** How many entries were removed or restored. */
  entries: number;
  kept: Kept[];
  /** Removes the files that no image uses any more, and returns how many. Call it once. */
  removeFiles(): Promise<number>;
}

/** Something that the import changed was changed since. */
export class ImportChangedSince extends EditError {}

export async function revertImport(id: number, revert: Revert): Promise<RevertResult> {
  const { files, openWriter, isDryRun, isStrict, signal } = revert;
  await using writer = await openWriter();
  const run = await findRun(writer, id);
  const changes = Map.groupBy(await writer.importRuns.changes(id), ({ kind }) => kind);
  const kept: Kept[] = [];
  const { removed, keys } = await removeAdded(writer, run, kept, revert);
  const restored = await restoreImages(writer, run, changes.get('image') ?? [], kept, revert);
  let entries = 0;
  for (const kind of ['artist', 'category', 'character'] as const)
    entries += await removeCreatedEntries(writer, kind, changes.get(kind) ?? [], kept);
  for (const kind of ['artist', 'category', 'character'] as const)
    entries += await restoreEntries(writer, kind, changes.get(kind) ?? [], kept);
  await revertDecisions(writer, [...(changes.get('blocked') ?? []), ...(changes.get('removed') ?? [])]);
  if (isStrict && kept.some(({ kind }) => kind === 'image'))
    throw new ImportChangedSince('some of the pictures were changed since');
  // Otherwise the next import would not read their files again, although those of removed images are.
  await writer.sourceFiles.forget(restored);
  await writer.importRuns.removeChanges(id);
  await writer.importRuns.save({ ...run, changes: 0, state: 'reverted' });
  const result = { run, removed, restored, entries, kept };
  if (isDryRun) return { ...result, removeFiles: async () => 0 };
  const journal = await commitWithJournal(writer, files, keys, signal);
  return { ...result, removeFiles: () => removeJournaled(files, keys, journal, openWriter) };
}

async function findRun({ importRuns }: CatalogueWriter, id: number): Promise<ImportRun> {
  const run = (await importRuns.list()).find((run) => run.id === id);
  if (!run) throw new EditError(`there is no import ${id}; the last 100 are remembered`);
  if (run.state === 'reverted') throw new EditError(`import ${id} was reverted already`);
  if (run.state === 'forgotten')
    throw new EditError(
      `import ${id} cannot be reverted: it, or a later one, changed too much to be remembered`,
    );
  return run;
}

async function removeAdded(
  writer: CatalogueWriter,
  run: ImportRun,
  kept: Kept[],
  { onProgress, signal }: Revert,
): Promise<{ removed: string[]; keys: string[] }> {
  const changedLater = await writer.importRuns.imagesChangedAfter(run.id);
  const removed: string[] = [];
  const keys = new Set<string>();
  const isKept = ({ id, edited }: SavedImage) => {
    const isByHand = isEditedByHand(edited);
    const reason = isByHand ? 'edited by hand since' : 'changed by a later import';
    if (isByHand || changedLater.has(id)) kept.push({ kind: 'image', id, reason });
    return isByHand || changedLater.has(id);
  };
  for await (const added of writer.importRuns.addedImages(run)) {
    signal.throwIfAborted();
    const images = new Map((await writer.imagesById(added)).map((image) => [image.id, image]));
    const ids = added.filter((id) => !isKept(images.get(id) as SavedImage));
    const rows = await writer.removeImages(ids);
    for (const row of rows) for (const key of fileKeys(row)) keys.add(key);
    removed.push(...ids);
    onProgress?.(added.length, run.added + run.changed);
    await nextTick();
  }
  return { removed, keys: [...keys] };
}

async function restoreImages(
  writer: CatalogueWriter,
  run: ImportRun,
  changes: ImportChange[],
  kept: Kept[],
  { onProgress, signal }: Revert,
): Promise<string[]> {
  const restored: string[] = [];
  for (const batch of inBatches(changes, BATCH_SIZE)) {
    signal.throwIfAborted();
    const byId = new Map(batch.map((change) => [change.id, change]));
    // Those that were removed since are not missed.
    const rows = await writer.imagesById([...byId.keys()]);
    const unchanged = rows.flatMap((row) => {
      const change = byId.get(row.id) as ImportChange;
      const former: FormerImage = JSON.parse(change.before as string);
      const reason = findReason(row, former, change.after);
      if (reason !== undefined) kept.push({ kind: 'image', id: row.id, reason });
      return reason === undefined ? [{ row, former }] : [];
    });
    const placed = await placeFormer(writer, unchanged);
    for (const { row } of unchanged)
      if (placed.has(row.id)) restored.push(row.id);
      else
        kept.push({
          kind: 'image',
          id: row.id,
          reason: 'a former artist, category or character was removed since',
        });
    await writer.saveImages([...placed.values()]);
    onProgress?.(batch.length, run.added + run.changed);
    await nextTick();
  }
  return restored;
}

/** Why an image that the import changed stays as it is. */
function findReason(row: SavedImage, former: FormerImage, after: string): string | undefined {
  if (versionOf(stateOf(row)) !== after) return 'changed since';
  return row.eTag === former.eTag ? undefined : 'the file was replaced, and the former one is gone';
}
