/** Everything that the studio changes, one at a time, each as one transaction that can be undone. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { countImages, describeEdit } from '../changes/describe.ts';
import { editImages, type ImageEdit, NO_EDIT } from '../changes/images.ts';
import { removeImages } from '../changes/remove-images.ts';
import { type NewPicture, replaceFile } from '../changes/replace-file.ts';
import { emptyTrash, restoreTrashed } from '../changes/trash.ts';
import { undoChange } from '../changes/undo.ts';
import type { Clock } from '../lib/clock.ts';
import { inBatches } from '../lib/parallel.ts';
import type { Files } from '../media/files.ts';
import type { CatalogueSnapshot, CatalogueWriter } from '../store/contract/writer.ts';
import { EntryChanges } from './entry-changes.ts';
import { type Changed, listSteps, type UndoView, viewUndo } from './history.ts';
import { readRequest } from './requests.ts';
import type { OnProgress } from './server.ts';
import { refuseStaleImages, summarise } from './summary.ts';

const BATCH_SIZE = 500;

export interface ChangeEngines {
  files: Files;
  openSnapshot: () => Promise<CatalogueSnapshot>;
  /** `onWait` is called if another command is changing the catalogue. */
  openWriter(onWait: () => void): Promise<CatalogueWriter>;
  /** How many files are read at the same time. */
  concurrency: number;
  /** The sizes of thumbnails that images should have. */
  thumbnailSizes: readonly number[];
  clock: Clock;
  newId: () => string;
}

export class Changes {
  readonly entries: EntryChanges;
  readonly #engines: ChangeEngines;
  #last: Promise<unknown> = Promise.resolve();

  constructor(engines: ChangeEngines) {
    this.#engines = engines;
    this.entries = new EntryChanges(
      (report, work) => this.#change(report, work),
      () => this.#defaults(),
    );
  }

  async editImages(body: unknown, report: OnProgress): Promise<Changed & { changed: number }> {
    const { ids, version, edit } = readRequest('editImages', body);
    const wanted: ImageEdit = { ...NO_EDIT, ...edit };
    return this.#change(report, async (writer) => {
      await refuseStaleImages(writer, ids, version);
      let changed = 0;
      let done = 0;
      for (const batch of inBatches(ids, BATCH_SIZE)) {
        changed += (await editImages(writer, batch, wanted, this.#defaults())).length;
        done += batch.length;
        await this.#progress(report, done, ids.length);
      }
      writer.changeLog.describe(await describeEdit(writer, edit, changed));
      return { changed, summary: await summarise(writer, ids) };
    });
  }

  /** To the trash, or for good. */
  async removeImages(body: unknown, report: OnProgress): Promise<Changed> {
    const { ids, version, reason, isTakeDown } = readRequest('removeImages', body);
    return this.#exclusively(async () => {
      let isChecked = false;
      const { removeFiles } = await removeImages(
        { ids },
        {
          ...this.#engines,
          openWriter: async () => {
            const writer = await this.#openWriter(report);
            if (!isChecked) await disposeOnError(writer, () => refuseStaleImages(writer, ids, version));
            isChecked = true;
            return writer;
          },
          now: this.#now(),
          reason,
          allowAgain: false,
          isDryRun: false,
          toTrash: !isTakeDown,
          signal: new AbortController().signal,
        },
      );
      await removeFiles();
      return this.#changed({});
    });
  }

  /** The picture gets this file, and keeps its id and its fields. */
  async replaceFile(target: { id: string; version: string }, picture: NewPicture): Promise<Changed> {
    const { id, version } = target;
    return this.#exclusively(async () => {
      await replaceFile(id, picture, {
        ...this.#engines,
        now: this.#now(),
        openWriter: () => this.#openWriter(() => {}),
        refuseStale: (writer) => refuseStaleImages(writer, [id], version),
      });
      return this.#changed({});
    });
  }

  /** Lets imports add removed pictures again. */
  async allowAgain(body: unknown, report: OnProgress): Promise<Changed> {
    const { ids } = readRequest('selection', body);
    return this.#change(report, async ({ decisions, changeLog }) => {
      const files = await decisions.removedFilesOf(ids);
      await decisions.forgetFiles(files.map(({ hash }) => hash));
      changeLog.describe(`allow ${countImages(ids.length)} again`);
      return {};
    });
  }

  async restore(body: unknown, report: OnProgress): Promise<Changed> {
    const { ids } = readRequest('selection', body);
    return this.#change(report, async (writer) => {
      await restoreTrashed(writer, ids);
      return {};
    });
  }

  /** Deletes what the trash has for good. */
  async emptyTrash(report: OnProgress): Promise<Changed & { images: number; files: number }> {
    return this.#exclusively(async () => {
      const deleted = await emptyTrash(undefined, {
        files: this.#engines.files,
        openWriter: () => this.#openWriter(report),
        signal: new AbortController().signal,
      });
      return this.#changed(deleted);
    });
  }

  /** Undoes a change of any origin, or only says what that would change. */
  async undo(body: unknown, report: OnProgress): Promise<Changed & UndoView & { undone: string }> {
    const { change, isPreview } = readRequest('undo', body);
    return this.#exclusively(async () => {
      const result = await undoChange(change, {
        openWriter: () => this.#openWriter(report),
        isDryRun: isPreview,
        isStrict: false,
        onProgress: (done, total) => {
          if (total > BATCH_SIZE) report({ done, total });
        },
      });
      return this.#changed({ ...viewUndo(result), undone: result.change.summary });
    });
  }

  /** Runs after everything that was asked for before. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  async #change<T extends object>(
    report: OnProgress,
    work: (writer: CatalogueWriter) => Promise<T>,
  ): Promise<T & Changed> {
    return this.#exclusively(async () => {
      await using writer = await this.#openWriter(report);
      const result = await work(writer);
      await writer.commit();
      return this.#changed(result);
    });
  }

  async #changed<T extends object>(result: T): Promise<T & Changed> {
    return { ...result, steps: await listSteps(this.#engines.openSnapshot) };
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

async function disposeOnError(writer: CatalogueWriter, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await writer[Symbol.asyncDispose]();
    throw error;
  }
}
