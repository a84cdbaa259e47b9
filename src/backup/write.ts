/** Makes a backup. The one before stays complete until the new manifest replaces its own. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenRecord } from '../access/tokens.ts';
import type { ChangeLogReader } from '../catalogue/change-log.ts';
import { catalogueLines, joinLines, logLines } from '../catalogue/lines.ts';
import type { CatalogueSnapshot, SavedImage } from '../catalogue/writer.ts';
import { inParallel, streamBatches } from '../lib/concurrency.ts';
import { flush } from '../lib/file-system.ts';
import { version } from '../lib/version.ts';
import type { Files } from '../media/files.ts';
import {
  FORMAT_VERSION,
  formatImage,
  type List,
  type ListName,
  type Manifest,
  sourceLines,
} from './format.ts';
import {
  findGenerations,
  findManifest,
  type Generation,
  lockFolder,
  neededFiles,
  readThumbnails,
  removeOldLists,
  writeManifest,
} from './generations.ts';
import { findDoubt, PictureFiles, type StoredFiles } from './picture-files.ts';

interface BackupOptions {
  /** The identity of the catalogue. */
  catalogue: string | undefined;
  openSnapshot(): Promise<CatalogueSnapshot>;
  files: Files;
  tokens: TokenRecord[];
  linkKeys: readonly string[];
  /** How many generations to keep. Undefined for as many as before, one at first. */
  keep?: number | undefined;
  /** Somebody has confirmed what looks like a mistake. */
  isConfirmed: boolean;
  createdAt: string;
  onImage(): void;
  signal: AbortSignal;
}

interface BackupResult {
  manifest: Manifest;
  /** Of everything that a restore of it needs. */
  bytes: number;
  addedFiles: number;
  removedFiles: number;
  /** How many there are now. */
  generations: number;
  /** Why nothing was removed that no generation needs any more. */
  doubt?: string;
}

type Counts = Manifest['counts'];
type Lines = AsyncIterable<string> | Iterable<string>;

const BATCH_SIZE = 64;
const MAX_CONCURRENT_FILES = 8;

export async function writeBackup(folder: string, options: BackupOptions): Promise<BackupResult> {
  using _lock = await lockFolder(folder);
  const former = await findManifest(folder);
  refuseOther(former?.catalogue, options.catalogue);
  const keep = options.keep ?? former?.keep ?? 1;
  await removeFailed(folder);
  // With its lists, so that it can be replaced.
  if (former && keep > 1) await writeManifest(join(folder, former.folder), former);
  const lists = `lists-${randomUUID()}`;
  try {
    const pictures = new PictureFiles(folder, options.files, await readThumbnails(folder, former));
    const manifest = await writeLists(folder, lists, pictures, { ...options, keep });
    await pictures.flush();
    options.signal.throwIfAborted();
    const earlier = await findGenerations(folder, former);
    const [older, outdated] = [earlier.slice(0, keep - 1), earlier.slice(keep - 1)];
    const canRemove = await needAll(folder, older, pictures);
    const doubt = options.isConfirmed ? undefined : await findDoubt(folder, outdated, manifest, pictures);
    if (doubt !== undefined && keep === 1) throw new Error(doubt);
    await writeManifest(folder, manifest);
    const listed = Object.values(manifest.lists).reduce((sum, { size }) => sum + size, 0);
    const result = { manifest, bytes: listed + pictures.bytes, addedFiles: pictures.added };
    if (doubt !== undefined) return { ...result, removedFiles: 0, generations: 1 + earlier.length, doubt };
    await removeOldLists(folder, [lists, ...older.map((generation) => generation.folder)]);
    const removedFiles = canRemove ? await pictures.removeUnneeded() : 0;
    return { ...result, removedFiles, generations: 1 + older.length };
  } catch (error) {
    await removeFailed(folder).catch(() => {});
    throw error;
  }
}

function refuseOther(former: string | undefined, catalogue: string | undefined): void {
  if (former !== undefined && catalogue !== undefined && former !== catalogue)
    throw new Error(
      `it is a backup of the catalogue ${former}, and this is ${catalogue}; choose another folder`,
    );
}

/** Returns false if it cannot be read what one of the generations needs. */
async function needAll(folder: string, generations: Generation[], pictures: PictureFiles): Promise<boolean> {
  try {
    for (const generation of generations)
      for await (const hash of neededFiles(folder, generation)) pictures.needed.add(hash);
    return true;
  } catch {
    return false;
  }
}

/** The manifest may be in place already. What cannot be removed now, the next backup removes. */
async function removeFailed(folder: string): Promise<void> {
  const generations = await findGenerations(folder, await findManifest(folder));
  const lists = generations.map((generation) => generation.folder);
  await removeOldLists(folder, lists);
}

async function writeLists(
  folder: string,
  name: string,
  pictures: PictureFiles,
  options: BackupOptions & { keep: number },
): Promise<Manifest> {
  const { catalogue: identity, keep, openSnapshot, tokens, linkKeys, createdAt, onImage, signal } = options;
  await mkdir(join(folder, name), { mode: 0o700 });
  const counts: Counts = {
    images: 0,
    artists: 0,
    categories: 0,
    characters: 0,
    tokens: 0,
    changes: 0,
    trash: 0,
    sources: 0,
  };
  const write = (list: ListName, lines: Lines, all?: keyof Counts) =>
    writeList(join(folder, name, list), counted(lines, counts, all));
  const numbers: number[] = [];
  await using snapshot = await openSnapshot();
  const imageLines = async function* (images: AsyncIterable<SavedImage>) {
    for await (const batch of streamBatches(images, BATCH_SIZE)) {
      signal.throwIfAborted();
      const lines: (string | undefined)[] = [];
      await inParallel(batch, MAX_CONCURRENT_FILES, async (image, index) => {
        lines[index] = await backUpImage(image, pictures, openSnapshot);
        onImage();
        if (lines[index] !== undefined) numbers.push(image.number);
      });
      yield* lines.filter((line) => line !== undefined);
    }
  };
  const catalogueFile = catalogueLines(snapshot, imageLines, { hasTrash: true });
  const tokenLines = tokens.map((token) => JSON.stringify(token));
  // The catalogue first: the history is that of the images in it.
  const catalogue = await write('catalogue.ndjson', catalogueFile);
  const history = backUpHistory(snapshot.changeLog, numbers, pictures, signal);
  const lists = {
    'catalogue.ndjson': catalogue,
    'history.ndjson': await write('history.ndjson', history),
    'sources.ndjson': await write('sources.ndjson', sourceLines(snapshot), 'sources'),
    'tokens.ndjson': await write('tokens.ndjson', tokenLines, 'tokens'),
    'link.keys': await write('link.keys', linkKeys),
  };
  await flush(join(folder, name));
  const format = { format: 'zukan backup', version: FORMAT_VERSION, zukan: version } as const;
  const facts = { ...format, ...(identity !== undefined && { catalogue: identity }) };
  return { ...facts, createdAt, keep, counts, folder: name, lists };
}

/** The line of an image, or undefined if it was removed after the backup began. */
async function backUpImage(
  image: SavedImage,
  pictures: PictureFiles,
  openSnapshot: BackupOptions['openSnapshot'],
): Promise<string | undefined> {
  const stored = await pictures.add(image);
  if (stored) return formatImage(image, image, stored);
  await using snapshot = await openSnapshot();
  const [current] = await snapshot.imagesById([image.id]);
  if (!current) return undefined;
  const currentlyStored = await pictures.add(current);
  if (currentlyStored) return formatImage(image, current, currentlyStored);
  throw new Error(`the file ${current.key} is missing; "zukan check" lists all problems`);
}

/** What each type of line counts as. */
const plurals: Record<string, keyof Counts> = {
  image: 'images',
  artist: 'artists',
  category: 'categories',
  character: 'characters',
  change: 'changes',
  trash: 'trash',
};

async function* counted(lines: Lines, counts: Counts, all?: keyof Counts): AsyncGenerator<string, void> {
  for await (const line of lines) {
    const plural = all ?? plurals[/^\{"type":"([a-z]+)"/.exec(line)?.[1] ?? ''];
    if (plural !== undefined) counts[plural]++;
    yield line;
  }
}

async function writeList(path: string, lines: AsyncIterable<string>): Promise<List> {
  await using file = await open(path, 'wx', 0o600);
  const sum = createHash('sha256');
  let size = 0;
  for await (const text of joinLines(lines)) {
    const bytes = Buffer.from(text);
    sum.update(bytes);
    size += bytes.length;
    await file.appendFile(bytes);
  }
  await file.sync();
  return { size, sha256: sum.digest('hex') };
}

// Writes the change log and the trash to a backup.

/**
 * `images` are the numbers of the images in the backup. What the trash has without a file is left out: it cannot be
 * restored, or was deleted after the backup began.
 */
async function* backUpHistory(
  log: ChangeLogReader,
  images: number[],
  pictures: PictureFiles,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const files = new Map<string, StoredFiles>();
  const trashed: number[] = [];
  for await (const batch of streamBatches(log.trash(), BATCH_SIZE)) {
    signal.throwIfAborted();
    await inParallel(batch, MAX_CONCURRENT_FILES, async ({ kind, image }) => {
      const stored = await pictures.add(image);
      if (!stored) return;
      files.set(image.key, stored);
      if (kind === 'image') trashed.push(image.number);
    });
  }
  yield* logLines(log, [...images, ...trashed], (image) => {
    const stored = files.get(image.key);
    return stored && formatImage(image, image, stored);
  });
}
