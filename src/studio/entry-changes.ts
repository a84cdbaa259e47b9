/** Changes of artists, characters, categories and albums. */

import type { CatalogueWriter, SavedEntry } from '../catalogue/writer.ts';
import { countImages } from '../changes/describe.ts';
import { editEntry, mergeEntries, moveInAlbum, removeEntry } from '../changes/entries.ts';
import { createEntry } from '../changes/references.ts';
import type { NewRecordDefaults } from '../import/plan/outcome.ts';
import type { EntryLine } from '../import/records/record.ts';
import type { RequestTo } from './contract.ts';
import { StudioError } from './requests.ts';
import type { Changed } from './responses.ts';
import type { Call } from './server.ts';
import { entryVersion } from './versions.ts';

/** Runs a transaction as a step that can be undone. */
export type ChangeCatalogue = <T extends object>(
  call: Call,
  work: (writer: CatalogueWriter) => Promise<T>,
) => Promise<T & Changed>;

export class EntryChanges {
  readonly #change: ChangeCatalogue;
  readonly #defaults: () => NewRecordDefaults;

  constructor(change: ChangeCatalogue, defaults: () => NewRecordDefaults) {
    this.#change = change;
    this.#defaults = defaults;
  }

  async create({ kind, name }: RequestTo<'/change/entry/create'>, call: Call): Promise<Changed> {
    return this.#change(call, async (writer) => {
      await createEntry(writer, { type: kind, name } as EntryLine, this.#defaults());
      writer.changeLog.describe(`create the ${kind} ${name}`);
      return {};
    });
  }

  async edit(
    { kind, id, version, fields, addAliases, removeAliases }: RequestTo<'/change/entry'>,
    call: Call,
  ): Promise<Changed> {
    return this.#changeEntry('change', { kind, id, version }, call, async (writer, entry) => {
      await editEntry(writer, entry, { fields, addAliases, removeAliases });
    });
  }

  async merge({ kind, from, into, version }: RequestTo<'/change/entry/merge'>, call: Call): Promise<Changed> {
    return this.#changeEntry('merge', { kind, id: from, version }, call, async (writer, entry) => {
      const [target] = await writer.entriesById(kind, [into]);
      if (!target) throw new StudioError(409, `the ${kind} to merge into was removed`);
      await mergeEntries(writer, entry, target);
    });
  }

  async remove(
    { kind, id, version, block }: RequestTo<'/change/entry/remove'>,
    call: Call,
  ): Promise<Changed> {
    return this.#changeEntry('remove', { kind, id, version }, call, async (writer, entry) => {
      await removeEntry(writer, entry, { block, now: this.#defaults().now });
    });
  }

  /** No version: the pictures go where they were dropped, whatever else was changed meanwhile. */
  async order({ id, ids, before }: RequestTo<'/change/album/order'>, call: Call): Promise<Changed> {
    return this.#change(call, async (writer) => {
      const [album] = await writer.entriesById('album', [id]);
      if (!album) throw new StudioError(409, 'the album was removed meanwhile');
      await moveInAlbum(writer, album, ids, before);
      writer.changeLog.describe(`move ${countImages(ids.length)} in the album ${album.name}`);
      return {};
    });
  }

  #changeEntry(
    verb: string,
    { kind, id, version }: Pick<RequestTo<'/change/entry'>, 'kind' | 'id' | 'version'>,
    call: Call,
    work: (writer: CatalogueWriter, entry: SavedEntry) => Promise<void>,
  ): Promise<Changed> {
    return this.#change(call, async (writer) => {
      const [entry] = await writer.entriesById(kind, [id]);
      if (!entry) throw new StudioError(409, `the ${kind} was removed meanwhile`);
      if (entryVersion(entry) !== version)
        throw new StudioError(409, `the ${kind} "${entry.name}" was changed meanwhile; look at it again`);
      await work(writer, entry);
      writer.changeLog.describe(`${verb} the ${kind} ${entry.name}`);
      return {};
    });
  }
}
