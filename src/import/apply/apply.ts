/**
 * The second phase of an import, under the catalogue's write lock: plans the prepared records against what the catalogue
 * has by now, and saves them.
 */
import type { LogPart } from '../../catalogue/change-log.ts';
import { readDocument } from '../../catalogue/documents/document.ts';
import type { SourceFile } from '../../catalogue/records.ts';
import type { CatalogueWriter } from '../../catalogue/writer.ts';
import type { Upload } from '../../media/files.ts';
import { storePicture } from '../files.ts';
import { Batch } from '../plan/existing.ts';
import {
  checkTrashed,
  type HistoryHeader,
  type HistoryLine,
  planChange,
  planItem,
  planTrashed,
} from '../plan/history.ts';
import { isNamedThumbnail, isThumbnailOf } from '../plan/looks.ts';
import {
  type CountedCopy,
  type ImageWithPicture,
  type ImportOptions,
  type PictureCopies,
  type PreparedImage,
  type PreparedRecord,
  pictureFromRecord,
} from '../prepare/prepare.ts';
import type { Spool } from '../prepare/prepared-pictures.ts';
import type { DecisionLine } from '../records/lines.ts';
import { type Problem, type Problems, RecordError, type RecordLocation } from '../records/problems.ts';
import { type EntryLine, mentionedNames, statedRating } from '../records/record.ts';
import type { Source } from '../sources/source.ts';
import { AlbumFiles, FolderAlbums } from './albums.ts';
import { applyDecisions, loadImages, saveDecisions } from './decisions.ts';
import { Saver } from './save.ts';
import { Versions } from './versions.ts';

// Keeps the change log and the trash of an exported catalogue, when it is moved into an empty one.

class HistoryMover {
  readonly #writer: CatalogueWriter;
  readonly #problems: Problems;
  /** Where the log begins, and how many images it is about. */
  #start: { label: string; images: number; trash: number } | undefined;
  #trash = 0;

  constructor(writer: CatalogueWriter, problems: Problems) {
    this.#writer = writer;
    this.#problems = problems;
  }

  /** Lines without a valid start are left out: it is reported instead. */
  async save(lines: (RecordLocation & { record: HistoryLine })[]): Promise<void> {
    const part: LogPart = { changes: [], items: [], trash: [] };
    for (const line of lines) {
      const { record } = line;
      if (record.type === 'history') await this.#begin(line, record);
      else if (!this.#start) continue;
      else if (record.type === 'change') part.changes.push(planChange(record));
      else if (record.type === 'change-item') part.items.push(planItem(record));
      else
        this.#problems.attempt(line, () => {
          const image = checkTrashed(record.image);
          const { thumbnails } = image;
          const picture = { ...pictureFromRecord(image), ...(thumbnails && { previews: thumbnails }) };
          part.trash.push(planTrashed(record, image, picture));
        });
    }
    this.#trash += part.trash.length;
    if (this.#start) await this.#writer.changeLog.restore(part);
  }

  /** What is wrong if the records had this many images: the log is about other ones. */
  problemWith(images: number): Problem | undefined {
    if (!this.#start) return undefined;
    const { label, ...start } = this.#start;
    if (start.images === images && start.trash === this.#trash) return undefined;
    const expected = `${start.images} images and ${start.trash} in the trash`;
    return { label, reason: `the history needs ${expected}, but there are ${images} and ${this.#trash}` };
  }

  async #begin({ label, source, position }: RecordLocation, { images, trash }: HistoryHeader): Promise<void> {
    const { changeLog } = this.#writer;
    const isEmpty =
      changeLog.lastImage === 0 &&
      changeLog.current() === undefined &&
      (await changeLog.list({ limit: 1 })).length === 0;
    if (isEmpty && !this.#start) this.#start = { label, images, trash };
    else
      this.#problems.add(
        { label, source, position },
        new RecordError('a history needs an empty catalogue; export it without --history'),
      );
  }
}

export class ImportApplier {
  readonly #sources: Source[];
  readonly #writer: CatalogueWriter;
  readonly #upload: Upload;
  readonly #problems: Problems;
  readonly #copies: PictureCopies;
  readonly #options: ImportOptions;
  readonly #saver: Saver;
  readonly #history: HistoryMover;
  readonly #albums: FolderAlbums;
  readonly #albumFiles: AlbumFiles;
  readonly #versions: Versions;
  #images = 0;
  /** The entries that the pictures of folders mentioned so far. */
  readonly #mentioned = new Set<string>();
  /** The new files that no image uses yet. */
  readonly #unsaved: Set<string>;

  constructor(
    sources: Source[],
    writer: CatalogueWriter,
    upload: Upload,
    problems: Problems,
    copies: PictureCopies,
    folders: ReadonlySet<string>,
    options: ImportOptions,
  ) {
    this.#sources = sources;
    this.#writer = writer;
    this.#upload = upload;
    this.#problems = problems;
    this.#copies = copies;
    this.#options = options;
    this.#unsaved = new Set(upload.newKeys());
    this.#history = new HistoryMover(writer, problems);
    this.#albums = new FolderAlbums(writer, options);
    this.#albumFiles = new AlbumFiles(sources);
    this.#versions = new Versions(writer, copies, folders);
    this.#saver = new Saver(writer, upload, options.defaults, problems, options, (image) =>
      this.#storeAgain(image),
    );
  }

  /** Pictures with the names of thumbnails come last: their originals may be in a later source. */
  async save(spool: Spool<PreparedRecord>): Promise<void> {
    const left = await this.#savePart(spool, (record) => !isNamed(record));
    if (left > 0) await this.#savePart(spool, isNamed);
    await this.#albums.save();
    // A picture whose record turned out to be invalid is not used.
    await this.#upload.release([...this.#unsaved]);
  }

  /** Returns how many records are left. */
  async #savePart(
    spool: Spool<PreparedRecord>,
    isPart: (record: PreparedRecord) => boolean,
  ): Promise<number> {
    const { signal, onProgress } = this.#options;
    let left = 0;
    const batch = new Batch<PreparedRecord & { size: number }>(({ record }) => record.type);
    const saveBatch = async () => {
      signal.throwIfAborted();
      const records = batch.take();
      if (this.#problems.isFull) return;
      await this.#saveBatch(records);
      for (const { progress } of records) if (progress > 0) onProgress(progress);
    };
    for await (const items of spool.items())
      for (const { item, size } of items) {
        if (!isPart(item)) {
          left++;
          continue;
        }
        const record = Object.assign(item, { size });
        if (batch.isFullFor(record)) await saveBatch();
        batch.add(record);
      }
    await saveBatch();
    return left;
  }

  /** What is wrong with the history that came with the records. */
  historyProblem(): Problem | undefined {
    return this.#history.problemWith(this.#images);
  }

  /** All records of a batch have the same type. */
  async #saveBatch(records: PreparedRecord[]): Promise<void> {
    const { defaults, report } = this.#options;
    const type = records[0]?.record.type;
    if (type === 'image') {
      for (const record of records as PreparedImage[]) record.picture ??= pictureFromRecord(record.record);
      await this.#saveImages(records as PreparedImage[]);
    } else if (type === 'blocked' || type === 'removed') {
      const lines = records.map(({ record }) => record as DecisionLine);
      await saveDecisions(lines, this.#writer.decisions, defaults.now, report);
    } else if (type === 'history' || type === 'change' || type === 'change-item' || type === 'trash') {
      await this.#history.save(records as (PreparedRecord & { record: HistoryLine })[]);
    } else {
      const lines = records as (PreparedRecord & { record: EntryLine })[];
      const resolve = (line: (typeof lines)[number]) =>
        this.#problems.attempt(line, () => this.#albumFiles.resolve(line)) ?? [];
      await this.#saver.saveEntries(lines.flatMap(resolve));
    }
  }

  async #saveImages(batch: PreparedImage[]): Promise<void> {
    const copies: { image: PreparedImage; first: CountedCopy }[] = [];
    const unique = batch.flatMap((image) => {
      if (!image.record.isFromFolder) return image;
      const first = this.#copies.add(image);
      if (first) copies.push({ image, first });
      return first ? [] : this.#copies.withOthers(image);
    });
    const files: SourceFile[] = [];
    const skip = (image: PreparedImage, id: string, isBlocked: boolean) => {
      this.#albumFiles.add(image, undefined);
      if (!image.file) return;
      this.#copies.setImage(image, id);
      // Once the block is lifted, what it says counts.
      const fingerprint = isBlocked ? '' : image.file.fingerprint;
      files.push({ ...image.file, fingerprint, image: id, state: 'first' });
    };
    const found = await this.#versions.find(unique, false);
    const images = await applyDecisions(found, this.#writer, this.#options.report, skip);
    await this.#savePictures(await this.#leaveOutThumbnails(images, files), files);
    const others = copies.map(({ image }) => image);
    await this.#saver.raiseRatings(await this.#versions.find(others, true));
    for (const { image, first } of copies)
      if (image.file && first.image !== undefined)
        files.push({ ...image.file, image: first.image, state: first.state ?? 'copy' });
    const saved = withoutRepeats(files);
    await this.#albums.note(saved);
    await this.#writer.sourceFiles.save(saved);
  }

  /** Creates the entries that the pictures of a folder mention, if they are missing. Adds the files that images come from. */
  async #savePictures(images: PreparedImage[], files: SourceFile[]): Promise<void> {
    for (const { picture } of images) if (picture.hasLocation) this.#options.report.location();
    const mentions = images
      .filter(({ record }) => record.isFromFolder)
      .flatMap((image) => this.#newMentions(image));
    for (const entries of Map.groupBy(mentions, ({ record }) => record.type).values())
      await this.#saver.saveEntries(entries);
    await this.#saver.saveImages(images, (image: PreparedImage, id, keys) => {
      this.#images++;
      this.#albumFiles.add(image, id);
      for (const key of keys) this.#unsaved.delete(key);
      if (!image.file) return;
      this.#copies.setImage(image, id);
      files.push({ ...image.file, image: id, state: 'first' });
    });
  }

  /** Leaves out pictures with the names of thumbnails that are not in the catalogue yet, and that a larger one looks like. */
  async #leaveOutThumbnails(images: PreparedImage[], files: SourceFile[]): Promise<PreparedImage[]> {
    if (!images.some(isNamed)) return images;
    const existing = await loadImages(this.#writer, images);
    const kept: PreparedImage[] = [];
    for (const image of images) {
      const isNew = existing.matching(image.record, image.picture.hashes).length === 0;
      const original = isNew ? await this.#findOriginal(image) : undefined;
      if (!original) kept.push(image);
      else {
        this.#options.report.thumbnail(image.label, original.label);
        this.#copies.setImage(image, original.id, 'thumbnail');
        if (image.file) files.push({ ...image.file, image: original.id, state: 'thumbnail' });
      }
    }
    return kept;
  }

  /** The image that a picture is a thumbnail of: the largest one. */
  async #findOriginal({
    record,
    picture,
  }: PreparedImage): Promise<{ id: string; label: string } | undefined> {
    const { width, height, perceptualHash } = picture;
    const seen = { width, height, rating: statedRating(record) };
    const alike = await this.#options.looks.find(perceptualHash ?? '');
    const rows = await this.#writer.imagesById(alike.map(({ id }) => id));
    const originals = rows.flatMap(({ id, document }) => {
      const { nsfw: rating, meta } = readDocument(document);
      const { width, height } = meta.dimens;
      return isThumbnailOf(seen, { width, height, rating }) ? { id, pixels: width * height } : [];
    });
    const [largest] = originals.sort((a, b) => b.pixels - a.pixels || (a.id < b.id ? -1 : 1));
    return alike.find(({ id }) => id === largest?.id);
  }

  #newMentions({ record, source, position, label }: PreparedImage) {
    return mentionedNames(record).flatMap(([type, name]) => {
      const key = `${source} ${type} ${name}`;
      if (this.#mentioned.has(key)) return [];
      this.#mentioned.add(key);
      const entry = { type, name, isImplicit: true } as EntryLine;
      return [{ source, position, label, record: entry }];
    });
  }

  /** Stores the files of a picture again, because another command has removed them since. */
  async #storeAgain({ source, label, record, picture }: ImageWithPicture): Promise<void> {
    const from = this.#sources[source] as Source;
    const stored = await storePicture(from, record.file as string, this.#upload, this.#options);
    if (stored.hash !== picture.hash)
      throw new Error(`${label} changed while it was imported; nothing was imported, import again`);
  }
}

/** Whether it is a picture of a folder with the name of a thumbnail. */
function isNamed({ record }: Pick<PreparedRecord, 'record'>): boolean {
  return record.type === 'image' && record.isFromFolder === true && isNamedThumbnail(record.file ?? '');
}

/** A folder may be named twice. */
function withoutRepeats(files: SourceFile[]): SourceFile[] {
  return [...new Map(files.map((file) => [`${file.folder}\0${file.path}`, file])).values()];
}
