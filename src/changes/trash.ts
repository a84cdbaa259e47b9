/** The trash: removed images stay there for a while, not served and not listed, and can be restored with all their fields. */
import type { TrashedImage } from '../catalogue/change-log.ts';
import { fileKeys } from '../catalogue/documents/thumbnails.ts';
import type { CatalogueWriter } from '../catalogue/writer.ts';
import { inBatches } from '../lib/parallel.ts';
import type { Files } from '../media/files.ts';
import { countImages } from './describe.ts';
import { EditError } from './errors.ts';
import { commitWithJournal, removeJournaled } from './remove.ts';
import { ENTRY_REMOVED, restoreFromTrash } from './undo-images.ts';

const BATCH_SIZE = 500;

/** Puts images back into the catalogue. All of them, or none. */
export async function restoreTrashed(writer: CatalogueWriter, ids: string[]): Promise<void> {
  for (const batch of inBatches(ids, BATCH_SIZE)) {
    const trashed = (await writer.changeLog.trashed(batch)).filter(({ kind }) => kind === 'image');
    // An image that was imported and removed again is there twice, the last one last.
    const byId = new Map(trashed.map((row) => [row.image.id, row]));
    const missing = new Set(batch).difference(byId);
    if (missing.size > 0)
      throw new EditError(
        `nothing was restored: the trash has no image ${[...missing].slice(0, 10).join(', ')}`,
      );
    const { restored, kept } = await restoreFromTrash(writer, [...byId.values()]);
    for (const [id, reason] of kept) {
      const { change } = byId.get(id) ?? {};
      const advice =
        reason === ENTRY_REMOVED ? `; undoing change ${change} restores it with what it needs` : '';
      throw new EditError(`nothing was restored: image ${id}: ${reason}${advice}`);
    }
    // Imports may add their pictures again.
    const removed = await writer.decisions.removedFilesOf(restored);
    await writer.decisions.forgetFiles(removed.map(({ hash }) => hash));
  }
  writer.changeLog.describe(`restore ${countImages(ids.length)} from the trash`);
}

export interface EmptyTrash {
  files: Files;
  openWriter: () => Promise<CatalogueWriter>;
  signal: AbortSignal;
}

/**
 * Deletes for good what the trash has: what was removed before a time, or by changes up to one. Returns how many rows and
 * files.
 */
export async function emptyTrash(
  { before, upTo = Number.POSITIVE_INFINITY }: { before?: string; upTo?: number },
  { files, openWriter, signal }: EmptyTrash,
): Promise<{ images: number; files: number }> {
  let rows: TrashedImage[];
  let keys: string[];
  let journal: Awaited<ReturnType<typeof commitWithJournal>>;
  {
    await using writer = await openWriter();
    rows = (await writer.changeLog.trashBefore(before)).filter(({ change }) => change <= upTo);
    if (rows.length === 0) return { images: 0, files: 0 };
    await writer.changeLog.takeFromTrash(rows);
    const removed = await writer.decisions.removedFilesOf(rows.map(({ image }) => image.id));
    const hashes = [...rows.map(({ image }) => image.eTag), ...removed.map(({ hash }) => hash)];
    // An import that did not commit may have stored other versions of the pictures.
    const prepared = files.prepared.keysOf(hashes);
    keys = [...new Set([...rows.flatMap(({ image }) => fileKeys(image)), ...prepared])];
    journal = await commitWithJournal(writer, files, keys, signal);
  }
  return { images: rows.length, files: await removeJournaled(files, keys, journal, openWriter) };
}
