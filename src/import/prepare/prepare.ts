/**
 * The first phase of an import: reads and checks all records, and stores their pictures. It only reads the catalogue, so it
 * may take hours without keeping other commands from changing it.
 */
import { join } from 'node:path';
import { thumbnailKey } from '../../catalogue/documents/document.ts';
import type { Rating } from '../../catalogue/schemas.ts';
import type { CatalogueWriter, ChosenFolder, KnownFile, SourceFile } from '../../catalogue/writer.ts';
import { inParallel } from '../../lib/concurrency.ts';
import { version } from '../../lib/version.ts';
import type { Files, StagedPicture, StagedRecords, Upload } from '../../media/files.ts';
import type { Staging } from '../../media/staging.ts';
import { storePicture } from '../files.ts';
import { Batch, describeRemoved, type ImportListener, type NewRecordDefaults } from '../plan/existing.ts';
import type { HistoryLine } from '../plan/history.ts';
import { type Picture, placeOf } from '../plan/image.ts';
import { isNamedThumbnail, type Looks } from '../plan/looks.ts';
import type { DecisionLine, ProblemOptions, Problems, RecordLocation } from '../records/lines.ts';
import {
  type EntryLine,
  type ImageLine,
  type Mention,
  mentionedNames,
  type RecordLine,
  statedRating,
} from '../records/record.ts';
import { strictest } from '../sidecar/rating.ts';
import { addMetadata } from '../sidecar/read.ts';
import type { FilePicture, FoundFile, PendingRecord, Source, SourcePicture } from '../sources/source.ts';

/** How the change log lists an import. */
export interface ImportSource {
  /** The paths. Empty if pictures are added in the studio. */
  source: string;
  /** Adds to this change, if it is still the last one and nobody else added images since. */
  continues?: number | undefined;
}

export interface ImportOptions extends Required<ProblemOptions> {
  files: Files;
  /** Asked for when the records are saved: that is when they are added. */
  defaults: () => NewRecordDefaults;
  /** How many pictures are read at the same time. */
  concurrency: number;
  /** The sizes of thumbnails. */
  thumbnailSizes: readonly number[];
  /** Whether everything has to be read, even what an earlier attempt has read. */
  isFull: boolean;
  /** Whether the location in the metadata of pictures is stored. */
  keepsLocation: boolean;
  /** Called with the size of each record that is done. */
  onProgress: (size: number) => void;
  report: ImportListener;
  /** What the pictures of the catalogue, and those that are added, look like. */
  looks: Looks;
  /** Aborts the import and leaves the catalogue unchanged. */
  signal: AbortSignal;
  /** Says what could not be removed of killed commands. */
  warn: (problem: string) => void;
  /** How the import is listed among the last ones. */
  run: ImportSource;
  /** What was chosen for folders, if it differs from before. */
  choices: ChosenFolder[];
  /** The real paths of the folders that become albums, and whether this is the first import that makes albums of them. */
  albumFolders: { folder: string; isFirst: boolean }[];
  /** Called under the write lock, before and after the records are saved. */
  onLock?: () => Promise<void>;
  beforeCommit?: (writer: CatalogueWriter) => Promise<void>;
}

/**
 * A record that was checked, and whose picture is stored. `progress` is what is left to do of it. An image whose picture this
 * import did not store has no `picture`: its record says everything.
 */
export type PreparedRecord = RecordLocation & { progress: number } & (
    | { record: EntryLine | DecisionLine | HistoryLine; picture?: PreparedImage['picture'] }
    | (Omit<PreparedImage, 'picture'> & { picture?: PreparedImage['picture'] })
  );

/** `former` are images that the file was before, if it has other bytes by now. */
export type PreparedImage = ImageWithPicture & { file?: FilePlace | undefined; former?: KnownFile[] };
/** The file of a folder, as it was when it was read. */
type FilePlace = Pick<FoundFile, 'folder' | 'path' | 'fingerprint'>;

type ParsedRecord = RecordLocation & {
  size: number;
  record: RecordLine | HistoryLine;
  file?: FoundFile | undefined;
};

interface Preparing {
  /** Of the sources whose pictures are ordered together. */
  group: number;
  /** When the import began. */
  now: number;
  upload: Upload;
  staging: Staging;
  problems: Problems;
  copies: PictureCopies;
  options: ImportOptions;
  prune: FileListener | undefined;
}

/** Is told what became of the files of pictures. */
export interface FileListener {
  /** It was read, or its picture is known to be removed. */
  noteRead(file: FoundFile, picture: Pick<FilePicture, 'hashes' | 'perceptualHash'>): void;
  /** It is not read yet, or it or its sidecar is invalid. */
  noteSkipped(file: FoundFile): void;
  /** It must not be published. */
  noteHidden(file: FoundFile): void;
}

/** Records and files of one source, in order. */
export async function prepareSource(from: Source, source: number, preparing: Preparing): Promise<void> {
  const { problems, copies, options } = preparing;
  const batch = new Batch<ParsedRecord>();
  for await (const some of from.records()) {
    for (const pending of some) {
      options.signal.throwIfAborted();
      if (problems.isFull) return;
      const { position, label, size, file } = pending;
      const location = { source, position, label };
      if (file && file.readiness !== 'ready') {
        preparing.prune?.noteSkipped(file);
        continue;
      }
      if (file?.isUnchanged && file.known && copies.addUnchanged(location, file.known)) {
        options.onProgress(size);
        continue;
      }
      if (file?.removed) {
        options.report.note('removed', label, describeRemoved(file.removed));
        options.report.note('unread', label);
        preparing.prune?.noteRead(file, { hashes: [file.removed.hash], perceptualHash: null });
        options.onProgress(size);
        continue;
      }
      const parsing = parse(location, pending, problems);
      const record = parsing instanceof Promise ? await parsing : parsing;
      if (!record) {
        if (file) preparing.prune?.noteSkipped(file);
        continue;
      }
      const hidden = record.type === 'image' ? record.folder?.hidden : undefined;
      if (file && hidden !== undefined) {
        options.report.note(
          'hidden',
          label,
          file.known ? `${hidden}; its image stays until --prune` : hidden,
        );
        preparing.prune?.noteHidden(file);
        options.onProgress(size);
        continue;
      }
      const parsed = { source, position, label, size, record, file };
      if (batch.isFullFor(parsed)) await prepareBatch(from, batch.take(), preparing);
      batch.add(parsed);
    }
  }
  await prepareBatch(from, batch.take(), preparing);
}

/** No promise for a line of a catalogue file: millions of them take time. */
function parse(
  location: RecordLocation,
  pending: PendingRecord,
  problems: Problems,
): RecordLine | HistoryLine | undefined | Promise<RecordLine | undefined> {
  const record = problems.attempt(location, () => pending.parse());
  return record instanceof Promise ? record.catch((error) => problems.add(location, error)) : record;
}

/** All records of a batch have the same type. Leaves out those whose picture is invalid. */
async function prepareBatch(from: Source, batch: ParsedRecord[], preparing: Preparing): Promise<void> {
  const { group, now, upload, staging, options, problems, copies } = preparing;
  options.signal.throwIfAborted();
  if (problems.isFull || batch.length === 0) return;
  const pictures = batch.flatMap((line, index) => {
    const picture = pictureOf(from, line, options);
    return picture ? { line, index, picture } : [];
  });
  const found = await staging.find(
    pictures.flatMap(({ picture }) => (picture.fingerprint ? picture.path : [])),
  );
  // Several records may name the same file, which is read once.
  const stored = new Map<string, Promise<FilePicture>>();
  const storeOnce = (line: ParsedRecord, { path, fingerprint, store }: SourcePicture) => {
    const name = `${path} ${fingerprint}`;
    const storing = stored.get(name) ?? store(upload);
    stored.set(name, storing);
    return storing.catch((error) => problems.add(line, error, true));
  };
  const prepared: (PreparedRecord | undefined)[] =
    pictures.length === batch.length ? [] : batch.map((line) => prepare(line, line.record));
  const noted: { hashes: string[]; record: ImageLine }[] = [];
  await inParallel(pictures, options.concurrency, async ({ line, index, picture }) => {
    options.signal.throwIfAborted();
    const before = options.isFull ? undefined : usable(found.get(picture.path), picture);
    if (before) options.report.note('continued', line.label);
    const read = before ?? (await storeOnce(line, picture));
    options.onProgress(line.size);
    if (!read) {
      delete prepared[index];
      if (line.file) preparing.prune?.noteSkipped(line.file);
      return;
    }
    if (line.file) preparing.prune?.noteRead(line.file, read);
    const record = from.isFolder ? completeRecord(line.record as ImageLine, read) : line.record;
    if (from.isFolder) noted[index] = { hashes: read.hashes, record: record as ImageLine };
    const { path, fingerprint } = picture;
    const ready = prepare(line, record, read);
    if (fingerprint === undefined) {
      prepared[index] = { ...ready, picture: read } as PreparedRecord;
      return;
    }
    const [keys, facts] = [keysOf(read), JSON.stringify(read)];
    const { takenAt } = record as ImageLine;
    const place = placeOf(group, line.file && { ...line.file, source: line.source, takenAt }, now);
    await staging.add(toRow(place, [ready], { path, fingerprint, keys, hashes: read.hashes, facts }));
  });
  for (const each of noted) if (each) copies.note(each.hashes, each.record);
  const together = prepared.filter((record) => record !== undefined);
  if (together.length > 0) await staging.add(toRow(placeOf(group, undefined, now), together));
}

export function pictureOf(
  from: Source,
  { record, file }: Pick<ParsedRecord, 'record' | 'file'>,
  options: Pick<ImportOptions, 'keepsLocation' | 'thumbnailSizes'>,
): SourcePicture | undefined {
  if (from.pictureOf) return from.pictureOf(record);
  if (record.type !== 'image' || record.file === undefined) return undefined;
  const path = record.file;
  const store = (upload: Upload) => storePicture(from, path, upload, options);
  if (!file) return { path, fingerprint: undefined, store };
  // Another version may read something else, or need to know more.
  const fingerprint = file.fingerprint && `${version} ${file.fingerprint}`;
  return { path: join(file.folder, file.path), fingerprint, store };
}

/** What an earlier attempt has read, if the file is still the same. */
function usable(staged: StagedPicture | undefined, picture: SourcePicture): FilePicture | undefined {
  if (!picture.fingerprint || staged?.fingerprint !== picture.fingerprint) return undefined;
  try {
    return JSON.parse(staged.facts);
  } catch {
    return undefined;
  }
}

/** The original first. */
export function keysOf({ key, previews }: Pick<Picture, 'key' | 'previews'>): string[] {
  return [key, ...(previews?.sizes ?? []).map((size) => thumbnailKey(key, size))];
}

/** `picture` was stored just now. */
function prepare(
  line: ParsedRecord,
  record: RecordLine | HistoryLine,
  picture?: FilePicture,
): PreparedRecord {
  const { source, position, label, size, file } = line;
  const prepared = { source, position, label, progress: picture ? 0 : size, record } as PreparedRecord;
  if (!file || !picture) return prepared;
  const { folder, path, fingerprint, former } = file;
  const isKnown = former.some(({ eTag }) => picture.hashes.includes(eTag));
  return Object.assign(prepared, { file: { folder, path, fingerprint }, ...(!isKnown && { former }) });
}

/** What the metadata of the picture says completes the record of a folder. */
function completeRecord(record: ImageLine, { metadata }: FilePicture): ImageLine {
  return { ...(metadata ? addMetadata(record, metadata) : record), isFromFolder: true };
}

function toRow(place: string, records: PreparedRecord[], picture?: StagedPicture): StagedRecords {
  const { source, position } = records[0] as PreparedRecord;
  return { source, position, place, records: JSON.stringify(records), picture };
}

/** Each with the length of its JSON. The metadata of pictures has served its purpose, and may be long. */
export function fromRow({
  records,
  picture,
}: Pick<StagedRecords, 'records' | 'picture'>): (PreparedRecord & { size: number })[] {
  const prepared: PreparedRecord[] = JSON.parse(records);
  const size = records.length / prepared.length;
  const { metadata, ...stored } = picture ? JSON.parse(picture.facts) : {};
  const added = picture ? { picture: stored, size } : { size };
  return prepared.map((record) => Object.assign(record, added));
}

/** For a record without `file`; `parseRecord` has checked that `key` and `meta` are there. */
export function pictureFromRecord({ key, meta }: ImageLine): PreparedImage['picture'] {
  const { dimens, ...facts } = meta as NonNullable<ImageLine['meta']>;
  const hash = facts.eTag;
  return {
    key: key as string,
    hash,
    hashes: [hash],
    hasLocation: false,
    isRecorded: true,
    perceptualHash: null,
    ...facts,
    ...dimens,
  };
}

// The pictures of folders, by their bytes. Of several copies one counts: one that was imported before and did not change, or
// else the first one in the order of the command line and then of paths. One that has the name of a thumbnail counts only if
// all of them have.

/** `hasLocation` is whether the picture has, or had, a location. One that `isRecorded` was not stored by this import. */
export type ImageWithPicture = Located<ImageLine> & {
  picture: Picture & { hasLocation: boolean; isRecorded?: true };
};

export type Located<T> = RecordLocation & { record: T };

export interface CountedCopy {
  label: string;
  /** The id of its image, when it is known. */
  image?: string;
  /** What the files with the same bytes are to this image. */
  state?: SourceFile['state'];
  isThumbnail: boolean;
}

export class PictureCopies {
  readonly #byHash = new Map<string, CountedCopy>();
  /** Of all pictures that were read. */
  readonly #hashes = new Set<string>();
  /** The strictest rating of all copies, if it is not sfw. */
  readonly #ratings = new Map<string, Rating>();
  /** The artists and characters of all copies. */
  readonly #names = new Map<string, Map<string, Mention>>();
  readonly #report: ImportListener;

  constructor(report: ImportListener) {
    this.#report = report;
  }

  /**
   * Returns false if the file has to be read: it was a copy, and the file that counted is gone, has changed, or comes later.
   * The rating of a copy counts too, so a copy is left out only together with the file that counts.
   */
  addUnchanged({ label }: RecordLocation, { eTag, image, path, state }: KnownFile): boolean {
    const first = this.#byHash.get(eTag);
    if (!first && state !== 'first') return false;
    if (first) {
      this.#report.note(state === 'thumbnail' ? 'thumbnail' : 'duplicate', label, first.label);
    } else {
      this.#byHash.set(eTag, { label, image, isThumbnail: isNamedThumbnail(path) });
      this.#report.unchanged(path);
    }
    return true;
  }

  /** The picture with the same bytes that counts, or undefined if it is this one. */
  add({ picture: { hashes }, label, record }: ImageWithPicture): CountedCopy | undefined {
    const first = hashes.map((hash) => this.#byHash.get(hash)).find((found) => found !== undefined);
    const isThumbnail = isNamedThumbnail(record.file ?? '');
    // An original that was added later takes the place of a thumbnail with the same bytes.
    const isCopy = first !== undefined && (isThumbnail || !first.isThumbnail);
    if (isCopy) this.#report.note('duplicate', label, first.label);
    else for (const hash of hashes) this.#byHash.set(hash, { label, isThumbnail });
    return isCopy ? first : undefined;
  }

  /** All pictures are noted before the first one is saved. */
  note(hashes: string[], record: ImageLine): void {
    const rating = statedRating(record);
    const names = mentionedNames(record).filter(([kind]) => kind !== 'category');
    for (const hash of hashes) {
      this.#hashes.add(hash);
      if (rating !== undefined && rating !== 'sfw')
        this.#ratings.set(hash, strictest(this.#ratings.get(hash), rating) as Rating);
      if (names.length === 0) continue;
      const known = this.#names.get(hash) ?? new Map<string, Mention>();
      for (const mention of names) known.set(mention.join(' '), mention);
      this.#names.set(hash, known);
    }
  }

  /** Whether a file has these bytes. Known when all of them are noted. */
  has(hash: string): boolean {
    return this.#byHash.has(hash) || this.#hashes.has(hash);
  }

  /** With the strictest rating of all copies, and the artists and characters that they name. They give no other details. */
  withOthers<T extends ImageWithPicture>(image: T): T & { copyNames: Mention[] } {
    const { record, picture } = image;
    const copyNames = picture.hashes.flatMap((hash) => [...(this.#names.get(hash)?.values() ?? [])]);
    const rating = picture.hashes.map((hash) => this.#ratings.get(hash)).reduce(strictest, undefined);
    const strict = strictest(statedRating(record), rating);
    if (!strict || strict === statedRating(record)) return { ...image, copyNames };
    const rated = record.openFields?.includes('nsfw') ? { atLeast: strict } : { nsfw: strict };
    return { ...image, record: { ...record, ...rated }, copyNames };
  }

  /** Notes the image of a picture that counts. */
  setImage(
    { picture: { hashes } }: ImageWithPicture,
    image: string,
    state: SourceFile['state'] = 'copy',
  ): void {
    for (const hash of hashes) {
      const first = this.#byHash.get(hash);
      if (first) Object.assign(first, { image, state });
    }
  }
}
