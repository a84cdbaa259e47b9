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
import type { RequestTo, ResponseOf } from './contract.ts';
import { EntryChanges } from './entry-changes.ts';
import { listSteps, viewUndo } from './history.ts';
import type { Changed, Undone } from './responses.ts';
import type { Call } from './server.ts';
import { refuseStaleImages, summarise } from './summary.ts';

const BATCH_SIZE = 500;

export interface ChangeEngines {
  files: Files;
  openSnapshot: () => Promise<CatalogueSnapshot>;
  /** `user` is who signed in. `onWait` is called if another command is changing the catalogue. */
  openWriter(user: string | undefined, onWait: () => void): Promise<CatalogueWriter>;
  /** Says what could not be removed of killed commands. */
  warn: (problem: string) => void;
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
      (call, work) => this.#change(call, work),
      () => this.#defaults(),
    );
  }

  async editImages(
    { ids, version, edit }: RequestTo<'/change/images'>,
    call: Call,
  ): Promise<ResponseOf<'/change/images'>> {
    const wanted: ImageEdit = { ...NO_EDIT, ...edit };
    return this.#change(call, async (writer) => {
      await refuseStaleImages(writer, ids, version);
      let changed = 0;
      let done = 0;
      for (const batch of inBatches(ids, BATCH_SIZE)) {
        changed += (await editImages(writer, batch, wanted, this.#defaults())).length;
        done += batch.length;
        await this.#progress(call, done, ids.length);
      }
      writer.changeLog.describe(await describeEdit(writer, edit, changed));
      return { changed, summary: await summarise(writer, ids) };
    });
  }

  /** To the trash, or for good. */
  async removeImages(
    { ids, version, reason, isTakeDown }: RequestTo<'/change/remove'>,
    call: Call,
  ): Promise<Changed> {
    return this.#exclusively(async () => {
      let isChecked = false;
      const { removeFiles } = await removeImages(
        { ids },
        {
          ...this.#engines,
          openWriter: async () => {
            const writer = await this.#openWriter(call);
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
  async replaceFile(
    { id, version }: { id: string; version: string },
    picture: NewPicture,
    call: Call,
  ): Promise<Changed> {
    return this.#exclusively(async () => {
      await replaceFile(id, picture, {
        ...this.#engines,
        now: this.#now(),
        openWriter: () => this.#openWriter(call),
        refuseStale: (writer) => refuseStaleImages(writer, [id], version),
      });
      return this.#changed({});
    });
  }

  /** Lets imports add removed pictures again. */
  async allowAgain(ids: string[], call: Call): Promise<Changed> {
    return this.#change(call, async ({ decisions, changeLog }) => {
      const files = await decisions.removedFilesOf(ids);
      await decisions.forgetFiles(files.map(({ hash }) => hash));
      changeLog.describe(`allow ${countImages(ids.length)} again`);
      return {};
    });
  }

  async restore(ids: string[], call: Call): Promise<Changed> {
    return this.#change(call, async (writer) => {
      await restoreTrashed(writer, ids);
      return {};
    });
  }

  /** Deletes what the trash has for good. */
  async emptyTrash(call: Call): Promise<ResponseOf<'/change/trash/empty'>> {
    return this.#exclusively(async () => {
      const deleted = await emptyTrash(
        {},
        {
          files: this.#engines.files,
          openWriter: () => this.#openWriter(call),
          signal: new AbortController().signal,
        },
      );
      return this.#changed(deleted);
    });
  }

  /** Undoes a change of any origin, or only says what that would change. */
  async undo({ change, isPreview }: RequestTo<'/change/undo'>, call: Call): Promise<Undone> {
    return this.#exclusively(async () => {
      const result = await undoChange(change, {
        openWriter: () => this.#openWriter(call),
        isDryRun: isPreview,
        isStrict: false,
        onProgress: (done, total) => {
          if (total > BATCH_SIZE) call.report({ done, total });
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
    call: Call,
    work: (writer: CatalogueWriter) => Promise<T>,
  ): Promise<T & Changed> {
    return this.#exclusively(async () => {
      await using writer = await this.#openWriter(call);
      const result = await work(writer);
      await writer.commit();
      return this.#changed(result);
    });
  }

  async #changed<T extends object>(result: T): Promise<T & Changed> {
    return { ...result, steps: await listSteps(this.#engines.openSnapshot) };
  }

  #openWriter(call: Call): Promise<CatalogueWriter> {
    return this.#engines.openWriter(call.user, () => call.report({ waiting: true }));
  }

  /** Lets the response and other requests proceed: the embedded database does its work at once. */
  async #progress(call: Call, done: number, total: number): Promise<void> {
    if (total <= BATCH_SIZE) return;
    call.report({ done, total });
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
