/** One change of the catalogue. */
import type { CatalogueWriter } from '../catalogue/writer.ts';

/** Runs the work under the write lock, and commits. If it fails, or for a dry run, nothing changes. */
export async function changeCatalogue<T>(
  openWriter: () => Promise<CatalogueWriter>,
  isDryRun: boolean,
  work: (writer: CatalogueWriter) => Promise<T>,
): Promise<T> {
  await using writer = await openWriter();
  const result = await work(writer);
  if (!isDryRun) await writer.commit();
  return result;
}
