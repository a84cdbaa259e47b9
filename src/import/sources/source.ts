/** Where records come from: a catalogue file, or a folder of pictures. */
import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join, parse, relative, sep } from 'node:path';
import { normaliseName } from '../../catalogue/names.ts';
import type { Rating } from '../../catalogue/schemas.ts';
import type {
  KnownFile,
  RemovedFile,
  RemovedSource,
  SourceFile,
  SourceFileReader,
} from '../../catalogue/writer.ts';
import type { Clock } from '../../lib/clock.ts';
import { streamBatches } from '../../lib/concurrency.ts';
import type { Upload } from '../../media/files.ts';
import type { Metadata } from '../../media/metadata/read.ts';
import { checkHistory, type HistoryLine } from '../plan/history.ts';
import type { Picture } from '../plan/image.ts';
import { isNamedThumbnail } from '../plan/looks.ts';
import { lineText, readLines } from '../records/lines.ts';
import { type ImageLine, parseJson, parseRecord, type RecordLine } from '../records/record.ts';
import { categoryNames, mergeFields, type SidecarFields, toRecord } from '../sidecar/fields.ts';
import { readSidecar } from '../sidecar/read.ts';
import { identifyFolder, readInside } from './files.ts';
import {
  type FolderCategories,
  type FoundPicture,
  findPictures,
  usedFolders,
  type WalkOptions,
} from './walk.ts';

/** A record that is not parsed yet. */
export interface PendingRecord {
  position: number;
  label: string;
  /** Its share of the source's total, for the progress bar: bytes of a file, or pictures of a folder. */
  size: number;
  /** For a picture of a folder. */
  file?: FoundFile | undefined;
  /** Undefined for a blank line; throws a `RecordError` if the record is invalid. */
  parse(): RecordLine | HistoryLine | undefined | Promise<RecordLine>;
}

/** Whether to read a file now: another program may still be writing it, or it did not change since it turned out invalid. */
export type Readiness = 'ready' | 'settling' | 'failed';

/** A file of a folder as it is now. */
export interface FoundFile extends Omit<SourceFile, 'image' | 'state'> {
  /** How it was imported before. */
  known: KnownFile | undefined;
  /** The images of which it may be another version: those at its path, or else those of files with its name and another type. */
  former: KnownFile[];
  /** If its picture was removed, and it did not change since. */
  removed?: RemovedFile | undefined;
  /** Whether it has the fingerprint that it had then. */
  isUnchanged: boolean;
  readiness: Readiness;
  /** When its contents were last changed, in milliseconds. */
  modified: number;
  /** Whether it stands for all pictures of a folder that cannot be read. */
  isFolder: boolean;
}

/** A picture that was read from a source, and stored. */
export interface FilePicture extends Picture {
  hasLocation: boolean;
  /** What the picture of a folder says about itself. */
  metadata?: Metadata | undefined;
}

/** The picture that a record comes with. */
export interface SourcePicture {
  /** Where it is. */
  path: string;
  /**
   * The next attempt does not read it again if this is the same. Empty if it may change without that, and undefined if pictures
   * of this source are always read.
   */
  fingerprint: string | undefined;
  store(upload: Upload): Promise<FilePicture>;
}

export interface Source {
  /** A record's `file` is relative to this folder and must be inside it. */
  folder: string;
  /**
   * Whether the source is a folder of pictures. Copies of a picture are skipped, entries that the pictures mention are
   * created, and metadata of the pictures completes their records.
   */
  isFolder: boolean;
  /** In order, some at a time. The source is opened when the iteration starts. */
  records(): AsyncIterable<PendingRecord[]>;
  /** Without it, the picture is the one that the record's `file` names. */
  pictureOf?(record: RecordLine | HistoryLine): SourcePicture | undefined;
}

export function catalogueFile(name: string, folder: string, open: () => AsyncIterable<Buffer>): Source {
  return {
    folder,
    isFolder: false,
    async *records() {
      for await (const lines of readLines(open()))
        yield lines.map(({ number, bytes }) => ({
          position: number,
          label: `${name}:${number}`,
          size: bytes.length + 1,
          parse: () => parseLine(lineText(bytes)),
        }));
    },
  };
}

/** An export writes the type first. */
const historyPattern = /^\{"type":"(?:history|change|change-item|trash)"/;

function parseLine(text: string): RecordLine | HistoryLine | undefined {
  return historyPattern.test(text) ? checkHistory(parseJson(text)) : parseRecord(text);
}

// A folder of pictures as a source. The names of the subfolders are categories, and sidecars next to a picture give its
// other fields. Pictures that did not change since they were imported are not read again.

const MAX_SIDECAR_BYTES = 1024 * 1024;
const TYPES = ['jpg', 'jpeg', 'jfif', 'png', 'webp', 'gif', 'avif'].flatMap((type) => [
  type,
  type.toUpperCase(),
]);
/** Pictures that are looked up in the catalogue together. */
const BATCH_SIZE = 1000;

export interface FolderOptions extends WalkOptions {
  signal: AbortSignal;
  clock: Clock;
  /** The options that change what is read from a picture. */
  readOptions: string;
  folderCategories: FolderCategories;
  /** Called with each name of a folder that is no category because it means nothing. */
  onMeaningless: (path: string, name: string) => void;
  /** Of new pictures that nothing marks as explicit or safe. */
  defaultRating: Rating;
  /** The files of a folder that were imported before. */
  known: Pick<SourceFileReader, 'find' | 'findRemoved' | 'overlapping'>;
  /** Whether everything has to be read. */
  isFull: boolean;
  /** Whether to read a new or changed file now. Without it, all of them are read. */
  readiness?: ((path: string, fingerprint: string) => Readiness) | undefined;
}

export function pictureFolder(folder: string, options: FolderOptions): Source {
  return {
    folder,
    isFolder: true,
    async *records() {
      const identity = await identifyFolder(folder);
      const overlapping = await options.known.overlapping(identity);
      let position = 0;
      const pictures = originalsFirst(findPictures(folder, options));
      for await (const batch of streamBatches(pictures, BATCH_SIZE)) {
        const rows = await findRows(identity, batch, options.known);
        for (const other of overlapping) await addRows(other, identity, batch, options.known, rows);
        for (const picture of batch) {
          options.signal.throwIfAborted();
          const known = rows.get(normaliseName(picture.path)) ?? [];
          const file = lookUp(folder, identity, picture, known, options);
          const label = join(folder, picture.path);
          const parse = () => readRecord(folder, identity, picture, options);
          yield [{ position: position++, label, size: 1, file, parse }];
        }
      }
    },
  };
}

/** Of several copies the first one counts, and that must not be a thumbnail. */
async function* originalsFirst(pictures: AsyncIterable<FoundPicture>): AsyncGenerator<FoundPicture, void> {
  const thumbnails: FoundPicture[] = [];
  for await (const picture of pictures)
    if (isNamedThumbnail(picture.path)) thumbnails.push(picture);
    else yield picture;
  yield* thumbnails;
}

type Row = KnownFile | RemovedSource;
const isRemoved = (row: Row): row is RemovedSource => 'reason' in row;

/** What is known of the pictures, by path, and of those that they may have been converted from. */
async function findRows(
  folder: string,
  batch: FoundPicture[],
  known: FolderOptions['known'],
): Promise<Map<string, Row[]>> {
  const paths = batch.map(({ path }) => normaliseName(path));
  const rows = new Map<string, Row[]>(Map.groupBy(await known.find(folder, paths), ({ path }) => path));
  const others = batch.filter(({ path }) => !rows.has(normaliseName(path)));
  if (others.length === 0) return rows;
  const removed = await known.findRemoved(
    folder,
    others.map(({ path }) => normaliseName(path)),
  );
  for (const [path, of] of Map.groupBy(removed, ({ path }) => path)) rows.set(path, of);
  const formerPaths = Map.groupBy(
    others.flatMap((picture) =>
      otherTypes(picture).map((former) => ({ former, path: normaliseName(picture.path) })),
    ),
    ({ former }) => former,
  );
  for (const file of await known.find(folder, [...formerPaths.keys()]))
    for (const { path } of formerPaths.get(file.path) ?? [])
      rows.set(path, [...(rows.get(path) ?? []), file]);
  return rows;
}

/** Adds what another import, of a folder in this one or around it, knows of the same pictures. */
async function addRows(
  other: string,
  folder: string,
  batch: FoundPicture[],
  known: FolderOptions['known'],
  rows: Map<string, Row[]>,
): Promise<void> {
  const names = batch.map(({ path }) => normaliseName(path));
  const paths = new Map(names.map((path) => [relative(other, join(folder, path)), path]));
  const inside = [...paths.keys()].filter((path) => !path.startsWith(`..${sep}`));
  for (const file of await known.find(other, inside)) {
    const path = paths.get(file.path) as string;
    rows.set(path, [...(rows.get(path) ?? []), { ...file, path }]);
  }
}

/** The paths that files of other types would have, if they are gone. */
function otherTypes({ path, isListed }: FoundPicture): string[] {
  const { dir, name } = parse(normaliseName(path));
  const names = TYPES.map((type) => `${name}.${type}`);
  return names.filter((other) => !isListed(other)).map((other) => join(dir, other));
}

function lookUp(
  folder: string,
  identity: string,
  { path, companions, settings, problem }: FoundPicture,
  rows: Row[],
  { readOptions, isFull, clock, readiness }: FolderOptions,
): FoundFile {
  const options = readOptions + JSON.stringify(settings);
  const fingerprint = takeFingerprint(folder, [path, ...companions], options, clock());
  const name = normaliseName(path);
  const current = rows.filter(({ state }) => state !== 'replaced');
  const row = current.find((one) => one.path === name && (isRemoved(one) || one.folder === identity));
  const isUnchanged = !isFull && !problem && !!fingerprint && row?.fingerprint === fingerprint.text;
  const stored = fingerprint && !fingerprint.isRecent ? fingerprint.text : '';
  // After an undo, the image that the file had before is there again, and its file is still replaced.
  const former = row ? current : rows;
  const place = {
    folder: identity,
    path: name,
    former: former.filter((one): one is KnownFile => !isRemoved(one)),
    fingerprint: stored,
    isUnchanged,
    modified: fingerprint?.modified ?? 0,
    readiness: (!isUnchanged && fingerprint && readiness?.(join(folder, path), fingerprint.text)) || 'ready',
    isFolder: problem !== undefined,
  } as const;
  if (!row || !isRemoved(row)) return { ...place, known: row };
  // A thumbnail of a removed picture has other bytes than that, so only its path tells what it shows.
  return { ...place, known: undefined, removed: isUnchanged || row.state === 'thumbnail' ? row : undefined };
}

export async function countPictures(folder: string, options: WalkOptions): Promise<number> {
  let count = 0;
  for await (const _ of findPictures(folder, { ...options, onOther: () => {}, onIgnored: () => {} })) count++;
  return count;
}

/** `place` is the real path of the folder: `zukan import nsfw/2024` names a folder that says how explicit its pictures are. */
async function readRecord(
  root: string,
  place: string,
  { path, sidecars, settings, problem }: FoundPicture,
  { folderCategories, onMeaningless, defaultRating }: FolderOptions,
): Promise<ImageLine> {
  if (problem) throw problem;
  const read: SidecarFields[] = [];
  for (const sidecar of sidecars)
    read.push(await readSidecar(sidecar, await readInside(root, sidecar, MAX_SIDECAR_BYTES)));
  // A folder counts like a last sidecar, but its categories add up with others.
  const { rating, artist, categories = [], ...rights } = settings;
  read.push({ artist, marked: { rating, unknown: [] } });
  const folders = path.split(sep).slice(0, -1);
  const names = usedFolders(folders, folderCategories);
  const unusedNames = categoryNames(folders).filter((name) => !categoryNames(names).includes(name));
  if (folderCategories === 'meaningful')
    for (const name of unusedNames) onMeaningless(join(root, path), name);
  const hidden = read.find((sidecar) => sidecar.hidden)?.hidden;
  return {
    ...toRecord(path, [...place.split(sep), ...folders, ...categories], mergeFields(read), [
      ...names,
      ...categories,
    ]),
    folder: {
      defaultRating,
      ...rights,
      ...(unusedNames.length > 0 && { unusedNames }),
      ...(hidden && { hidden }),
    },
  };
}

// Tells whether the picture of a folder, and what is next to it, changed since it was imported.

/** Increase it when a picture or a sidecar would be read differently. Every file is then read once more. */
const READER_VERSION = 3;

/**
 * A file that was written less than this before it was read may be written again without a change of its times: some file
 * systems count in steps of two seconds. It is read again the next time.
 */
const MIN_AGE_MS = 2100;

/** Options that change what is stored are part of every fingerprint. */
export const describeOptions = (
  keepsLocation: boolean,
  thumbnailSizes: readonly number[],
  folderCategories: FolderCategories,
): string => JSON.stringify([READER_VERSION, keepsLocation, thumbnailSizes, folderCategories]);

interface Fingerprint {
  text: string;
  /** Whether the file may still change without its fingerprint. */
  isRecent: boolean;
  /** When the picture was last written. */
  modified: number;
}

/**
 * The size and times of a picture, which is the first of the paths, and of the files next to it that may be its sidecars. The
 * time of the last change of the inode is one of them: a file that is moved over another one keeps the time of its contents.
 * Undefined if one of the files cannot be read, which the import then reports.
 */
function takeFingerprint(
  folder: string,
  paths: string[],
  options: string,
  now: number,
): Fingerprint | undefined {
  const facts = [options];
  let newest = 0;
  let modified: number | undefined;
  try {
    for (const path of paths) {
      // Synchronous, because that is much faster, and a folder has many files.
      const { size, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = statSync(join(folder, path), { bigint: true });
      facts.push(`${normaliseName(path)} ${size} ${mtimeNs} ${ctimeNs}`);
      modified ??= Number(mtimeMs);
      newest = Math.max(newest, Number(mtimeMs), Number(ctimeMs));
    }
  } catch {
    return undefined;
  }
  const text = hash('sha256', facts.join('\n'));
  return { text, isRecent: newest > now - MIN_AGE_MS, modified: modified ?? 0 };
}
