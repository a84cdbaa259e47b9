/** Tells an observer what a transaction changes and how it was before, whatever function makes the change. */

import type { Kind } from '../../catalogue/types.ts';
import {
  type BlockedName,
  type Decisions,
  nameKey,
  type RemovedFile,
} from '../../store/contract/decisions.ts';
import type {
  CatalogueWriter,
  Entry,
  ImageRow,
  PlacedImage,
  SavedEntry,
  SavedImage,
} from '../../store/contract/writer.ts';

export interface WriterObserver {
  imagesAdded(count: number): void;
  imageChanged(before: SavedImage, after: ImageRow): void;
  imagesRemoved(rows: ImageRow[]): void;
  /** `before` is undefined if the entry was created, `after` if it was removed. */
  entryChanged(before: SavedEntry | undefined, after: Entry | undefined): void;
  /** `after` is undefined if the name was unblocked. */
  nameChanged(name: Pick<BlockedName, 'kind' | 'name'>, before?: BlockedName, after?: BlockedName): void;
  /** `after` is undefined if the picture is no longer remembered as removed. */
  removedFileChanged(hash: string, before?: RemovedFile, after?: RemovedFile): void;
  /** Called after each change, and waited for. */
  flush?(): Promise<void>;
}

/** A writer that does the same. Adding images costs nothing more. */
export function observeWriter(writer: CatalogueWriter, observer: WriterObserver): CatalogueWriter {
  const flush = async () => observer.flush?.();
  return {
    fixedShelves: writer.fixedShelves,
    decisions: observeDecisions(writer.decisions, observer),
    sourceFiles: writer.sourceFiles,
    importRuns: writer.importRuns,
    entriesById: (kind, ids) => writer.entriesById(kind, ids),
    entriesByName: (kind, names) => writer.entriesByName(kind, names),
    entriesByAlias: (kind, aliases) => writer.entriesByAlias(kind, aliases),
    entryNames: (kind) => writer.entryNames(kind),
    imagesById: (ids) => writer.imagesById(ids),
    imagesOn: (shelf) => writer.imagesOn(shelf),
    imagesByETag: (eTags) => writer.imagesByETag(eTags),
    async saveEntries(entries) {
      for (const [kind, ofKind] of Map.groupBy(entries, ({ kind }) => kind))
        await observeEntries(writer, observer, kind, ofKind);
      await writer.saveEntries(entries);
      await flush();
    },
    async saveAliases(entry) {
      await observeEntries(writer, observer, entry.kind, [entry]);
      await writer.saveAliases(entry);
      await flush();
    },
    async removeEntries(entries) {
      for (const { kind, id } of entries) {
        const [before] = await writer.entriesById(kind, [id]);
        if (before) observer.entryChanged(before, undefined);
      }
      await writer.removeEntries(entries);
      await flush();
    },
    async saveImages(images) {
      await observeImages(writer, observer, images);
      await writer.saveImages(images);
      await flush();
    },
    async removeImages(ids) {
      const rows = await writer.removeImages(ids);
      observer.imagesRemoved(rows);
      return rows;
    },
    savePerceptualHashes: (images) => writer.savePerceptualHashes(images),
    unusedKeys: (keys) => writer.unusedKeys(keys),
    restoreTokens: (records) => writer.restoreTokens(records),
    renumberAll: () => writer.renumberAll(),
    commit: () => writer.commit(),
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

/** Their aliases may belong to other entries so far, which lose them. */
async function observeEntries(
  writer: CatalogueWriter,
  observer: WriterObserver,
  kind: Kind,
  entries: Entry[],
): Promise<void> {
  const saved = entries.flatMap(({ id, shelf }) => (shelf === undefined ? [] : [id]));
  const before = new Map((await writer.entriesById(kind, saved)).map((entry) => [entry.id, entry]));
  const owners = new Map<string, SavedEntry>();
  const named = entries.flatMap(({ aliases = [] }) => aliases);
  for (const owner of await writer.entriesByAlias(kind, [...new Set(named)]))
    for (const alias of owner.aliases) owners.set(nameKey(kind, alias), owner);
  for (const entry of entries) {
    const aliases = entry.aliases ?? before.get(entry.id)?.aliases ?? [];
    observer.entryChanged(before.get(entry.id), { ...entry, aliases });
    const taken = new Set((entry.aliases ?? []).map((alias) => nameKey(kind, alias)));
    for (const owner of new Set([...taken].flatMap((key) => owners.get(key) ?? [])))
      if (owner.id !== entry.id) {
        const left = owner.aliases.filter((alias) => !taken.has(nameKey(kind, alias)));
        observer.entryChanged(owner, { ...owner, aliases: left });
      }
  }
}

async function observeImages(
  writer: CatalogueWriter,
  observer: WriterObserver,
  images: PlacedImage[],
): Promise<void> {
  const changed = images.flatMap(({ row }) => (row.number === undefined ? [] : [row]));
  if (changed.length < images.length) observer.imagesAdded(images.length - changed.length);
  const before = await writer.imagesById(changed.map(({ id }) => id));
  const byId = new Map(before.map((row) => [row.id, row]));
  for (const row of changed) {
    const former = byId.get(row.id);
    if (former) observer.imageChanged(former, row);
  }
}

function observeDecisions(decisions: Decisions, observer: WriterObserver): Decisions {
  const filesBefore = async (hashes: string[]) =>
    new Map((await decisions.removedFiles(hashes)).map((file) => [file.hash, file]));
  return {
    ...decisions,
    async blockNames(names) {
      for (const name of names) {
        const [before] = await decisions.blockedNames(name.kind, [name.name]);
        observer.nameChanged(name, before, name);
      }
      await decisions.blockNames(names);
      await observer.flush?.();
    },
    async unblockNames(kind, names) {
      for (const name of names) {
        const [before] = await decisions.blockedNames(kind, [name]);
        observer.nameChanged({ kind, name }, before);
      }
      await decisions.unblockNames(kind, names);
    },
    async rememberFiles(files) {
      const before = await filesBefore(files.map(({ hash }) => hash));
      for (const file of files) observer.removedFileChanged(file.hash, before.get(file.hash), file);
      await decisions.rememberFiles(files);
      await observer.flush?.();
    },
    async forgetFiles(hashes) {
      const before = await filesBefore(hashes);
      for (const hash of hashes) observer.removedFileChanged(hash, before.get(hash));
      await decisions.forgetFiles(hashes);
    },
  };
}
