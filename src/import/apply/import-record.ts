/** Records what an import changes, so that it can be listed and reverted. */

import { readDocument } from '../../catalogue/documents/document.ts';
import { entryVersion, type ImageState, stateOf, versionOf } from '../../catalogue/documents/edit-image.ts';
import type { BlockedName, RemovedFile } from '../../store/contract/decisions.ts';
import type { ImportChange, ImportOrigin, ImportRun } from '../../store/contract/import-runs.ts';
import type {
  CatalogueWriter,
  Entry,
  ImageRow,
  SavedEntry,
  SavedImage,
} from '../../store/contract/writer.ts';
import type { WriterObserver } from './observe-writer.ts';

/** Older runs are forgotten. */
const MAX_RUNS = 100;
/** Of all runs together: about 40 MB. Beyond it, the oldest ones can no longer be reverted. */
const MAX_CHANGES = 100_000;
const BATCH_SIZE = 500;
const MAX_SOURCE_LENGTH = 1000;

export interface NewRun {
  source: string;
  origin: ImportOrigin;
  /** Adds to this run, if it is still the last one and nobody else added images since. */
  continues?: number | undefined;
}

/** An image before an import. A file that was replaced is gone. */
export interface FormerImage extends ImageState {
  createdAt: string;
}

export type FormerEntry = Omit<SavedEntry, 'shelf'>;

export async function startRecord(
  { importRuns }: CatalogueWriter,
  run: NewRun,
  now: string,
  maxChanges = MAX_CHANGES,
): Promise<ImportRecord> {
  const runs = await importRuns.list();
  const [last] = runs;
  const canContinue =
    last?.id === run.continues &&
    last?.state === 'revertible' &&
    last.origin === run.origin &&
    (last.lastImage < last.firstImage || last.lastImage === importRuns.lastImage);
  return new ImportRecord(importRuns, run, now, runs, canContinue ? last : undefined, maxChanges);
}

class ImportRecord implements WriterObserver {
  readonly #importRuns: CatalogueWriter['importRuns'];
  readonly #runs: ImportRun[];
  readonly #run: ImportRun;
  readonly #maxChanges: number;
  #buffer = new Map<string, ImportChange>();
  readonly #seen = new Set<string>();

  constructor(
    importRuns: CatalogueWriter['importRuns'],
    { source, origin }: NewRun,
    now: string,
    runs: ImportRun[],
    continued: ImportRun | undefined,
    maxChanges: number,
  ) {
    this.#importRuns = importRuns;
    this.#runs = runs.filter(({ id }) => id !== continued?.id);
    this.#maxChanges = maxChanges;
    const { lastImage } = importRuns;
    this.#run = {
      id: (runs[0]?.id ?? 0) + 1,
      source: source.slice(0, MAX_SOURCE_LENGTH),
      origin,
      changes: 0,
      state: 'revertible',
      at: now,
      added: 0,
      changed: 0,
      removed: 0,
      entries: 0,
      ...continued,
      firstImage: continued && continued.firstImage <= lastImage ? continued.firstImage : lastImage + 1,
      lastImage,
    };
  }

  imagesAdded(count: number): void {
    this.#run.added += count;
    this.#run.lastImage += count;
  }

  imageChanged(before: SavedImage, after: ImageRow): void {
    // Another picture of this import may say more about an image that it added.
    if (before.number > this.#importRuns.lastImage) return;
    if (this.#isFull) {
      this.#run.changed++;
      return;
    }
    const [former, changed] = [describeImage(before), describeImage(after)];
    // New thumbnails are no change.
    if (JSON.stringify(former) === JSON.stringify(changed)) return;
    if (this.#note('image', before.id, former, versionOf(changed))) this.#run.changed++;
  }

  imagesRemoved(rows: ImageRow[]): void {
    this.#run.removed += rows.length;
  }

  entryChanged(before: SavedEntry | undefined, after: Entry | undefined): void {
    if (!after) return;
    const { shelf: _, ...former } = before ?? ({} as SavedEntry);
    if (this.#note(after.kind, after.id, before && former, entryVersion(after))) this.#run.entries++;
  }

  nameChanged({ kind, name }: BlockedName, before?: BlockedName, after?: BlockedName): void {
    const [former, changed] = [before && describeName(before), after && describeName(after)];
    if (changed && former !== changed) this.#note('blocked', JSON.stringify([kind, name]), before, changed);
  }

  removedFileChanged(hash: string, before?: RemovedFile, after?: RemovedFile): void {
    const [former, changed] = [before && describeFile(before), after && describeFile(after)];
    if (changed && former !== changed) this.#note('removed', hash, before, changed);
  }

  async flush(): Promise<void> {
    if (this.#buffer.size >= BATCH_SIZE) await this.#saveChanges();
  }

  /** Saves the run and returns it, or returns undefined if nothing changed. Forgets what is too old or too much. */
  async finish(): Promise<ImportRun | undefined> {
    await this.#saveChanges();
    const run = this.#run;
    run.changes += this.#seen.size;
    if (run.added + run.changed + run.removed + run.changes === 0) return undefined;
    await this.#importRuns.save(run);
    let changes = 0;
    for (const each of [run, ...this.#runs]) {
      changes += each.changes;
      if (changes <= this.#maxChanges || each.state !== 'revertible') continue;
      await this.#importRuns.removeChanges(each.id);
      await this.#importRuns.save(Object.assign(each, { changes: 0, state: 'forgotten' }));
    }
    await this.#importRuns.removeBelow(run.id - MAX_RUNS + 1);
    return run;
  }

  /** One too many says that there are too many. */
  get #isFull(): boolean {
    return this.#seen.size > this.#maxChanges;
  }

  /** Returns whether it is the first change of this thing. */
  #note(
    kind: ImportChange['kind'],
    id: string,
    before: FormerImage | FormerEntry | BlockedName | RemovedFile | undefined,
    after: string,
  ): boolean {
    const key = `${kind} ${id}`;
    const isNew = !this.#seen.has(key);
    if (this.#isFull) return isNew;
    this.#seen.add(key);
    const earlier = this.#buffer.get(key) ?? { before: before ? JSON.stringify(before) : null };
    this.#buffer.set(key, { kind, id, before: earlier.before, after });
    return isNew;
  }

  async #saveChanges(): Promise<void> {
    const changes = [...this.#buffer.values()];
    this.#buffer = new Map();
    if (changes.length > 0) await this.#importRuns.saveChanges(this.#run.id, changes);
  }
}

function describeImage(row: ImageRow): FormerImage {
  const image = readDocument(row.document);
  return { ...stateOf(row, image), createdAt: image.createdAt };
}

export const describeName = ({ name, blockedAt }: BlockedName): string => JSON.stringify([name, blockedAt]);

export const describeFile = ({ image, removedAt, reason }: RemovedFile): string =>
  JSON.stringify([image, removedAt, reason]);
