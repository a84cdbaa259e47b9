/** What the studio changes, one at a time, each as one transaction that can be undone, and what the page shows of changes. */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { ChangeItem, UndoResult } from '../catalogue/change-log.ts';
import type { CatalogueSnapshot, CatalogueWriter, SavedEntry } from '../catalogue/writer.ts';
import { type NewPicture, replaceFile } from '../changes/copies.ts';
import { countImages, describeEdit } from '../changes/describe.ts';
import { createEntry, editEntry, mergeEntries, moveInAlbum, removeEntry } from '../changes/entries.ts';
import { editImages } from '../changes/images.ts';
import { emptyTrash, removeImages, restoreTrashed } from '../changes/remove.ts';
import { undoChange } from '../changes/undo.ts';
import { checkRecord, type EntryLine } from '../import/records/record.ts';
import type { Clock } from '../lib/clock.ts';
import { inBatches } from '../lib/concurrency.ts';
import type { Files } from '../media/files.ts';
import type { Address, Applied, Changed, RequestTo, WaitingEdit } from './contract.ts';
import { listSteps, viewUndo } from './history.ts';
import { StudioError } from './requests.ts';
import { entryVersion, refuseStaleImages } from './review.ts';
import { type Call, type Handlers, toStudioError } from './server.ts';

const BATCH_SIZE = 500;

export interface ChangeEngines {
  files: Files;
  openSnapshot: () => Promise<CatalogueSnapshot>;
  /** `user` is who signed in. `onWait` is called if another command is changing the catalogue. */
  openWriter(user: string | undefined, onWait: () => void): Promise<CatalogueWriter>;
  /** What the log calls those who need not sign in. */
  localUser: string;
  /** Says what could not be removed of killed commands. */
  warn: (problem: string) => void;
  /** How many files are read at the same time. */
  concurrency: number;
  /** The sizes of thumbnails that images should have. */
  thumbnailSizes: readonly number[];
  clock: Clock;
  newId: () => string;
}

type ImagesEdit = Extract<WaitingEdit, { ids: string[] }>;

type ChangeAddress = Extract<Address, `/change/${string}`>;

export class Changes {
  readonly #engines: ChangeEngines;
  #last: Promise<unknown> = Promise.resolve();

  constructor(engines: ChangeEngines) {
    this.#engines = engines;
  }

  readonly handlers: Handlers<ChangeAddress> = {
    /** Each is a step of its own, so that it can be undone alone. */
    '/change/images': async ({ catalogue, user, edits }, call) => {
      if (user !== (call.user ?? '') || catalogue !== (await this.identity()))
        throw new StudioError(403, 'the page belongs to another person or catalogue: reload it');
      return this.#exclusively(async () => {
        const applied: Applied[] = [];
        for (const edit of edits) applied.push({ id: edit.id, ...(await this.#applyEdit(edit, call)) });
        return this.#changed({ applied }, call);
      });
    },
    /** Empty: the site has its default. */
    '/change/site': ({ field, text }, call) =>
      this.#change(call, async ({ decisions, changeLog }) => {
        if (text) checkRecord({ type: 'site', field, text });
        await decisions.saveSiteText(field, text);
        changeLog.describe(`change the ${field} of the site`);
      }),
    /** To the trash, or for good. */
    '/change/remove': (removal, call) => this.#removeImages(removal, call),
    /** Lets imports add removed pictures again. */
    '/change/allow': ({ ids }, call) =>
      this.#change(call, async ({ decisions, changeLog }) => {
        const files = await decisions.removedFilesOf(ids);
        await decisions.forgetFiles(files.map(({ hash }) => hash));
        changeLog.describe(`allow ${countImages(ids.length)} again`);
      }),
    '/change/restore': ({ ids }, call) =>
      this.#change(call, (writer) => restoreTrashed(writer, ids, this.#now())),
    /** Deletes what the trash has for good. */
    '/change/trash/empty': (_nothing, call) =>
      this.#exclusively(async () => {
        const openWriter = () => this.#openWriter(call);
        const { signal } = new AbortController();
        const deleted = await emptyTrash({}, { files: this.#engines.files, openWriter, signal });
        return this.#changed(deleted, call);
      }),
    /** Undoes a change of any origin, or only says what that would change. */
    '/change/undo': ({ change, isPreview }, call) =>
      this.#exclusively(async () => this.#changed(viewUndo(await this.#undo(change, isPreview, call)), call)),
    '/change/entry': ({ fields, addAliases, removeAliases, ...named }, call) =>
      this.#changeEntry('change', named, call, (writer, entry) =>
        editEntry(writer, entry, { fields, addAliases, removeAliases }),
      ),
    '/change/entry/create': ({ kind, name }, call) =>
      this.#change(call, async (writer) => {
        await createEntry(writer, { type: kind, name } as EntryLine, this.#defaults());
        writer.changeLog.describe(`create the ${kind} ${name}`);
      }),
    '/change/entry/merge': ({ kind, from, into, version }, call) =>
      this.#changeEntry('merge', { kind, id: from, version }, call, async (writer, entry) => {
        const [target] = await writer.entriesById(kind, [into]);
        if (!target) throw new StudioError(409, `the ${kind} to merge into was removed`);
        await mergeEntries(writer, entry, target);
      }),
    '/change/entry/remove': ({ block, ...named }, call) =>
      this.#changeEntry('remove', named, call, (writer, entry) =>
        removeEntry(writer, entry, { block, now: this.#now() }),
      ),
    /** No version: the pictures go where they were dropped, whatever else was changed meanwhile. */
    '/change/album/order': ({ id, ids, before }, call) =>
      this.#change(call, async (writer) => {
        const [album] = await writer.entriesById('album', [id]);
        if (!album) throw new StudioError(409, 'the album was removed meanwhile');
        await moveInAlbum(writer, album, ids, before);
        writer.changeLog.describe(`move ${countImages(ids.length)} in the album ${album.name}`);
      }),
  };

  /** Of an older catalogue, which was migrated when the studio started, too. */
  async identity(): Promise<string> {
    await using snapshot = await this.#engines.openSnapshot();
    return (await snapshot.identity()) ?? '';
  }

  async listSteps({ user = this.#engines.localUser }: Call): Promise<Changed> {
    await using snapshot = await this.#engines.openSnapshot();
    return await listSteps(snapshot, user);
  }

  async #applyEdit(edit: WaitingEdit, call: Call): Promise<Omit<Applied, 'id'>> {
    await using writer = await this.#openWriter(call);
    const { changeLog } = writer;
    if (await changeLog.findEdit(edit.id)) return {};
    changeLog.nameEdit(edit.id);
    try {
      if (!('undoes' in edit)) await this.#editImages(writer, edit, call);
      else {
        const { undoes } = edit;
        const change = typeof undoes === 'number' ? undoes : (await changeLog.findEdit(undoes))?.number;
        // What was refused, or changed nothing, needs no undo.
        if (change !== undefined) return { undone: viewUndo(await this.#undo(change, false, call, writer)) };
      }
      return {};
    } catch (error) {
      if (toStudioError(error).status === 500) throw error;
      return { refused: (error as Error).message };
    }
  }

  async #editImages(writer: CatalogueWriter, { id, base, ids, edit }: ImagesEdit, call: Call): Promise<void> {
    const { reset = [], ...values } = edit;
    const fields = new Set([...Object.keys(values).map((name) => LOGGED[name] ?? name), ...reset]);
    let changed = 0;
    let done = 0;
    for (const batch of inBatches(ids, BATCH_SIZE)) {
      const items = await writer.changeLog.imagesSince(base, id, batch);
      // Who rates a picture means the file that they saw.
      const isTouched = ({ before, after }: ChangeItem) =>
        Object.keys({ ...before, ...after }).some((field) => field === 'file' || fields.has(field));
      if (!items || items.some(isTouched))
        throw new StudioError(409, `${countImages(ids.length)} changed meanwhile; look again`);
      changed += (await editImages(writer, batch, edit, this.#defaults())).length;
      done += batch.length;
      await this.#progress(call, done, ids.length);
    }
    writer.changeLog.describe(await describeEdit(writer, edit, changed));
    await writer.commit();
  }

  #removeImages(
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
            await using opened = new AsyncDisposableStack();
            const writer = opened.use(await this.#openWriter(call));
            if (!isChecked) await refuseStaleImages(writer, ids, version);
            isChecked = true;
            opened.move();
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
      return this.#changed({}, call);
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
      return this.#changed({}, call);
    });
  }

  #changeEntry(
    verb: string,
    { kind, id, version }: Pick<RequestTo<'/change/entry'>, 'kind' | 'id' | 'version'>,
    call: Call,
    work: (writer: CatalogueWriter, entry: SavedEntry) => Promise<unknown>,
  ): Promise<Changed> {
    return this.#change(call, async (writer) => {
      const [entry] = await writer.entriesById(kind, [id]);
      if (!entry) throw new StudioError(409, `the ${kind} was removed meanwhile`);
      if (entryVersion(entry) !== version)
        throw new StudioError(409, `the ${kind} "${entry.name}" was changed meanwhile; look at it again`);
      await work(writer, entry);
      writer.changeLog.describe(`${verb} the ${kind} ${entry.name}`);
    });
  }

  #undo(change: number, isDryRun: boolean, call: Call, writer?: CatalogueWriter): Promise<UndoResult> {
    return undoChange(change, {
      openWriter: async () => writer ?? this.#openWriter(call),
      isDryRun,
      isStrict: false,
      onProgress: (done, total) => {
        if (total > BATCH_SIZE) call.report({ done, total });
      },
    });
  }

  /** Runs after everything that was asked for before. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Runs a transaction as a step that can be undone. */
  #change(call: Call, work: (writer: CatalogueWriter) => Promise<unknown>): Promise<Changed> {
    return this.#exclusively(async () => {
      await using writer = await this.#openWriter(call);
      await work(writer);
      await writer.commit();
      return this.#changed({}, call);
    });
  }

  async #changed<T extends object>(result: T, call: Call): Promise<T & Changed> {
    return { ...result, ...(await this.listSteps(call)) };
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

/** What the change log calls fields that have another name in an edit. */
const LOGGED: Record<string, string> = {
  ...{ addCategories: 'categories', removeCategories: 'categories' },
  ...{ addCharacters: 'characters', removeCharacters: 'characters' },
  ...{ sourceName: 'source', sourceUrl: 'source' },
};
