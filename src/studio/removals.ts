/**
 * Removes pictures from the catalogue at once, by themselves or with the import that added them, and keeps their files until
 * the operator deletes them or the studio ends. Until then the removal can be undone.
 */

import { EditError } from '../changes/errors.ts';
import { removeImages } from '../changes/remove-images.ts';
import { type RevertResult, revertImport } from '../changes/revert-import.ts';
import { inParallel } from '../lib/parallel.ts';
import type { Files } from '../media/files.ts';
import type { RemovedFile } from '../store/contract/decisions.ts';
import type { CatalogueSnapshot, CatalogueWriter, ImageRow } from '../store/contract/writer.ts';
import { type OnProgress, StudioError } from './server.ts';
import { ChangedSince } from './undo.ts';

const MAX_REVERTED = 200_000;

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
        now: this.#now(),
        reason,
        allowAgain: false,
        isDryRun: false,
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

  /** Reverts an import, as `openRecorded` records it. */
  async revertImport(
    run: number,
    isDryRun: boolean,
    openRecorded: () => Promise<CatalogueWriter>,
    report: OnProgress,
  ): Promise<RevertResult> {
    await refuseLarge(run, this.#engines.openSnapshot);
    let [isReverted, done] = [false, 0];
    const result = await revertImport(run, {
      ...this.#engines,
      openWriter: () => (isReverted ? this.#engines.openWriter(() => {}) : openRecorded()),
      onProgress(images, total) {
        done += images;
        if (total > images) report({ done, total });
      },
      isDryRun,
      isStrict: false,
      signal: new AbortController().signal,
    });
    isReverted = true;
    if (!isDryRun) this.#deletions.push(result.removeFiles);
    return result;
  }

  /** Reverts the import of pictures that were added here. It cannot be repeated, so the files are removed at once. */
  async undoImport(run: number, openWriter: () => Promise<CatalogueWriter>): Promise<void> {
    try {
      const { signal } = new AbortController();
      const revert = { ...this.#engines, openWriter, isDryRun: false, isStrict: true, signal };
      await (await revertImport(run, revert)).removeFiles();
    } catch (error) {
      throw error instanceof EditError ? new ChangedSince(error.message) : error;
    }
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

/** The rows of all removed pictures are kept in memory for the undo. */
async function refuseLarge(id: number, openSnapshot: RemovalEngines['openSnapshot']): Promise<void> {
  await using snapshot = await openSnapshot();
  const run = (await snapshot.importRuns()).find((run) => run.id === id);
  if (run && run.added > MAX_REVERTED)
    throw new StudioError(
      422,
      `the import added ${run.added} pictures, too many to revert it here; run "zukan imports revert ${id}"`,
    );
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
