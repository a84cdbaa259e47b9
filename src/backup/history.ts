/** The records of a backup in batches of bounded size: those of the catalogue, of the change log and of the trash. */
import type { ChangeLogReader, ChangeLogWriter, LogPart } from '../catalogue/change-log.ts';
import { changeLine, itemLine, NewNumbers, trashLine } from '../catalogue/lines.ts';
import { hashInKey } from '../import/files.ts';
import { Batch } from '../import/plan/existing.ts';
import { planChange, planItem, planTrashed } from '../import/plan/history.ts';
import type { Picture } from '../import/plan/image.ts';
import { type Problems, RecordError, type RecordLocation } from '../import/records/problems.ts';
import type { ImageLine, RecordLine } from '../import/records/record.ts';
import { inParallel, streamBatches } from '../lib/concurrency.ts';
import { formatImage, type ParsedHistory, type Stored } from './format.ts';
import type { PictureFiles, StoredFiles } from './picture-files.ts';
import type { Backup, BackupLine } from './read.ts';

// The records of a backup, checked, in batches of bounded size.

export interface Line {
  source: 0;
  position: number;
  label: string;
  size: number;
  record: RecordLine;
  stored?: Stored;
}

/** `parseLine` has checked that these are there. */
export type StoredImage = ImageLine & { key: string; meta: NonNullable<ImageLine['meta']> };

/** Each batch has records of one type. Lines that are invalid are left out. */
export async function* readBatches(
  backup: Backup,
  problems: Problems,
  keys: Keys,
  signal: AbortSignal,
): AsyncGenerator<Line[], void> {
  const batch = new Batch<Line>(({ record }) => record.type);
  let images = 0;
  for await (const line of backup.lines()) {
    signal.throwIfAborted();
    const parsed = parse(line, problems, keys);
    if (problems.isFull) return;
    if (!parsed) continue;
    if (parsed.stored) images++;
    if (batch.isFullFor(parsed)) yield batch.take();
    batch.add(parsed);
  }
  yield batch.take();
  if (problems.count === 0) backup.checkCount('images', images);
}

function parse({ number, label, size, parse }: BackupLine, problems: Problems, keys: Keys): Line | undefined {
  const location = { source: 0, position: number, label } as const;
  const parsed = problems.attempt(location, () => {
    const checked = parse();
    if (checked.stored) keys.add((checked.record as StoredImage).key, checked.stored.hash);
    return checked;
  });
  return parsed && { ...location, size, ...parsed };
}

/** The keys that no import has chosen: nothing else keeps two images from having different files with the same key. */
export class Keys {
  readonly #hashes = new Map<string, string>();

  add(key: string, hash: string): void {
    if (hashInKey(key) !== undefined) return;
    if ((this.#hashes.get(key) ?? hash) !== hash)
      throw new RecordError('key: another image has a different file with this key');
    this.#hashes.set(key, hash);
  }
}

// The change log and the trash in a backup: writes their lines, and restores them.

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
