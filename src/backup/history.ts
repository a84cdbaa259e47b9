/** The change log and the trash in a backup: writes their lines, and restores them. */
import type { ChangeLogReader, ChangeLogWriter, LogPart } from '../catalogue/change-log.ts';
import { changeLine, itemLine, NewNumbers, trashLine } from '../catalogue/history-line.ts';
import { planChange, planItem, planTrashed } from '../import/plan/history.ts';
import type { Picture } from '../import/plan/image.ts';
import { Batch } from '../import/prepare/batch.ts';
import { type Problems, RecordError, type RecordLocation } from '../import/records/problems.ts';
import type { ImageLine } from '../import/records/record.ts';
import { inParallel, streamBatches } from '../lib/parallel.ts';
import type { Keys, StoredImage } from './batches.ts';
import { formatImage, type ParsedHistory } from './format.ts';
import type { PictureFiles, StoredFiles } from './picture-files.ts';
import type { Backup } from './read.ts';

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

/** A line, and the image of one in the trash. */
export interface LocatedLine extends RecordLocation, ParsedHistory {
  size: number;
}

/** Each batch has lines of one type. Lines that are invalid are left out. */
export async function* readHistory(
  backup: Backup,
  problems: Problems,
  keys: Keys,
  signal: AbortSignal,
): AsyncGenerator<LocatedLine[], void> {
  const batch = new Batch<LocatedLine>(({ line }) => line.type);
  const counts = { history: 0, change: 0, 'change-item': 0, trash: 0 };
  const { images, trash } = backup.manifest.counts;
  const maxNumber = images + trash;
  for await (const { number, label, size, parse } of backup.historyLines()) {
    signal.throwIfAborted();
    const location = { source: 0, position: number, label };
    const parsed = problems.attempt(location, () => {
      const { line, record, stored } = parse();
      if (line.type === 'trash' && line.number > maxNumber)
        throw new RecordError('number: is higher than that of any image');
      if (stored) keys.add((record as StoredImage).key, stored.hash);
      return { line, record, stored };
    });
    if (problems.isFull) return;
    if (!parsed) continue;
    counts[parsed.line.type]++;
    const located = { ...location, size, ...parsed };
    if (batch.isFullFor(located)) yield batch.take();
    batch.add(located);
  }
  yield batch.take();
  if (problems.count > 0) return;
  backup.checkCount('changes', counts.change);
  backup.checkCount('trash', counts.trash);
}

/** `pictures` are the stored ones of lines of the trash. An image without one is left out. */
export async function restoreHistory(
  log: ChangeLogWriter,
  batch: LocatedLine[],
  pictures: (Picture | undefined)[],
): Promise<void> {
  const part: LogPart = { changes: [], items: [], trash: [] };
  for (const [index, { line, record }] of batch.entries()) {
    const picture = pictures[index];
    if (line.type === 'change') part.changes.push(planChange(line));
    else if (line.type === 'change-item') part.items.push(planItem(line));
    else if (line.type === 'trash' && picture)
      part.trash.push(planTrashed(line, record as ImageLine, picture));
  }
  await log.restore(part);
}
