/** Changes the catalogue together with its files: neither is left half done, even if the process is killed. */

import type { Files, Upload } from '../../media/files.ts';
import type { CatalogueWriter } from '../../store/contract/writer.ts';
import { removeLeftovers, removeUnusedFiles } from '../cleanup.ts';

export interface FileChange {
  files: Files;
  openWriter: () => Promise<CatalogueWriter>;
  isDryRun: boolean;
  /** Aborts the change. */
  signal: AbortSignal;
}

/**
 * Stores files (`prepare`), changes the catalogue under its write lock (`apply`), and commits. If one of them fails, nothing
 * changes. `prepare` returns whether there is anything to apply.
 *
 * Other commands may remove files while `prepare` runs. New ones are safe: they are in the journal of a running command. A
 * file that was stored before may be gone by the time of `apply`, which has to look (`findLost`).
 */
export async function changeFiles(
  { files, openWriter, isDryRun, signal }: FileChange,
  prepare: (upload: Upload) => Promise<boolean>,
  apply: (writer: CatalogueWriter, upload: Upload) => Promise<void>,
): Promise<void> {
  const upload = isDryRun ? files.dryRunUpload() : await files.beginUpload();
  try {
    const hasChanges = await prepare(upload);
    // Most files become durable before the lock is taken.
    await upload.flush();
    signal.throwIfAborted();
    if (hasChanges) {
      await using writer = await openWriter();
      await apply(writer, upload);
      await upload.flush();
      signal.throwIfAborted();
      if (!isDryRun) await writer.commit();
    } else if (!isDryRun) {
      // As after every commit.
      await removeLeftovers(files, openWriter);
    }
  } catch (error) {
    await endUpload(upload, [...upload.newKeys(), ...upload.releasedKeys()], files, openWriter);
    throw error;
  }
  await endUpload(upload, upload.releasedKeys(), files, openWriter);
}

/**
 * Removes those of the files that no image uses. This is looked up after the commit or rollback: another import may use the
 * same files by now, and a commit may have succeeded although its response was lost. If the lookup fails, the journal
 * leaves it to the next command.
 */
async function endUpload(
  upload: Upload,
  keys: string[],
  files: Files,
  openWriter: () => Promise<CatalogueWriter>,
): Promise<void> {
  try {
    await removeUnusedFiles(files, keys, openWriter);
    await upload.finish();
  } catch {
    await upload.abandon();
  }
}
