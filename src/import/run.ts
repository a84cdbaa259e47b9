/**
 * Runs an import, all or nothing, in batches of bounded size. All invalid records are collected, and a single one leaves
 * the catalogue unchanged.
 */
import { thumbnailKey } from '../catalogue/thumbnails.ts';
import type { CatalogueWriter } from '../catalogue/writer.ts';
import type { Files, Upload } from '../media/files.ts';
import { inParallel } from '../parallel.ts';
import { applyDecisions } from './apply-decisions.ts';
import { Batch } from './batch.ts';
import { changeFiles } from './change-files.ts';
import type { DecisionLine } from './decision-lines.ts';
import { addMetadata } from './embedded.ts';
import type { ImportDefaults } from './plan/outcome.ts';
import { type Problem, Problems, type RecordLocation } from './problems.ts';
import { type EntryLine, type ImageLine, mentionedNames, type RecordLine } from './record.ts';
import { type Report, Saver } from './save.ts';
import type { Source } from './source.ts';
import { type FilePicture, storePicture } from './store-picture.ts';

export interface ImportOptions {
  files: Files;
  defaults: ImportDefaults;
  /** How many pictures are read at the same time. */
  concurrency: number;
  /** The sizes of thumbnails. */
  ladder: readonly number[];
  isDryRun: boolean;
  /** Whether the location in the metadata of pictures is stored. */
  keepsLocation: boolean;
  /** Called with the size of each record that is done. */
  onProgress: (size: number) => void;
  report: Report;
  /** Aborts the import and leaves the catalogue unchanged. */
  signal: AbortSignal;
}

/** Some records are invalid; nothing was imported. */
export class InvalidRecords extends Error {
  readonly problems: Problem[];
  constructor(problems: Problem[]) {
    super('nothing was imported');
    this.problems = problems;
  }
}

interface ParsedRecord extends RecordLocation {
  from: Source;
  size: number;
  record: RecordLine;
}

type ParsedImage = ParsedRecord & { record: ImageLine; picture: FilePicture };

export async function runImport(
  sources: Source[],
  openWriter: () => Promise<CatalogueWriter>,
  options: ImportOptions,
): Promise<void> {
  await changeFiles({ ...options, openWriter }, async (writer, upload) => {
    const run = new ImportRun(writer, upload, options);
    for (const [index, source] of sources.entries()) await run.read(source, index);
    run.throwIfInvalid();
  });
}

class ImportRun {
  readonly #options: ImportOptions;
  readonly #upload: Upload;
  readonly #problems = new Problems();
  readonly #saver: Saver;
  readonly #writer: CatalogueWriter;
  /** The label of the first picture with each hash, for folders. */
  readonly #firstLabels = new Map<string, string>();
  /** The entries that the pictures of folders mentioned so far. */
  readonly #mentioned = new Set<string>();

  constructor(writer: CatalogueWriter, upload: Upload, options: ImportOptions) {
    this.#options = options;
    this.#upload = upload;
    this.#writer = writer;
    this.#saver = new Saver(writer, upload, options.defaults, this.#problems, options.report);
  }

  async read(from: Source, source: number): Promise<void> {
    const batch = new Batch<ParsedRecord>(({ record }) => record.type);
    for await (const { position, label, size, parse } of from.records()) {
      this.#options.signal.throwIfAborted();
      const location = { source, position, label };
      const record = this.#problems.attempt(location, parse);
      if (this.#problems.isFull) break;
      if (!record) continue;
      const parsed = { ...location, from, size, record };
      if (batch.isFullFor(parsed)) await this.#save(batch.take());
      batch.add(parsed);
    }
    await this.#save(batch.take());
  }

  throwIfInvalid(): void {
    if (!this.#problems.isEmpty) throw new InvalidRecords(this.#problems.list());
  }

  /** All records of a batch have the same type. */
  async #save(batch: ParsedRecord[]): Promise<void> {
    this.#options.signal.throwIfAborted();
    if (this.#problems.isFull) return;
    const type = batch[0]?.record.type;
    if (type === 'image') {
      const images = await this.#storePictures(batch as (ParsedRecord & { record: ImageLine })[]);
      const { first = [], copy = [] } = Object.groupBy(images, (image) =>
        this.#isDuplicate(image) ? 'copy' : 'first',
      );
      const { kept, skipped } = await applyDecisions(first, this.#writer, this.#options.report);
      await this.#upload.release(skipped.flatMap(storedKeys));
      await this.#saveImages(kept);
      await this.#saver.raiseRatings(copy);
      return;
    }
    if (type === 'blocked' || type === 'removed')
      await this.#saver.saveDecisions(batch as (ParsedRecord & { record: DecisionLine })[]);
    else await this.#saver.saveEntries(batch as (ParsedRecord & { record: EntryLine })[]);
    for (const { size } of batch) this.#options.onProgress(size);
  }

  /** Entries that the pictures of a folder mention are created first, if they are missing. */
  async #saveImages(images: ParsedImage[]): Promise<void> {
    const { report } = this.#options;
    for (const { picture } of images) if (picture.hasLocation) report.location();
    const mentions = images.filter(({ from }) => from.isFolder).flatMap((image) => this.#newMentions(image));
    for (const entries of Map.groupBy(mentions, ({ record }) => record.type).values())
      await this.#saver.saveEntries(entries);
    await this.#saver.saveImages(images);
  }

  #newMentions({ record, source, position, label }: ParsedImage) {
    return mentionedNames(record).flatMap(([type, name]) => {
      const key = `${source} ${type} ${name}`;
      if (this.#mentioned.has(key)) return [];
      this.#mentioned.add(key);
      const entry = { type, name, isImplicit: true } as EntryLine;
      return [{ source, position, label, record: entry }];
    });
  }

  /** The records with their pictures, without those whose picture is invalid. */
  async #storePictures(batch: (ParsedRecord & { record: ImageLine })[]): Promise<ParsedImage[]> {
    const { concurrency, signal, onProgress } = this.#options;
    const pictures: (FilePicture | undefined)[] = [];
    // Several records may name the same file, which is read once.
    const stored = new Map<string, Promise<FilePicture>>();
    await inParallel(batch, concurrency, async (line, index) => {
      signal.throwIfAborted();
      const { file } = line.record;
      pictures[index] =
        file === undefined ? pictureFromRecord(line.record) : await this.#storeOnce(line, file, stored);
      onProgress(line.size);
    });
    return batch.flatMap((line, index) => {
      const picture = pictures[index];
      if (!picture) return [];
      const record = picture.metadata ? addMetadata(line.record, picture.metadata) : line.record;
      return { ...line, record: line.from.isFolder ? { ...record, isFromFolder: true } : record, picture };
    });
  }

  async #storeOnce(
    line: ParsedRecord,
    file: string,
    stored: Map<string, Promise<FilePicture>>,
  ): Promise<FilePicture | undefined> {
    const storing = stored.get(file) ?? storePicture(line.from, file, this.#upload, this.#options);
    stored.set(file, storing);
    try {
      return await storing;
    } catch (error) {
      return this.#problems.add(line, error);
    }
  }

  #isDuplicate({ from, label, picture: { hashes } }: ParsedImage): boolean {
    if (!from.isFolder) return false;
    const first = hashes.map((hash) => this.#firstLabels.get(hash)).find((label) => label !== undefined);
    if (first !== undefined) this.#options.report.duplicate(label, first);
    else for (const hash of hashes) this.#firstLabels.set(hash, label);
    return first !== undefined;
  }
}

/** The files that were stored for a record. */
function storedKeys({ record, picture: { key, previews } }: ParsedImage): string[] {
  if (record.file === undefined) return [];
  return [key, ...(previews?.sizes ?? []).map((size) => thumbnailKey(key, size))];
}

/** For a record without `file`; `parseRecord` has checked that `key` and `meta` are there. */
function pictureFromRecord({ key, meta }: ImageLine): FilePicture {
  const { dimens, ...facts } = meta as NonNullable<ImageLine['meta']>;
  const hash = facts.eTag;
  const unread = { hashes: [hash], hasLocation: false, metadata: undefined, perceptualHash: null };
  return { key: key as string, hash, ...facts, ...dimens, ...unread };
}
