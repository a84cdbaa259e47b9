/** Records what a transaction changes, so that it can be undone whatever function made the change. */
import type { BlockedName, Decisions, RemovedFile } from '../catalogue/decisions.ts';
import { nameKey } from '../catalogue/decisions.ts';
import type { Kind } from '../catalogue/types.ts';
import type {
  CatalogueWriter,
  Entry,
  ImageRow,
  PlacedImage,
  SavedEntry,
  SavedImage,
} from '../catalogue/writer.ts';
import { entryVersion, type ImageState, stateOf, versionOf } from './state.ts';

export interface EntryChange {
  kind: Kind;
  id: string;
  /** Undefined if it was created. */
  before: SavedEntry | undefined;
  /** Its version; undefined if it was removed. */
  after: string | undefined;
}

/** What was before, and the versions after. */
export class ChangeRecord {
  readonly images = new Map<string, { before: ImageState; after: string }>();
  readonly removedImages: ImageRow[] = [];
  /** The former rows of images that got another file. */
  readonly replaced = new Map<string, SavedImage>();
  readonly entries = new Map<string, EntryChange>();
  readonly blockedNames = new Map<string, { kind: Kind; name: string; before: BlockedName | undefined }>();
  readonly removedFiles = new Map<string, RemovedFile | undefined>();
  /** Many images have the same lists. */
  readonly #lists = new Map<string, string[]>();

  get isEmpty(): boolean {
    const sizes = [this.images, this.entries, this.blockedNames, this.removedFiles].map(({ size }) => size);
    return this.removedImages.length + sizes.reduce((sum, size) => sum + size) === 0;
  }

  addImage(former: SavedImage, row: ImageRow): void {
    const before = stateOf(former);
    if (former.key !== row.key && !this.replaced.has(row.id)) this.replaced.set(row.id, former);
    const after = versionOf(stateOf(row));
    const earlier = this.images.get(row.id);
    const categories = this.#share(before.categories);
    const characters = this.#share(before.characters);
    this.images.set(row.id, { before: earlier?.before ?? { ...before, categories, characters }, after });
  }

  addEntry(before: SavedEntry | undefined, { kind, id }: Entry, after: Entry | undefined): void {
    const key = `${kind} ${id}`;
    const earlier = this.entries.get(key);
    const version = after && entryVersion(after);
    this.entries.set(key, { kind, id, before: earlier ? earlier.before : before, after: version });
  }

  #share(list: string[]): string[] {
    const key = list.join();
    const shared = this.#lists.get(key) ?? list;
    this.#lists.set(key, shared);
    return shared;
  }
}

/** A writer that does the same and adds to the record. */
export function recordWriter(writer: CatalogueWriter, record: ChangeRecord): CatalogueWriter {
  return {
    fixedShelves: writer.fixedShelves,
    decisions: recordDecisions(writer.decisions, record),
    sourceFiles: writer.sourceFiles,
    entriesById: (kind, ids) => writer.entriesById(kind, ids),
    entriesByName: (kind, names) => writer.entriesByName(kind, names),
    entriesByAlias: (kind, aliases) => writer.entriesByAlias(kind, aliases),
    entryNames: (kind) => writer.entryNames(kind),
    imagesById: (ids) => writer.imagesById(ids),
    imagesOn: (shelf) => writer.imagesOn(shelf),
    imagesByETag: (eTags) => writer.imagesByETag(eTags),
    async saveEntries(entries) {
      for (const entry of entries) await recordEntry(writer, record, entry);
      await writer.saveEntries(entries);
    },
    async saveAliases(entry) {
      await recordEntry(writer, record, entry);
      await writer.saveAliases(entry);
    },
    async removeEntries(entries) {
      for (const entry of entries) {
        const [before] = await writer.entriesById(entry.kind, [entry.id]);
        record.addEntry(before, entry, undefined);
      }
      await writer.removeEntries(entries);
    },
    async saveImages(images) {
      await recordImages(writer, record, images);
      await writer.saveImages(images);
    },
    async removeImages(ids) {
      const rows = await writer.removeImages(ids);
      record.removedImages.push(...rows);
      return rows;
    },
    savePerceptualHashes: (images) => writer.savePerceptualHashes(images),
    unusedKeys: (keys) => writer.unusedKeys(keys),
    renumberAll: () => writer.renumberAll(),
    commit: () => writer.commit(),
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

/** Its aliases may belong to other entries so far, which lose them. */
async function recordEntry(writer: CatalogueWriter, record: ChangeRecord, entry: Entry): Promise<void> {
  const { kind, id } = entry;
  const [before] = await writer.entriesById(kind, [id]);
  const aliases = entry.aliases ?? before?.aliases ?? [];
  record.addEntry(before, entry, { ...entry, aliases });
  const taken = new Set(aliases.map((alias) => nameKey(kind, alias)));
  for (const other of await writer.entriesByAlias(kind, aliases)) {
    if (other.id === id) continue;
    const left = other.aliases.filter((alias) => !taken.has(nameKey(kind, alias)));
    record.addEntry(other, other, { ...other, aliases: left });
  }
}

async function recordImages(
  writer: CatalogueWriter,
  record: ChangeRecord,
  images: PlacedImage[],
): Promise<void> {
  const before = await writer.imagesById(images.map(({ row }) => row.id));
  const rows = new Map(before.map((row) => [row.id, row]));
  for (const { row } of images) {
    const former = rows.get(row.id);
    if (former) record.addImage(former, row);
  }
}

function recordDecisions(decisions: Decisions, record: ChangeRecord): Decisions {
  const recordNames = async (kind: Kind, names: string[]) => {
    for (const name of names) {
      const key = `${kind} ${nameKey(kind, name)}`;
      const [before] = await decisions.blockedNames(kind, [name]);
      if (!record.blockedNames.has(key)) record.blockedNames.set(key, { kind, name, before });
    }
  };
  const recordFiles = async (hashes: string[]) => {
    const before = new Map((await decisions.removedFiles(hashes)).map((file) => [file.hash, file]));
    for (const hash of hashes)
      if (!record.removedFiles.has(hash)) record.removedFiles.set(hash, before.get(hash));
  };
  return {
    ...decisions,
    async blockNames(names) {
      for (const { kind, name } of names) await recordNames(kind, [name]);
      await decisions.blockNames(names);
    },
    async unblockNames(kind, names) {
      await recordNames(kind, names);
      await decisions.unblockNames(kind, names);
    },
    async rememberFiles(files) {
      await recordFiles(files.map(({ hash }) => hash));
      await decisions.rememberFiles(files);
    },
    async forgetFiles(hashes) {
      await recordFiles(hashes);
      await decisions.forgetFiles(hashes);
    },
  };
}
