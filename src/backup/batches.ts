/** The records of a backup, checked, in batches of bounded size. */
import { hashInKey } from '../import/files.ts';
import { Batch } from '../import/prepare/batch.ts';
import { type Problems, RecordError } from '../import/records/problems.ts';
import type { ImageLine, RecordLine } from '../import/records/record.ts';
import type { Stored } from './format.ts';
import type { Backup, BackupLine } from './read.ts';

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
