/**
 * The generations of a backup. The newest one is that of the manifest in the folder; the manifest of an older one is with its
 * lists. All of them share the files of pictures.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { chmod, lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordError, readLines } from '../import/records/lines.ts';
import { FileUnreadable, openInside, readInside } from '../import/sources/files.ts';
import { flush, ifExists, makeFolder, PRIVATE_FOLDER, renameWithRetry } from '../lib/file-system.ts';
import { isBusy, lockFile } from '../media/journal.ts';
import {
  FILES,
  MANIFEST,
  MAX_MANIFEST_BYTES,
  type Manifest,
  parseLine,
  parseManifest,
  type StoredThumbnail,
} from './format.ts';

const MAX_LINE_LENGTH = 8 * 1024 * 1024;

export interface Generation {
  /** The folder of its lists. */
  folder: string;
  /** Empty if its manifest is damaged. */
  createdAt: string;
  tokens: number;
}

/** Undefined if no backup was completed in this folder. */
export async function findManifest(folder: string): Promise<Manifest | undefined> {
  if ((await ifExists(lstat(join(folder, MANIFEST)))) === undefined) return undefined;
  return parseManifest((await readInside(folder, MANIFEST, MAX_MANIFEST_BYTES)).toString());
}

/** Every generation, newest first. */
export async function findGenerations(folder: string, newest: Manifest | undefined): Promise<Generation[]> {
  const older: Generation[] = [];
  for (const name of await readdir(folder)) {
    if (!name.startsWith('lists-') || !isReplaceable(name) || name === newest?.folder) continue;
    const text = await ifExists(lstat(join(folder, name, MANIFEST)))
      .then((exists) => exists && readInside(folder, `${name}/${MANIFEST}`, MAX_MANIFEST_BYTES))
      .catch(() => '');
    if (text !== undefined) older.push(readGeneration(name, String(text)));
  }
  older.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  if (!newest) return older;
  return [{ folder: newest.folder, createdAt: newest.createdAt, tokens: newest.counts.tokens }, ...older];
}

/** Also of a manifest that this version cannot read. */
function readGeneration(folder: string, manifest: string): Generation {
  try {
    const { createdAt = '', counts } = JSON.parse(manifest);
    return { folder, createdAt: String(createdAt), tokens: Number(counts?.tokens ?? 0) };
  } catch {
    return { folder, createdAt: '', tokens: 0 };
  }
}

/** The name of a generation's manifest inside the folder. */
export async function findGeneration(folder: string, time: string | undefined): Promise<string> {
  if (time === undefined) return MANIFEST;
  const newest = await findManifest(folder);
  const generations = await findGenerations(folder, newest);
  const found = generations.find(({ createdAt }) => createdAt.startsWith(time));
  if (found) return found.folder === newest?.folder ? MANIFEST : `${found.folder}/${MANIFEST}`;
  const times = generations.map(({ createdAt }) => createdAt).filter(Boolean);
  throw new Error(`${folder} has no generation of ${time}; it has ${times.join(', ')}`);
}

/** Replaces the manifest in a folder. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const temporary = join(folder, `${MANIFEST}.${randomUUID()}`);
  {
    await using file = await open(temporary, 'wx', 0o600);
    await file.appendFile(`${JSON.stringify(manifest, undefined, 2)}\n`);
    await file.sync();
  }
  // The names of the lists must be durable first.
  await flush(folder);
  await renameWithRetry(temporary, join(folder, MANIFEST));
  await flush(folder);
}

/** Removes what is left of other generations and of failed backups, except for pictures. */
export async function removeOldLists(folder: string, kept: string[]): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!isReplaceable(name) || kept.includes(name)) continue;
    // First, so that what is half removed is no generation.
    await rm(join(folder, name, MANIFEST), { force: true }).catch(() => {});
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** In the lines of images (`formatImage`). Those of removed pictures have a hash, too. */
const storedHash = /(?:"stored":\{|"size":\d+,)"hash":"([0-9a-f]{64})"/g;

/** The hashes of the files that a generation needs. Of a damaged one, those that can be found. */
export async function* neededFiles(folder: string, generation: Generation): AsyncGenerator<string, void> {
  yield* hashesIn(folder, `${generation.folder}/catalogue.ndjson`, storedHash);
  yield* hashesIn(folder, `${generation.folder}/history.ndjson`, storedHash);
}

/** The hashes of the pictures of its images, without those in the trash. Those that can be found, as above. */
export const pictureHashes = (folder: string, generation: Generation): AsyncGenerator<string, void> =>
  hashesIn(folder, `${generation.folder}/catalogue.ndjson`, /"stored":\{"hash":"([0-9a-f]{64})"/g);

async function* hashesIn(folder: string, list: string, pattern: RegExp): AsyncGenerator<string, void> {
  for await (const line of readableLines(folder, list))
    for (const [, hash] of line.matchAll(pattern)) yield hash as string;
}

/** The thumbnails of a backup, by the hash of their picture. Those that it lacks, or that cannot be found, are read again. */
export async function readThumbnails(
  folder: string,
  manifest: Manifest | undefined,
): Promise<Map<string, StoredThumbnail[]>> {
  const found = new Map<string, StoredThumbnail[]>();
  if (!manifest) return found;
  try {
    for await (const line of readableLines(folder, `${manifest.folder}/catalogue.ndjson`)) {
      if (!line.includes('"thumbnails":[{')) continue;
      const { stored } = parseLine(line);
      if (stored?.thumbnails) found.set(stored.hash, stored.thumbnails);
    }
  } catch {
    // The list is damaged.
  }
  return found;
}

/** None of a list that is missing: the generation may be from before 1.0. Fails if it is there and cannot be read. */
async function* readableLines(folder: string, path: string): AsyncGenerator<string, void> {
  try {
    await using file = await openInside(folder, path);
    const stream = file.createReadStream({ autoClose: false });
    for await (const lines of readLines(stream, MAX_LINE_LENGTH))
      for (const { bytes } of lines) yield bytes.toString();
  } catch (error) {
    if (!(error instanceof RecordError) || error instanceof FileUnreadable) throw error;
  }
}

// The folder of a backup: creates it, and keeps a second backup from writing to it at the same time.

const LOCK = '.lock';

/** Fails if the folder has something else in it. Disposing of the result lets others write to it. */
export async function lockFolder(folder: string): Promise<Disposable> {
  makeFolder(folder, PRIVATE_FOLDER);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.map(({ name }) => name);
  const isBackup = names.includes(LOCK) || names.includes(MANIFEST);
  if (names.length > 0 && !(isBackup && names.every(isKnown)))
    throw new Error(`${folder} is neither empty nor a backup; choose another folder`);
  // Through a link, a user with write access there could make us remove other files. A pipe would block us.
  const odd = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (odd) {
    const kind = odd.isSymbolicLink() ? 'a link' : 'not a file';
    throw new Error(`${join(folder, odd.name)} is ${kind}; choose another folder`);
  }
  // Only its owner can change the mode of a folder; what is ours in that of somebody else is private all the same.
  if (names.length === 0) await chmod(folder, PRIVATE_FOLDER).catch(() => {});
  const lock = takeLock(folder);
  makeFolder(join(folder, FILES), PRIVATE_FOLDER);
  return lock;
}

/** SQLite puts a journal next to the lock. */
const isKnown = (name: string) =>
  [FILES, MANIFEST, LOCK, `${LOCK}-journal`].includes(name) || isReplaceable(name);

/** The lists of a manifest, or its new version before it is renamed. */
const isReplaceable = (name: string) => /^(lists-|manifest\.json\.)[0-9a-f-]{36}$/.test(name);

function takeLock(folder: string): Disposable {
  // SQLite would let others read it.
  closeSync(openSync(join(folder, LOCK), 'a', 0o600));
  try {
    const database = lockFile(join(folder, LOCK), 0);
    return { [Symbol.dispose]: () => database.close() };
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Error(`another backup is writing to ${folder}; wait until it has finished`);
  }
}
