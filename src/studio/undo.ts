/** Restores what was before a recorded change. The caller commits. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { parseStored, readDocument } from '../catalogue/documents/document.ts';
import { entryVersion, stateOf, versionOf, withFileOf } from '../catalogue/documents/edit-image.ts';
import { type ImageEntries, placeImage } from '../catalogue/documents/place-image.ts';
import { loadEntriesOf } from '../changes/references.ts';
import { placeFormer } from '../changes/restore-images.ts';
import { inBatches } from '../lib/parallel.ts';
import type { CatalogueWriter, ImageRow, SavedEntry, SavedImage } from '../store/contract/writer.ts';
import type { ChangeRecord, EntryChange } from './change-record.ts';

const BATCH_SIZE = 500;

/** Something was changed after the recorded change, so restoring it would lose that. */
export class ChangedSince extends Error {}

export async function undoChange(
  writer: CatalogueWriter,
  record: ChangeRecord,
  onImages: (count: number) => void,
): Promise<void> {
  const current = await findCurrent(writer, record);
  await restoreEntries(writer, [...record.entries.values()], current);
  const ids = [...record.images.keys()];
  for (const batch of inBatches(ids, BATCH_SIZE)) {
    const rows = await writer.imagesById(batch);
    if (rows.length < batch.length)
      throw new ChangedSince('some of the pictures are no longer in the catalogue');
    await restoreImages(writer, rows, record);
    onImages(rows.length);
    await nextTick();
  }
  await restoreRemoved(writer, record.removedImages);
  await restoreDecisions(writer, record);
  await removeCreated(writer, record, current);
}

/** The entries of the record as they are now, by kind and id. */
async function findCurrent(writer: CatalogueWriter, record: ChangeRecord): Promise<Map<string, SavedEntry>> {
  const current = new Map<string, SavedEntry>();
  for (const [key, { kind, id, before, after }] of record.entries) {
    const [entry] = await writer.entriesById(kind, [id]);
    if ((entry && entryVersion(entry)) !== after)
      throw new ChangedSince(`the ${kind} "${entry?.name ?? before?.name}" was changed meanwhile`);
    if (entry) current.set(key, entry);
  }
  return current;
}

async function restoreEntries(
  writer: CatalogueWriter,
  changes: EntryChange[],
  current: Map<string, SavedEntry>,
): Promise<void> {
  const existed = changes.flatMap(({ kind, id, before }) => {
    const shelf = current.get(`${kind} ${id}`)?.shelf;
    return before ? [{ before, shelf }] : [];
  });
  const row = ({ before: { shelf: _, ...entry }, shelf }: (typeof existed)[number], aliases: string[]) => ({
    ...entry,
    ...(shelf !== undefined && { shelf }),
    aliases,
  });
  // First without aliases, because two entries may have exchanged some.
  await writer.saveEntries(existed.map((entry) => row(entry, [])));
  for (const { before } of existed) {
    if (before.aliases.length === 0) continue;
    const [entry] = await writer.entriesById(before.kind, [before.id]);
    if (entry) await writer.saveAliases({ ...entry, aliases: before.aliases });
  }
}

async function restoreImages(
  writer: CatalogueWriter,
  rows: SavedImage[],
  { images, replaced }: ChangeRecord,
): Promise<void> {
  const former = rows.map((current) => {
    const change = images.get(current.id);
    if (!change || versionOf(stateOf(current)) !== change.after)
      throw new ChangedSince('some of the pictures were changed meanwhile');
    const file = replaced.get(current.id);
    return { row: file ? withFileOf(current, file) : current, former: change.before };
  });
  const placed = await placeFormer(writer, former);
  if (placed.size < rows.length)
    throw new ChangedSince('an artist, category or character of the pictures was removed meanwhile');
  await writer.saveImages([...placed.values()]);
}

/** Restored images come last in the order of adding. */
async function restoreRemoved(writer: CatalogueWriter, removed: ImageRow[]): Promise<void> {
  for (const rows of inBatches(removed as SavedImage[], BATCH_SIZE)) {
    const existing = await writer.imagesById(rows.map(({ id }) => id));
    if (existing.length > 0) throw new ChangedSince('some of the pictures were imported again');
    const entries = await loadEntriesOf(writer, rows);
    await writer.saveImages(
      rows.map(({ number: _, ...row }) => {
        const { previews } = parseStored(row.document);
        const ofImage = entries.get(row.id) as ImageEntries;
        return placeImage(row, readDocument(row.document), ofImage, previews, writer.fixedShelves);
      }),
    );
    await nextTick();
  }
}

async function restoreDecisions({ decisions }: CatalogueWriter, record: ChangeRecord): Promise<void> {
  for (const { kind, name, before } of record.blockedNames.values())
    if (before) await decisions.blockNames([before]);
    else await decisions.unblockNames(kind, [name]);
  const files = [...record.removedFiles.values()].filter((file) => file !== undefined);
  await decisions.forgetFiles([...record.removedFiles.keys()]);
  await decisions.rememberFiles(files);
}

/** Others may use an entry by now. Then it stays. */
async function removeCreated(
  writer: CatalogueWriter,
  { entries }: ChangeRecord,
  current: Map<string, SavedEntry>,
): Promise<void> {
  for (const [key, { before }] of entries) {
    const entry = current.get(key);
    if (before || !entry) continue;
    const { done } = await writer.imagesOn(entry.shelf)[Symbol.asyncIterator]().next();
    if (done) await writer.removeEntries([entry]);
  }
}
