/**
 * The second phase of an import, under the catalogue's write lock: plans the prepared records against what the catalogue
 * has by now, and saves them.
 */
import type { LogPart } from '../../catalogue/change-log.ts';
import type { CatalogueWriter, SourceFile } from '../../catalogue/writer.ts';
import type { Staging } from '../../media/staging.ts';
import { Batch } from '../plan/existing.ts';
import {
  checkTrashed,
  type HistoryHeader,
  type HistoryLine,
  planChange,
  planItem,
  planTrashed,
} from '../plan/history.ts';
import type { Picture } from '../plan/image.ts';
import { isNamedThumbnail } from '../plan/looks.ts';
import {
  type CountedCopy,
  fromRow,
  keysOf,
  type Located,
  type PictureCopies,
  type PreparedImage,
  type PreparedRecord,
  pictureFromRecord,
  pictureOf,
} from '../prepare/prepare.ts';
import {
  type DecisionLine,
  type Problem,
  type Problems,
  RecordError,
  type RecordLocation,
} from '../records/lines.ts';
import { type EntryLine, mentionedNames, type RecordLine } from '../records/record.ts';
import type { Source, SourcePicture } from '../sources/source.ts';
import { AlbumFiles, FolderAlbums } from './albums.ts';
import { applyDecisions, saveDecisions } from './decisions.ts';
import { Saver, type Saving } from './save.ts';
import { findOriginals, Versions } from './versions.ts';

/** A record and the picture that this import stored for it. */
type StoredPicture = Located<RecordLine | HistoryLine> & { picture: Picture };

interface Applying extends Saving {
  sources: Source[];
  copies: PictureCopies;
}

export class ImportApplier {
  readonly #with: Applying;
  readonly #saver: Saver;
  /** If a history comes with the records. */
  #history: HistoryMover | undefined;
  readonly #albums: FolderAlbums | undefined;
  /** Only the lines of catalogue files name them. */
  readonly #albumFiles: AlbumFiles | undefined;
  readonly #versions: Versions;
  #images = 0;
  /** The entries that the pictures of folders mentioned so far. */
  readonly #mentioned = new Set<string>();
  /** The new files that no image uses yet. */
  readonly #unsaved: Set<string>;

  constructor(given: Omit<Applying, 'defaults'>, folders: ReadonlySet<string>) {
    const { sources, writer, upload, copies, options } = given;
    const defaults = options.defaults();
    this.#with = { ...given, defaults };
    this.#unsaved = new Set(upload.newKeys());
    if (options.albumFolders.length > 0) this.#albums = new FolderAlbums(writer, options, defaults);
    if (sources.some(({ isFolder }) => !isFolder)) this.#albumFiles = new AlbumFiles(sources);
    this.#versions = new Versions(writer, copies, folders);
    this.#saver = new Saver(this.#with, (needed) => this.#storeLost(needed));
  }

  /** Pictures with the names of thumbnails come last: their originals may be in a later source. */
  async save(staging: Staging): Promise<void> {
    const left = await this.#savePart(staging, (record) => !isNamed(record));
    if (left > 0) await this.#savePart(staging, isNamed);
    await this.#albums?.save();
    // A picture whose record turned out to be invalid is not used.
    await this.#with.upload.release([...this.#unsaved]);
  }

  /** Returns how many records are left. */
  async #savePart(staging: Staging, isPart: (record: PreparedRecord) => boolean): Promise<number> {
    const { signal, onProgress } = this.#with.options;
    let left = 0;
    const batch = new Batch<PreparedRecord & { size: number }>();
    const saveBatch = async () => {
      signal.throwIfAborted();
      const records = batch.take();
      if (this.#with.problems.isFull) return;
      await this.#saveBatch(records);
      for (const { progress } of records) if (progress > 0) onProgress(progress);
    };
    for await (const row of staging.rows())
      for (const record of fromRow(row)) {
        if (!isPart(record)) {
          left++;
          continue;
        }
        if (batch.isFullFor(record)) await saveBatch();
        batch.add(record);
      }
    await saveBatch();
    return left;
  }

  /** What is wrong with the history that came with the records. */
  historyProblem(): Problem | undefined {
    return this.#history?.problemWith(this.#images);
  }

  /** All records of a batch have the same type. */
  async #saveBatch(records: PreparedRecord[]): Promise<void> {
    const { report } = this.#with.options;
    const type = records[0]?.record.type;
    if (type === 'image') {
      for (const record of records as PreparedImage[]) record.picture ??= pictureFromRecord(record.record);
      await this.#saveImages(records as PreparedImage[]);
    } else if (type === 'blocked' || type === 'removed' || type === 'site') {
      const lines = records.map(({ record }) => record as DecisionLine);
      await saveDecisions(lines, this.#with.writer.decisions, this.#with.defaults.now, report);
    } else if (type === 'history' || type === 'change' || type === 'change-item' || type === 'trash') {
      const stored = records.filter((record): record is PreparedRecord & StoredPicture => !!record.picture);
      await this.#storeLost(
        new Map(stored.flatMap((line) => keysOf(line.picture).map((key) => [key, line]))),
      );
      this.#history ??= new HistoryMover(this.#with.writer, this.#with.problems);
      await this.#history.save(records as (PreparedRecord & { record: HistoryLine })[]);
    } else {
      const lines = records as (PreparedRecord & { record: EntryLine })[];
      const resolve = (line: (typeof lines)[number]) =>
        this.#with.problems.attempt(line, () => this.#albumFiles?.resolve(line)) ?? [];
      await this.#saver.saveEntries(lines.flatMap(resolve));
    }
  }

  async #saveImages(batch: PreparedImage[]): Promise<void> {
    const copies: { image: PreparedImage; first: CountedCopy }[] = [];
    const unique = batch.flatMap((image) => {
      if (!image.record.isFromFolder) return image;
      const first = this.#with.copies.add(image);
      if (first) copies.push({ image, first });
      return first ? [] : this.#with.copies.withOthers(image);
    });
    const files: SourceFile[] = [];
    const skip = (image: PreparedImage, id: string, isBlocked: boolean) => {
      this.#albumFiles?.add(image, undefined);
      if (!image.file) return;
      this.#with.copies.setImage(image, id);
      // Once the block is lifted, what it says counts.
      const fingerprint = isBlocked ? '' : image.file.fingerprint;
      files.push({ ...image.file, fingerprint, image: id, state: 'first' });
    };
    const found = await this.#versions.find(unique);
    const images = await applyDecisions(found, this.#with.writer, this.#with.options.report, skip);
    await this.#savePictures(await this.#leaveOutThumbnails(images, files), files);
    const others = copies.map(({ image }) => image);
    await this.#saver.raiseRatings(await this.#versions.find(others));
    for (const { image, first } of copies)
      if (image.file && first.image !== undefined)
        files.push({ ...image.file, image: first.image, state: first.state ?? 'copy' });
    // A folder may be named twice.
    const saved = [...new Map(files.map((file) => [`${file.folder}\0${file.path}`, file])).values()];
    await this.#albums?.note(saved);
    await this.#with.writer.sourceFiles.save(saved);
  }

  /** Creates the entries that the pictures of a folder mention, if they are missing. Adds the files that images come from. */
  async #savePictures(images: PreparedImage[], files: SourceFile[]): Promise<void> {
    for (const { label, picture } of images)
      if (picture.hasLocation) this.#with.options.report.note('location', label);
    const mentions = images
      .filter(({ record }) => record.isFromFolder)
      .flatMap((image) => this.#newMentions(image));
    for (const entries of Map.groupBy(mentions, ({ record }) => record.type).values())
      await this.#saver.saveEntries(entries);
    await this.#saver.saveImages(images, (image: PreparedImage, id, keys) => {
      this.#images++;
      this.#albumFiles?.add(image, id);
      for (const key of keys) this.#unsaved.delete(key);
      if (!image.file) return;
      this.#with.copies.setImage(image, id);
      files.push({ ...image.file, image: id, state: 'first' });
    });
  }

  /** Leaves out pictures that are only thumbnails of larger ones. */
  async #leaveOutThumbnails(images: PreparedImage[], files: SourceFile[]): Promise<PreparedImage[]> {
    const originals = await findOriginals(
      images.filter(isNamed),
      this.#with.writer,
      this.#with.options.looks,
    );
    for (const [image, original] of originals) {
      this.#with.options.report.note('thumbnail', image.label, original.label);
      this.#with.copies.setImage(image, original.id, 'thumbnail');
      if (image.file) files.push({ ...image.file, image: original.id, state: 'thumbnail' });
    }
    return images.filter((image) => !originals.has(image));
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

  /** Another command may have removed files since they were stored. */
  async #storeLost(needed: Map<string, StoredPicture>): Promise<void> {
    const lost = await this.#with.upload.findLost([...needed.keys()]);
    for (const { source, label, record, picture } of new Set(lost.flatMap((key) => needed.get(key) ?? []))) {
      const from = pictureOf(
        this.#with.sources[source] as Source,
        { record },
        this.#with.options,
      ) as SourcePicture;
      if ((await from.store(this.#with.upload)).hash !== picture.hash)
        throw new Error(`${label} changed while it was imported; nothing was imported, import again`);
    }
  }
}

/** Whether it is a picture of a folder with the name of a thumbnail. */
function isNamed({ record }: Pick<PreparedRecord, 'record'>): boolean {
  return record.type === 'image' && record.isFromFolder === true && isNamedThumbnail(record.file ?? '');
}

// Keeps the change log and the trash of an exported catalogue or of a backup, when it is moved into an empty one.

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
  async save(lines: (RecordLocation & { record: HistoryLine; picture?: Picture })[]): Promise<void> {
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
          const recorded = () => ({
            ...pictureFromRecord(image),
            ...(thumbnails && { previews: thumbnails }),
          });
          part.trash.push(planTrashed(record, image, line.picture ?? recorded()));
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
