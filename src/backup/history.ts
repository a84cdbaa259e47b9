/** Writes the change log and the trash to a backup. */
import type { ChangeLogReader } from '../catalogue/change-log.ts';
import { changeLine, itemLine, NewNumbers, trashLine } from '../catalogue/lines.ts';
import { inParallel, streamBatches } from '../lib/concurrency.ts';
import { formatImage } from './format.ts';
import type { PictureFiles, StoredFiles } from './picture-files.ts';

const BATCH_SIZE = 64;
const MAX_CONCURRENT_FILES = 8;

/**
 * `images` are the numbers of the images in the backup. What the trash has without a file is left out: it cannot be
 * restored, or was deleted after the backup began.
 */
export async function* backUpHistory(
  log: ChangeLogReader,
  images: number[],
  pictures: PictureFiles,
  counts: { changes: number; trash: number },
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const files = new Map<string, StoredFiles>();
  const trashed: number[] = [];
  for await (const batch of streamBatches(log.trash(), BATCH_SIZE)) {
    signal.throwIfAborted();
    await inParallel(batch, MAX_CONCURRENT_FILES, async ({ kind, image }) => {
      const stored = await pictures.add(image);
      if (!stored) return;
      files.set(image.key, stored);
      if (kind === 'image') trashed.push(image.number);
    });
  }
  const numbers = new NewNumbers([...images, ...trashed]);
  for await (const change of log.changes()) {
    counts.changes++;
    yield changeLine(change, numbers);
  }
  for await (const item of log.storedItems()) yield itemLine(item);
  for await (const row of log.trash()) {
    const stored = files.get(row.image.key);
    if (!stored) continue;
    counts.trash++;
    yield trashLine(row, formatImage(row.image, row.image, stored), numbers);
  }
}
