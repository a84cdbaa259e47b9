/** Everything that the studio changes, one at a time, each as one transaction that can be undone. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { editImages, type ImageEdit, NO_EDIT } from '../changes/images.ts';
import { type NewPicture, replaceFile } from '../changes/replace-file.ts';
import { observeWriter } from '../import/apply/observe-writer.ts';
import type { Clock } from '../lib/clock.ts';
import { inBatches } from '../lib/parallel.ts';
import type { CatalogueWriter } from '../store/contract/writer.ts';
import { ChangeRecord } from './change-record.ts';
import { describeEdit, describeImages, describeRevert, nameEntries } from './descriptions.ts';
import { EntryChanges } from './entry-changes.ts';
import { type Changed, History } from './history.ts';
import { type RevertView, viewRevert } from './imports.ts';
import { type RemovalEngines, Removals } from './removals.ts';
import { readRequest } from './requests.ts';
import { type OnProgress, StudioError } from './server.ts';
import { refuseStaleImages, summarise } from './summary.ts';
import { ChangedSince, undoChange } from './undo.ts';

const BATCH_SIZE = 500;

export interface ChangeEngines extends RemovalEngines {
  /** The sizes of thumbnails that images should have. */
  thumbnailSizes: readonly number[];
  clock: Clock;
  newId: () => string;
}

export class Changes {
  readonly history = new History();
  readonly entries: EntryChanges;
  readonly #engines: ChangeEngines;
  readonly #removals: Removals;
  #last: Promise<unknown> = Promise.resolve();

  constructor(engines: ChangeEngines) {
    this.#engines = engines;
    this.#removals = new Removals(engines, () => this.#now());
    this.entries = new EntryChanges(
      (label, report, work) => this.#change(label, report, work),
      () => this.#defaults(),
    );
  }

  async editImages(body: unknown, report: OnProgress): Promise<Changed & { changed: number }> {
    const { ids, version, edit } = readRequest('editImages', body);
    const wanted: ImageEdit = { ...NO_EDIT, ...edit };
    let named = edit;
    const label = () => describeEdit(named, ids.length);
    return this.#change(label, report, async (writer) => {
      await refuseStaleImages(writer, ids, version);
      named = await nameEntries(writer, edit);
      let changed = 0;
      let done = 0;
      for (const batch of inBatches(ids, BATCH_SIZE)) {
        changed += (await editImages(writer, batch, wanted, this.#defaults())).length;
        done += batch.length;
        await this.#progress(report, done, ids.length);
      }
      return { changed, summary: await summarise(writer, ids) };
    });
  }

  async removeImages(body: unknown, report: OnProgress): Promise<Changed> {
    const { ids, version, reason } = readRequest('removeImages', body);
    return this.#exclusively(async () => {
      const record = new ChangeRecord();
      await this.#removals.remove(ids, reason, async () => {
        const writer = observeWriter(await this.#openWriter(report), record);
        try {
          await refuseStaleImages(writer, ids, version);
          return writer;
        } catch (error) {
          await writer[Symbol.asyncDispose]();
          throw error;
        }
      });
      this.history.add({ label: `Remove ${describeImages(ids.length)}`, at: this.#now(), record });
      return { steps: this.history.list() };
    });
  }

  /** The picture gets this file, and keeps its id and its fields. */
  async replaceFile(target: { id: string; version: string }, picture: NewPicture): Promise<Changed> {
    const { id, version } = target;
    return this.#exclusively(async () => {
      const record = new ChangeRecord();
      const { removeFiles } = await replaceFile(id, picture, {
        ...this.#engines,
        now: this.#now(),
        openWriter: async () => observeWriter(await this.#openWriter(() => {}), record),
        refuseStale: (writer) => refuseStaleImages(writer, [id], version),
      });
      this.#removals.keep(removeFiles);
      this.history.add({ label: 'Replace the file of 1 picture', at: this.#now(), record });
      return { steps: this.history.list() };
    });
  }

  /** Lets imports add removed pictures again. */
  async allowAgain(body: unknown, report: OnProgress): Promise<Changed> {
    const { ids } = readRequest('selection', body);
    return this.#change(
      () => `Allow ${describeImages(ids.length)} again`,
      report,
      async ({ decisions }) => {
        const files = await decisions.removedFilesOf(ids);
        await decisions.forgetFiles(files.map(({ hash }) => hash));
        return {};
      },
    );
  }

  /** Deletes the files of removed pictures. */
  async purge(): Promise<Changed & { files: number }> {
    return this.#exclusively(async () => {
      const files = await this.#removals.purge();
      for (const step of this.history.removals()) this.history.drop(step);
      return { files, steps: this.history.list() };
    });
  }

  /**
   * Undoes the last step, or any removal: nothing depends on removed pictures. The page names the step, because another
   * page may have added one.
   */
  async undo(body: unknown, report: OnProgress): Promise<Changed & { undone: string }> {
    const { step: id } = readRequest('undo', body);
    return this.#exclusively(async () => {
      const step = [this.history.last, ...this.history.removals()].find((step) => step?.id === id);
      if (!step)
        throw new StudioError(409, 'another step was made meanwhile', { steps: this.history.list() });
      try {
        if (step.importRun === undefined) await this.#undoChange(step.record, report);
        else await this.#removals.undoImport(step.importRun, () => this.#openWriter(report));
      } catch (error) {
        if (!(error instanceof ChangedSince)) throw error;
        // Otherwise nobody could undo the steps before it.
        this.history.drop(step);
        const message = `"${step.label}" cannot be undone: ${error.message}`;
        throw new StudioError(409, message, { steps: this.history.list() });
      }
      this.history.drop(step);
      return { undone: step.label, steps: this.history.list() };
    });
  }

  /** Reverts an import, or only says what that would change. */
  async revertImport(body: unknown, report: OnProgress): Promise<Changed & RevertView> {
    const { run, isPreview } = readRequest('revertImport', body);
    return this.#exclusively(async () => {
      const record = new ChangeRecord();
      const open = () => this.#openWriter(report);
      const openRecorded = async () => observeWriter(await open(), record);
      const opened = isPreview ? open : openRecorded;
      const result = await this.#removals.revertImport(run, isPreview, opened, report);
      this.history.add({ label: describeRevert(result), at: this.#now(), record });
      return { ...viewRevert(result), steps: this.history.list() };
    });
  }

  async #undoChange(record: ChangeRecord, report: OnProgress): Promise<void> {
    await using writer = await this.#openWriter(report);
    let done = 0;
    await this.#removals.refuseDeleted([...record.removedImages, ...record.replaced.values()]);
    await undoChange(writer, record, (count) => {
      done += count;
      if (record.images.size > BATCH_SIZE) report({ done, total: record.images.size });
    });
    await writer.commit();
  }

  /** Runs after everything that was asked for before. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** `label` is called after the work. */
  async #change<T extends object>(
    label: () => string,
    report: OnProgress,
    work: (writer: CatalogueWriter) => Promise<T>,
  ): Promise<T & Changed> {
    return this.#exclusively(async () => {
      const record = new ChangeRecord();
      await using writer = observeWriter(await this.#openWriter(report), record);
      const result = await work(writer);
      await writer.commit();
      this.history.add({ label: label(), at: this.#now(), record });
      return { ...result, steps: this.history.list() };
    });
  }

  #openWriter(report: OnProgress): Promise<CatalogueWriter> {
    return this.#engines.openWriter(() => report({ waiting: true }));
  }

  /** Lets the response and other requests proceed: the embedded database does its work at once. */
  async #progress(report: OnProgress, done: number, total: number): Promise<void> {
    if (total <= BATCH_SIZE) return;
    report({ done, total });
    await nextTick();
  }

  #now(): string {
    return new Date(this.#engines.clock()).toISOString();
  }

  #defaults() {
    return { now: this.#now(), newId: this.#engines.newId };
  }
}
