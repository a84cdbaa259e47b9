/**
 * Changes the catalogue together with its files: neither is left half done, even if the process is killed. Removes files that no
 * image uses, under the catalogue's write lock.
 */
import { type CatalogueWriter, LockTimeout } from '../../catalogue/writer.ts';
import type { Files, Upload } from '../../media/files.ts';

export interface FileChange {
  files: Files;
  openWriter: () => Promise<CatalogueWriter>;
  isDryRun: boolean;
  /** Aborts the change. */
  signal: AbortSignal;
  /** Says what could not be removed of killed commands, in a sentence. */
  warn: (problem: string) => void;
  /** Called if the change fails, before its files are removed. */
  onFailure?: (error: unknown) => Promise<void>;
}

/**
 * Stores files (`prepare`), changes the catalogue under its write lock (`apply`), and commits. If one of them fails, nothing
 * changes. `prepare` returns whether there is anything to apply.
 *
 * Other commands may remove files while `prepare` runs. New ones are safe: they are in the journal of a running command. A
 * file that was stored before may be gone by the time of `apply`, which has to look (`findLost`).
 */
export async function changeFiles(
  { files, openWriter, isDryRun, signal, warn, onFailure }: FileChange,
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
      await removeLeftovers(files, openWriter, warn);
    }
  } catch (error) {
    await onFailure?.(error);
    // Whether the commit succeeded may be unknown. What no image uses is removed, now or by the next command.
    await upload.abandon();
    if (!isDryRun) await removeLeftovers(files, openWriter, warn);
    throw error;
  }
  await endUpload(upload, files, openWriter);
}

/**
 * Removes those of the released files that no image uses. This is looked up after the commit: another import may use the
 * same files by now. If the lookup fails, the journal leaves it to the next command.
 */
async function endUpload(
  upload: Upload,
  files: Files,
  openWriter: () => Promise<CatalogueWriter>,
): Promise<void> {
  try {
    await removeUnusedFiles(files, await upload.releasedKeys(), openWriter);
    await upload.finish();
  } catch {
    await upload.abandon();
  }
}

/**
 * Removes what killed commands left in the storage. Running ones keep their files. If it fails, the next command tries again.
 * Call it after a commit: what is left may be the files of images that are being moved here from another database.
 */
export async function removeLeftovers(
  files: Files,
  openWriter: () => Promise<CatalogueWriter>,
  warn: (problem: string) => void,
): Promise<void> {
  const onFailure = (error: Error) =>
    warn(`cannot remove the files of an interrupted command: ${error.message}; the next command tries again`);
  try {
    const { hasAbandoned, problems } = await files.findLeftovers();
    for (const problem of problems) warn(problem);
    if (!hasAbandoned) return;
    await using writer = await openWriter();
    await files.handleAbandoned(async (keys) => files.remove(await writer.unusedKeys(keys)), onFailure);
  } catch (error) {
    // A command that changes the catalogue at the moment does the same.
    if (!(error instanceof LockTimeout)) onFailure(error as Error);
  }
}

/** Removes those of the files that no image uses, and returns how many. */
export async function removeUnusedFiles(
  files: Files,
  keys: string[],
  openWriter: () => Promise<CatalogueWriter>,
): Promise<number> {
  if (keys.length === 0) return 0;
  // The lock keeps other imports from reusing a file while it is being removed.
  await using writer = await openWriter();
  const unused = await writer.unusedKeys(keys);
  await files.remove(unused);
  return unused.length;
}
