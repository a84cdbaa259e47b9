/**
 * The first phase of an import: reads and checks all records, and stores their pictures. It only reads the catalogue, so it
 * may take hours without keeping other commands from changing it.
 */
import type { ChosenFolder, KnownFile, SourceFile } from '../../catalogue/records.ts';
import type { Rating } from '../../catalogue/schemas.ts';
import { inParallel } from '../../lib/concurrency.ts';
import type { Files, Upload } from '../../media/files.ts';
import { type FilePicture, storePicture } from '../files.ts';
import type { ImportListener } from '../listener.ts';
import { Batch, type NewRecordDefaults } from '../plan/existing.ts';
import type { HistoryLine } from '../plan/history.ts';
import type { Picture } from '../plan/image.ts';
import { isNamedThumbnail, type Looks } from '../plan/looks.ts';
import type { DecisionLine } from '../records/lines.ts';
import type { ProblemOptions, Problems, RecordLocation } from '../records/problems.ts';
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
import type { FoundFile, PendingRecord, Source } from '../sources/source.ts';
import type { PreparedPictures, Spool } from './prepared-pictures.ts';

/** How the change log lists an import. */
export interface ImportSource {
  /** The paths. Empty if pictures are added in the studio. */
  source: string;
  /** Adds to this change, if it is still the last one and nobody else added images since. */
  continues?: number | undefined;
}

export interface ImportOptions extends Required<ProblemOptions> {
  files: Files;
  defaults: NewRecordDefaults;
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
}

/**
 * A record that was checked, and whose picture is stored. `progress` is what is left to do of it. An image whose record has
 * no `file` has no `picture`: its record says everything.
 */
export type PreparedRecord = RecordLocation & { progress: number } & (
    | { record: EntryLine | DecisionLine | HistoryLine }
    | (Omit<PreparedImage, 'picture'> & { picture?: PreparedImage['picture'] | undefined })
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
type ParsedImage = ParsedRecord & { record: ImageLine };

interface Preparing {
  upload: Upload;
  spool: Spool<PreparedRecord>;
  problems: Problems;
  copies: PictureCopies;
  earlier: PreparedPictures;
  options: ImportOptions;
  /** Called with the file of each picture that was read or that is known to be removed, and with its bytes and looks. */
  onRead: (file: FoundFile, picture: Pick<FilePicture, 'hashes' | 'perceptualHash'>) => void;
  /** Called with the file of each picture that is not read yet, or skipped because it or its sidecar is invalid. */
  onSkipped: (file: FoundFile) => void;
  /** Called with the file of each picture that must not be published. */
  onHidden: (file: FoundFile) => void;
}

/** Records and files of one source, in order. */
export async function prepareSource(from: Source, source: number, preparing: Preparing): Promise<void> {
  const { problems, copies, options } = preparing;
  const batch = new Batch<ParsedRecord>(({ record }) => record.type);
  for await (const some of from.records()) {
    for (const pending of some) {
      options.signal.throwIfAborted();
      if (problems.isFull) return;
      const { position, label, size, file } = pending;
      const location = { source, position, label };
      if (file && file.readiness !== 'ready') {
        preparing.onSkipped(file);
        continue;
      }
      if (file?.isUnchanged && file.known && copies.addUnchanged(location, file.known)) {
        options.onProgress(size);
        continue;
      }
      if (file?.removed) {
        options.report.unreadRemoved(label, file.removed);
        preparing.onRead(file, { hashes: [file.removed.hash], perceptualHash: null });
        options.onProgress(size);
        continue;
      }
      const parsing = parse(location, pending, problems);
      const record = parsing instanceof Promise ? await parsing : parsing;
      if (!record) {
        if (file) preparing.onSkipped(file);
        continue;
      }
      const hidden = record.type === 'image' ? record.folder?.hidden : undefined;
      if (file && hidden !== undefined) {
        options.report.hidden(label, hidden, file.known !== undefined);
        preparing.onHidden(file);
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

/** All records of a batch have the same type. */
async function prepareBatch(from: Source, batch: ParsedRecord[], preparing: Preparing): Promise<void> {
  const { spool, options, problems } = preparing;
  options.signal.throwIfAborted();
  if (problems.isFull) return;
  if (batch[0]?.record.type === 'image') {
    await preparePictures(from, batch as ParsedImage[], preparing);
  } else {
    await spool.add(
      (batch as (ParsedRecord & { record: EntryLine | DecisionLine | HistoryLine })[]).map(
        ({ source, position, label, record, size }) => ({ source, position, label, record, progress: size }),
      ),
    );
  }
}

/** Leaves out the records whose picture is invalid. */
async function preparePictures(from: Source, batch: ParsedImage[], preparing: Preparing): Promise<void> {
  const { upload, spool, options, problems, earlier, onRead, onSkipped } = preparing;
  const pictures = new Map<ParsedImage, FilePicture | undefined>();
  // Several records may name the same file, which is read once.
  const stored = new Map<string, Promise<FilePicture>>();
  const storeOnce = async (line: ParsedImage, file: string) => {
    const storing = stored.get(file) ?? storePicture(from, file, upload, options);
    stored.set(file, storing);
    try {
      const picture = await storing;
      if (line.file) await earlier.add(line.file, picture);
      return picture;
    } catch (error) {
      return problems.add(line, error, true);
    }
  };
  const withFile = batch.filter(({ record }) => record.file !== undefined);
  const found = await earlier.find(withFile.flatMap(({ file }) => file ?? []));
  await inParallel(withFile, options.concurrency, async (line) => {
    options.signal.throwIfAborted();
    const before = line.file && found.get(line.file);
    if (before) options.report.continuedFile();
    pictures.set(line, before ?? (await storeOnce(line, line.record.file as string)));
    options.onProgress(line.size);
  });
  const prepared: PreparedRecord[] = [];
  for (const line of batch) {
    const { source, position, label, size, record } = line;
    if (record.file === undefined) {
      prepared.push({ source, position, label, record, progress: size });
      continue;
    }
    const read = pictures.get(line);
    if (!read) {
      if (line.file) onSkipped(line.file);
      continue;
    }
    const { metadata, ...picture } = read;
    if (line.file) onRead(line.file, picture);
    const former = line.file?.former ?? [];
    const isKnown = former.some(({ eTag }) => picture.hashes.includes(eTag));
    const stated = metadata ? addMetadata(record, metadata) : record;
    const whole: ImageLine = from.isFolder ? { ...stated, isFromFolder: true } : stated;
    if (from.isFolder) preparing.copies.note(picture.hashes, whole);
    prepared.push({
      source,
      position,
      label,
      picture,
      progress: 0,
      file: line.file && placeOf(line.file),
      ...(line.file && !isKnown && { former }),
      record: whole,
    });
  }
  await spool.add(prepared);
}

function placeOf({ folder, path, fingerprint }: FoundFile): FilePlace {
  return { folder, path, fingerprint };
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
    perceptualHash: null,
    ...facts,
    ...dimens,
  };
}

// The pictures of folders, by their bytes. Of several copies one counts: one that was imported before and did not change, or
// else the first one in the order of the command line and then of paths. One that has the name of a thumbnail counts only if
// all of them have.

/** `hasLocation` is whether the picture has, or had, a location. */
export type ImageWithPicture = Located<ImageLine> & { picture: Picture & { hasLocation: boolean } };

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
      if (state === 'thumbnail') this.#report.thumbnail(label, first.label);
      else this.#report.duplicate(label, first.label);
    } else {
      this.#byHash.set(eTag, { label, image, isThumbnail: isNamedThumbnail(path) });
      this.#report.unchangedFile(path);
    }
    return true;
  }

  /** The picture with the same bytes that counts, or undefined if it is this one. */
  add({ picture: { hashes }, label, record }: ImageWithPicture): CountedCopy | undefined {
    const first = hashes.map((hash) => this.#byHash.get(hash)).find((found) => found !== undefined);
    const isThumbnail = isNamedThumbnail(record.file ?? '');
    // An original that was added later takes the place of a thumbnail with the same bytes.
    const isCopy = first !== undefined && (isThumbnail || !first.isThumbnail);
    if (isCopy) this.#report.duplicate(label, first.label);
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
