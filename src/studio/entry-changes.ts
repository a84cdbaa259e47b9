/** Changes of artists, characters and categories. */
import { entryVersion } from '../catalogue/documents/edit-image.ts';
import { editEntry, mergeEntries, removeEntry } from '../changes/entries.ts';
import { createEntry } from '../changes/references.ts';
import type { NewRecordDefaults } from '../import/plan/outcome.ts';
import type { EntryLine } from '../import/sources/record.ts';
import type { CatalogueWriter, SavedEntry } from '../store/contract/writer.ts';
import type { Changed } from './history.ts';
import { type Request, readRequest } from './requests.ts';
import { type OnProgress, StudioError } from './server.ts';

/** Runs a transaction as a step that can be undone. */
export type ChangeCatalogue = <T extends object>(
  report: OnProgress,
  work: (writer: CatalogueWriter) => Promise<T>,
) => Promise<T & Changed>;

export class EntryChanges {
  readonly #change: ChangeCatalogue;
  readonly #defaults: () => NewRecordDefaults;

  constructor(change: ChangeCatalogue, defaults: () => NewRecordDefaults) {
    this.#change = change;
    this.#defaults = defaults;
  }

  async create(body: unknown, report: OnProgress): Promise<Changed> {
    const { kind, name } = readRequest('createEntry', body);
    return this.#change(report, async (writer) => {
      await createEntry(writer, { type: kind, name } as EntryLine, this.#defaults());
      writer.changeLog.describe(`create the ${kind} ${name}`);
      return {};
    });
  }

  async edit(body: unknown, report: OnProgress): Promise<Changed> {
    const { kind, id, version, fields, addAliases, removeAliases } = readRequest('editEntry', body);
    return this.#changeEntry('change', { kind, id, version }, report, async (writer, entry) => {
      await editEntry(writer, entry, { fields, addAliases, removeAliases });
    });
  }

  async merge(body: unknown, report: OnProgress): Promise<Changed> {
    const { kind, from, into, version } = readRequest('mergeEntries', body);
    return this.#changeEntry('merge', { kind, id: from, version }, report, async (writer, entry) => {
      const [target] = await writer.entriesById(kind, [into]);
      if (!target) throw new StudioError(409, `the ${kind} to merge into was removed`);
      await mergeEntries(writer, entry, target);
    });
  }

  async remove(body: unknown, report: OnProgress): Promise<Changed> {
    const { kind, id, version, block } = readRequest('removeEntry', body);
    return this.#changeEntry('remove', { kind, id, version }, report, async (writer, entry) => {
      await removeEntry(writer, entry, { block, now: this.#defaults().now });
    });
  }

  #changeEntry(
    verb: string,
    { kind, id, version }: Pick<Request<'removeEntry'>, 'kind' | 'id' | 'version'>,
    report: OnProgress,
    work: (writer: CatalogueWriter, entry: SavedEntry) => Promise<void>,
  ): Promise<Changed> {
    return this.#change(report, async (writer) => {
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
