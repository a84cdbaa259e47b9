/** What the page shows of the last imports, and of reverting one. */

import type { Kept } from '../changes/revert-entries.ts';
import type { RevertResult } from '../changes/revert-import.ts';
import type { ImportRun } from '../store/contract/import-runs.ts';
import type { CatalogueSnapshot } from '../store/contract/writer.ts';

/** Longer lists are cut, and all are counted. */
const MAX_LISTED = 20;

export type ImportView = Omit<ImportRun, 'firstImage' | 'lastImage' | 'changes'>;

/** The newest one first. */
export async function listImports(openSnapshot: () => Promise<CatalogueSnapshot>): Promise<ImportView[]> {
  await using snapshot = await openSnapshot();
  return (await snapshot.importRuns()).map(({ firstImage, lastImage, changes, ...run }) => run);
}

export interface Counted<T> {
  count: number;
  listed: T[];
}

export interface RevertView {
  removed: Counted<string>;
  restored: Counted<string>;
  entries: number;
  kept: Counted<Kept>;
  /** Images that the import removed, because their files were gone. */
  lost: number;
}

export function viewRevert({ run, removed, restored, entries, kept }: RevertResult): RevertView {
  const view = <T>(items: T[]): Counted<T> => ({ count: items.length, listed: items.slice(0, MAX_LISTED) });
  return { removed: view(removed), restored: view(restored), entries, kept: view(kept), lost: run.removed };
}
