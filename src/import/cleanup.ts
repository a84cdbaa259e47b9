/** Bytes that were taken in, or are about to be given up, and that no image uses: found under the lock, and removed. */
import type { CatalogueWriter } from '../catalogue/writer.ts';
import type { Files } from '../media/files.ts';

/** Removes what an import that was killed left behind. Whoever has a writer knows that none is running. */
export async function removeLeftovers(files: Files, writer: CatalogueWriter): Promise<void> {
  for (const key of await writer.unusedKeys(await files.abandonedKeys())) await files.remove(key);
  await files.clearAbandoned();
}

/** Removes those of the bytes that nothing uses by now, and tells how many that were. */
export async function removeUnused(
  files: Files,
  keys: string[],
  openWriter: () => Promise<CatalogueWriter>,
): Promise<number> {
  if (keys.length === 0) return 0;
  // For as long as we have the lock, no import comes to count on bytes that are being removed.
  await using writer = await openWriter();
  const unused = await writer.unusedKeys(keys);
  for (const key of unused) await files.remove(key);
  return unused.length;
}
