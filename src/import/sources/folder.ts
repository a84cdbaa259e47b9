/**
 * A folder of pictures as a source. The names of the subfolders are categories, and sidecars next to a picture give its
 * other fields. Pictures that did not change since they were imported are not read again.
 */
import { join, parse, sep } from 'node:path';
import { normaliseName } from '../../catalogue/names.ts';
import type { KnownFile, RemovedSource, SourceFileReader } from '../../catalogue/records.ts';
import type { Rating } from '../../catalogue/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { streamBatches } from '../../lib/parallel.ts';
import { isNamedThumbnail } from '../plan/thumbnail.ts';
import type { ImageLine } from '../records/record.ts';
import { categoryNames, mergeFields, type SidecarFields, toRecord } from '../sidecar/fields.ts';
import { readSidecar } from '../sidecar/read.ts';
import { readInside } from './files.ts';
import { takeFingerprint } from './fingerprint.ts';
import { type FolderCategories, usedFolders } from './folder-file.ts';
import { identifyFolder } from './listings.ts';
import type { FoundFile, Readiness, Source } from './source.ts';
import { type FoundPicture, findPictures, type WalkOptions } from './walk.ts';

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
  /** Of new pictures that nothing marks as explicit or safe. */
  defaultRating: Rating;
  /** The files of a folder that were imported before. */
  known: Pick<SourceFileReader, 'find' | 'findRemoved'>;
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
      let position = 0;
      const pictures = originalsFirst(findPictures(folder, options));
      for await (const batch of streamBatches(pictures, BATCH_SIZE)) {
        const rows = await findRows(identity, batch, options.known);
        for (const picture of batch) {
          options.signal.throwIfAborted();
          const known = rows.get(normaliseName(picture.path)) ?? [];
          const file = lookUp(folder, identity, picture, known, options);
          const label = join(folder, picture.path);
          const parse = () => readRecord(folder, picture, options);
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
  const formerPaths = new Map(
    others.flatMap((picture) => otherTypes(picture).map((former) => [former, normaliseName(picture.path)])),
  );
  for (const file of await known.find(folder, [...formerPaths.keys()])) {
    const path = formerPaths.get(file.path) as string;
    rows.set(path, [...(rows.get(path) ?? []), file]);
  }
  return rows;
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
  const fingerprint = takeFingerprint(
    folder,
    path,
    companions,
    readOptions + JSON.stringify(settings),
    clock(),
  );
  const name = normaliseName(path);
  const current = rows.filter(({ state }) => state !== 'replaced');
  const row = current.find((one) => one.path === name);
  const isUnchanged =
    !isFull &&
    !problem &&
    row !== undefined &&
    fingerprint !== undefined &&
    row.fingerprint === fingerprint.text;
  const stored = fingerprint && !fingerprint.isRecent ? fingerprint.text : '';
  const place = {
    folder: identity,
    path: name,
    former: current.filter((one): one is KnownFile => !isRemoved(one)),
    fingerprint: stored,
    isUnchanged,
    readiness: (!isUnchanged && fingerprint && readiness?.(join(folder, path), fingerprint.text)) || 'ready',
    isFolder: problem !== undefined,
  } as const;
  if (!row || !isRemoved(row)) return { ...place, known: row };
  return { ...place, known: undefined, removed: isUnchanged ? row : undefined };
}

export async function countPictures(folder: string, options: WalkOptions): Promise<number> {
  let count = 0;
  for await (const _ of findPictures(folder, { ...options, onOther: () => {}, onIgnored: () => {} })) count++;
  return count;
}

async function readRecord(
  root: string,
  { path, sidecars, settings, problem }: FoundPicture,
  { folderCategories, defaultRating }: FolderOptions,
): Promise<ImageLine> {
  if (problem) throw problem;
  const read: SidecarFields[] = [];
  for (const sidecar of sidecars)
    read.push(await readSidecar(sidecar, await readInside(root, sidecar, MAX_SIDECAR_BYTES)));
  // A folder counts like a last sidecar, but its categories add up with others.
  const { rating, artist, categories = [] } = settings;
  read.push({ artist, marked: { rating, unknown: [] } });
  const folders = path.split(sep).slice(0, -1);
  const names = usedFolders(folders, folderCategories);
  const unusedNames = categoryNames(folders).filter((name) => !categoryNames(names).includes(name));
  const hidden = read.find((sidecar) => sidecar.hidden)?.hidden;
  return {
    ...toRecord(path, [...folders, ...categories], mergeFields(read), [...names, ...categories]),
    folder: { defaultRating, ...(unusedNames.length > 0 && { unusedNames }), ...(hidden && { hidden }) },
  };
}
