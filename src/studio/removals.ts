/**
 * Removes pictures from the catalogue at once, and keeps their files until the operator deletes them or the studio ends. Until
 * then the removal can be undone.
 */
import type { RemovedFile } from '../catalogue/decisions.ts';
import type { CatalogueSnapshot, CatalogueWriter, ImageRow } from '../catalogue/writer.ts';
import { removeImages } from '../edit/remove-images.ts';
import type { Files } from '../media/files.ts';
import { inParallel } from '../parallel.ts';
import { ChangedSince } from './undo.ts';

export interface RemovalEngines {
  files: Files;
  openSnapshot: () => Promise<CatalogueSnapshot>;
  /** `onWait` is called if another command is changing the catalogue. */
  openWriter(onWait: () => void): Promise<CatalogueWriter>;
  /** How many files are read at the same time. */
  concurrency: number;
}

export class Removals {
  readonly #engines: RemovalEngines;
  readonly #now: () => string;
  /** Each deletes the files of one removal. Journals list them too, for the case that the studio is killed. */
  #deletions: (() => Promise<number>)[] = [];

  constructor(engines: RemovalEngines, now: () => string) {
    this.#engines = engines;
    this.#now = now;
  }

  /** `openRecorded` opens the writer of the removal. */
  async remove(ids: string[], reason: string, openRecorded: () => Promise<CatalogueWriter>): Promise<void> {
    let isRemoved = false;
    const { removeFiles } = await removeImages(
      { ids },
      {
        ...this.#engines,
        openWriter: () => (isRemoved ? this.#engines.openWriter(() => {}) : openRecorded()),
        ...{ now: this.#now(), reason, allowAgain: false, isDryRun: false },
        signal: new AbortController().signal,
      },
    );
    isRemoved = true;
    this.keep(removeFiles);
  }

  /** `removeFiles` deletes files that no picture uses any more. Until it is called, the change can be undone. */
  keep(removeFiles: () => Promise<number>): void {
    this.#deletions.push(removeFiles);
  }

  /** Another command may have cleaned up. */
  async refuseDeleted(images: ImageRow[]): Promise<void> {
    const { files, concurrency } = this.#engines;
    await inParallel(images, concurrency, async ({ key }) => {
      const file = await files.open(key);
      if (!file) throw new ChangedSince('the files were deleted; import the pictures again');
      await file.close();
    });
  }

  /** Returns how many files were deleted. Those of restored pictures stay. */
  async purge(): Promise<number> {
    const deletions = this.#deletions;
    this.#deletions = [];
    let deleted = 0;
    for (const deleteFiles of deletions) deleted += await deleteFiles();
    return deleted;
  }
}

export interface RemovedPicture {
  id: string;
  removedAt: string;
  reason: string;
}

/** All that are remembered, the last one first. */
export async function listRemoved(openSnapshot: () => Promise<CatalogueSnapshot>): Promise<RemovedPicture[]> {
  await using snapshot = await openSnapshot();
  const removed = new Map<string, RemovedFile>();
  for await (const file of snapshot.removedFiles()) removed.set(file.image, file);
  return [...removed.values()]
    .map(({ image, removedAt, reason }) => ({ id: image, removedAt, reason }))
    .sort((a, b) => (a.removedAt < b.removedAt ? 1 : -1));
}
