/** Compares the images of the catalogue with the stored files, while other commands may change both. */
import { availableParallelism } from 'node:os';
import { describeTrashed } from '../../catalogue/documents/check-log.ts';
import { readDocument } from '../../catalogue/documents/document.ts';
import { fileKeys, originalKey } from '../../catalogue/documents/thumbnails.ts';
import type { ImageRow } from '../../catalogue/writer.ts';
import type { Config } from '../../config/config.ts';
import { hashChunks } from '../../lib/file-system.ts';
import { inParallel } from '../../lib/parallel.ts';
import type { Files } from '../../media/files.ts';
import { openSnapshot } from '../../server/engines.ts';

export interface FileReport {
  /** What is wrong with the files of images, as sentences. */
  problems: string[];
  /** The ids of images whose file is fine, but not all recorded thumbnails exist. */
  lackThumbnails: string[];
  /** The keys of files that no image uses, and how many pictures are stored. */
  unused: string[];
  pictures: number;
  /** How many files no image uses yet: an import on another machine may be storing them. */
  recent: number;
}

interface Suspects {
  images: string[];
  /** The ids of images in the trash, or with a former file there. */
  trash: string[];
  keys: string[];
  pictures: number;
}

export async function checkFiles(
  config: Config,
  files: Files,
  onImage: (size: number) => void,
): Promise<FileReport> {
  const suspects = await findSuspects(config, files, onImage);
  return confirm(config, files, suspects);
}

async function findSuspects(
  config: Config,
  files: Files,
  onImage: (size: number) => void,
): Promise<Suspects> {
  const suspects: Suspects = { images: [], trash: [], keys: [], pictures: 0 };
  /** The keys that images use, until they are found in the storage, and the id of an image. */
  const used = new Map<string, string>();
  /** Images that record no thumbnails. Those in the storage are theirs nevertheless: `zukan thumbnails` records them. */
  const withoutRecord = new Set<string>();
  await using snapshot = await openSnapshot(config);
  await inParallel(snapshot.images(), availableParallelism(), async (image) => {
    if (await findProblem(files, image)) suspects.images.push(image.id);
    const keys = fileKeys(image);
    for (const key of keys) used.set(key, image.id);
    if (keys.length === 1) withoutRecord.add(image.key);
    onImage(1);
  });
  const trashed = new Set<string>();
  await inParallel(snapshot.changeLog.trash(), availableParallelism(), async ({ image }) => {
    if (await findProblem(files, image)) suspects.trash.push(image.id);
    for (const key of fileKeys(image)) trashed.add(key);
    onImage(1);
  });
  for await (const key of files.keys()) {
    if (originalKey(key) === undefined) suspects.pictures++;
    if (!used.delete(key) && !trashed.has(key) && !withoutRecord.has(originalKey(key) ?? ''))
      suspects.keys.push(key);
  }
  // There may be more of them than a call takes arguments.
  return { ...suspects, images: suspects.images.concat([...used.values()]) };
}

/** Looks suspects up again: the catalogue may have changed after the first snapshot, and the files with it. */
async function confirm(
  config: Config,
  files: Files,
  { images, trash, keys, pictures }: Suspects,
): Promise<FileReport> {
  // Journals come first. If a command finishes after that, the snapshot contains its commit.
  const journaled = new Set(await files.journaledKeys());
  await using snapshot = await openSnapshot(config);
  const report: FileReport = { problems: [], lackThumbnails: [], unused: [], pictures, recent: 0 };
  const rows = await snapshot.imagesById([...new Set(images)]);
  await inParallel(rows, availableParallelism(), async (image) => {
    const problem = await findProblem(files, image);
    if (problem) report.problems.push(`image ${image.id}: ${problem}`);
    else if (await lacksThumbnails(files, image)) report.lackThumbnails.push(image.id);
  });
  for (const { kind, image } of await snapshot.changeLog.trashed([...new Set(trash)])) {
    const problem = await findProblem(files, image);
    if (problem) report.problems.push(`${describeTrashed(kind, image.id)}: ${problem}`);
  }
  const prepared = files.prepared.listed(keys);
  const unused = await snapshot.unusedKeys(keys.filter((key) => !journaled.has(key) && !prepared.has(key)));
  await inParallel(unused, availableParallelism(), async (key) => {
    await using file = await openDisposable(files, key);
    if (file?.isRecent) report.recent++;
    else if (file) report.unused.push(key);
  });
  return report;
}

/** What is wrong with the file of an image, or undefined. */
async function findProblem(
  files: Files,
  { key, eTag: hash, document }: ImageRow,
): Promise<string | undefined> {
  await using file = await openDisposable(files, key);
  if (!file) return `the file ${key} is missing`;
  const meta = readMeta(document);
  if (!meta) return undefined;
  const { size, eTag } = meta;
  if (file.size !== size) return `the file ${key} has ${file.size} bytes instead of ${size}`;
  // Storage with its own entity tags verifies its bytes itself.
  if (file.eTag !== undefined)
    return file.eTag === eTag
      ? undefined
      : `the file ${key} has the entity tag ${file.eTag} instead of ${eTag}`;
  // Only files that are named by their hash can be verified.
  const isHashed = key.includes(hash) && /^[0-9a-f]{64}$/.test(hash);
  if (!isHashed || size === 0) return undefined;
  const actual = await hashChunks(file.stream(0, size - 1));
  return actual === hash ? undefined : `the file ${key} is damaged: its checksum is wrong`;
}

async function lacksThumbnails(files: Files, image: ImageRow): Promise<boolean> {
  for (const key of fileKeys(image)) {
    await using file = await openDisposable(files, key);
    if (!file) return true;
  }
  return false;
}

async function openDisposable(files: Files, key: string) {
  const file = await files.open(key);
  return file && { ...file, [Symbol.asyncDispose]: () => file.close() };
}

/** Undefined for an unreadable document, which `checkCatalogue` reports. */
function readMeta(document: string): { size: number; eTag: string } | undefined {
  try {
    return readDocument(document).meta;
  } catch {
    return undefined;
  }
}
