/** Removes stored files that no image uses, under the catalogue's write lock. */

import type { Files } from '../media/files.ts';
import type { CatalogueWriter } from '../store/contract/writer.ts';

/**
 * Removes what killed commands left in the storage. Running ones keep their files. If it fails, the next command tries again.
 * Call it after a commit: what is left may be the files of images that are being moved here from another database.
 */
export async function removeLeftovers(
  files: Files,
  openWriter: () => Promise<CatalogueWriter>,
): Promise<void> {
  try {
    if (!(await files.hasAbandoned())) return;
    await using writer = await openWriter();
    await files.handleAbandoned(async (keys) => files.remove(await writer.unusedKeys(keys)));
  } catch {
    // The storage or the database is unavailable, or another command changes the catalogue.
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
