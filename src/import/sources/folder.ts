/**
 * A folder of pictures as a source. The names of the subfolders are categories, and sidecars next to a picture give its
 * other fields. Pictures that did not change since they were imported are not read again.
 */
import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { streamBatches } from '../../lib/parallel.ts';
import type { KnownFile, RemovedSource, SourceFileReader } from '../../store/contract/source-files.ts';
import { RecordError } from '../problems.ts';
import { mergeFields, type SidecarFields, toRecord } from '../sidecar/fields.ts';
import { readSidecar, sidecarNames } from '../sidecar/read.ts';
import { takeFingerprint } from './fingerprint.ts';
import { readInside } from './read-inside.ts';
import type { ImageLine } from './record.ts';
import type { FoundFile, Readiness, Source } from './source.ts';

const MAX_SIDECAR_BYTES = 1024 * 1024;
export const isPictureName = (name: string) => /\.(jpe?g|jfif|png|webp|gif|avif)$/i.test(name);
/** Pictures that are looked up in the catalogue together. */
const BATCH_SIZE = 1000;

/** Called with each visible file that is neither a picture nor a sidecar. */
type OnIgnored = (path: string) => void;

export interface FolderOptions {
  onIgnored: OnIgnored;
  signal: AbortSignal;
  clock: Clock;
  /** The options that change what is read from a picture. */
  readOptions: string;
  /** The files of a folder, named by its real path, that were imported before. */
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
      const realPath = await realpath(folder);
      let position = 0;
      for await (const batch of streamBatches(findPictures(folder, options.onIgnored), BATCH_SIZE)) {
        const rows = await findRows(realPath, batch, options.known);
        for (const picture of batch) {
          options.signal.throwIfAborted();
          const file = lookUp(folder, realPath, picture, rows.get(picture.path) ?? [], options);
          const label = join(folder, picture.path);
          yield [{ position: position++, label, size: 1, file, parse: picture.read }];
        }
      }
    },
  };
}

type Row = KnownFile | RemovedSource;
const isRemoved = (row: Row): row is RemovedSource => 'reason' in row;

/** What is known of the pictures, by path. */
async function findRows(
  folder: string,
  batch: FoundPicture[],
  known: FolderOptions['known'],
): Promise<Map<string, Row[]>> {
  const paths = batch.map(({ path }) => path);
  const rows = new Map<string, Row[]>(Map.groupBy(await known.find(folder, paths), ({ path }) => path));
  const others = paths.filter((path) => !rows.has(path));
  const removed = others.length > 0 ? await known.findRemoved(folder, others) : [];
  for (const [path, of] of Map.groupBy(removed, ({ path }) => path)) rows.set(path, of);
  return rows;
}

function lookUp(
  folder: string,
  realPath: string,
  { path, companions }: FoundPicture,
  rows: Row[],
  { readOptions, isFull, clock, readiness }: FolderOptions,
): FoundFile {
  const fingerprint = takeFingerprint(folder, path, companions, readOptions, clock());
  const row = rows.find(({ state }) => state !== 'replaced');
  const isUnchanged =
    !isFull && row !== undefined && fingerprint !== undefined && row.fingerprint === fingerprint.text;
  const stored = fingerprint && !fingerprint.isRecent ? fingerprint.text : '';
  const place = {
    folder: realPath,
    path,
    fingerprint: stored,
    isUnchanged,
    readiness: (!isUnchanged && fingerprint && readiness?.(join(folder, path), fingerprint.text)) || 'ready',
  } as const;
  if (!row || !isRemoved(row)) return { ...place, known: row };
  return { ...place, known: undefined, removed: isUnchanged ? row : undefined };
}

export async function countPictures(folder: string): Promise<number> {
  let count = 0;
  for await (const _ of findPictures(folder, () => {})) count++;
  return count;
}

interface FoundPicture {
  /** Relative to the folder. */
  path: string;
  /** The other files with its name, which may be sidecars. Relative to the folder. */
  companions: string[];
  read(): Promise<ImageLine>;
}

/** Sorted by name within each folder. */
async function* findPictures(
  root: string,
  onIgnored: OnIgnored,
  inside = '',
): AsyncGenerator<FoundPicture, void> {
  let entries: Dirent[];
  try {
    entries = await readdir(join(root, inside), { withFileTypes: true });
  } catch (error) {
    if (inside === '') throw error;
    // Reported like a picture that cannot be read.
    const read = () => Promise.reject(new RecordError((error as Error).message));
    yield { path: inside, companions: [], read };
    return;
  }
  const names = new Map(entries.map(({ name }) => [name.toLowerCase(), name]));
  for (const { name } of entries) names.set(name, name);
  const pictures = entries.filter(({ name }) => isPictureName(name));
  const sidecars = new Set(pictures.flatMap(({ name }) => sidecarsOf(name, names)));
  const others = Map.groupBy(
    entries.map(({ name }) => name).filter((name) => !isPictureName(name)),
    stemOf,
  );
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(inside, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) {
      yield* findPictures(root, onIgnored, path);
    } else if (isPictureName(entry.name)) {
      const own = sidecarsOf(entry.name, names);
      const companions = [entry.name.toLowerCase(), stemOf(entry.name)].flatMap(
        (name) => others.get(name) ?? [],
      );
      yield {
        path,
        companions: [...new Set([...own, ...companions])].map((name) => join(inside, name)),
        read: () =>
          readRecord(
            root,
            path,
            own.map((name) => join(inside, name)),
          ),
      };
    } else if (!entry.name.endsWith('.json') && !sidecars.has(entry.name)) {
      onIgnored(join(root, path));
    }
  }
}

/** The name without its extension, in lower case. */
const stemOf = (name: string) => name.replace(/\.[^.]*$/, '').toLowerCase();

/** The case of a name makes no difference, but a name in the same case comes first. */
function sidecarsOf(picture: string, names: Map<string, string>): string[] {
  const found = sidecarNames(picture).flatMap(
    (name) => names.get(name) ?? names.get(name.toLowerCase()) ?? [],
  );
  return [...new Set(found)];
}

async function readRecord(root: string, file: string, sidecars: string[]): Promise<ImageLine> {
  const read: SidecarFields[] = [];
  for (const path of sidecars)
    read.push(await readSidecar(path, await readInside(root, path, MAX_SIDECAR_BYTES)));
  return toRecord(file, file.split(sep).slice(0, -1), mergeFields(read));
}
