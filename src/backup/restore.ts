/**
 * Restores a backup into an empty catalogue, all or nothing, or only verifies it. A backup is one more source of an import: one
 * whose pictures need not be decoded, but are verified.
 */

import { join } from 'node:path';
import { THUMBNAIL_TYPE, thumbnailKey } from '../catalogue/documents/document.ts';
import type { CatalogueSnapshot, CatalogueWriter } from '../catalogue/writer.ts';
import { hashInKey } from '../import/files.ts';
import type { NewRecordDefaults } from '../import/plan/existing.ts';
import { noLooks } from '../import/plan/looks.ts';
import { type Problem, Problems, RecordError } from '../import/records/problems.ts';
import { runImport } from '../import/run.ts';
import { identifyFolder } from '../import/sources/files.ts';
import type { FilePicture, PendingRecord, Source } from '../import/sources/source.ts';
import { inParallel, streamBatches } from '../lib/concurrency.ts';
import { hashChunks } from '../lib/file-system.ts';
import { version } from '../lib/version.ts';
import type { Files, Upload } from '../media/files.ts';
import { MANIFEST, type ParsedLine, type Stored, type StoredImage, type StoredThumbnail } from './format.ts';
import type { Backup } from './read.ts';

export interface RestoreOptions {
  files: Files;
  openWriter(): Promise<CatalogueWriter>;
  openSnapshot(): Promise<CatalogueSnapshot>;
  /** Called before the commit. Keys have no effect without images. */
  addLinkKeys(keys: string[]): Promise<void>;
  defaults: () => NewRecordDefaults;
  /** Called with the length of each line that is done. */
  onProgress(size: number): void;
  warn: (problem: string) => void;
  signal: AbortSignal;
}

const MAX_CONCURRENT_PICTURES = 8;
const SOURCES_AT_ONCE = 1000;

/** Throws `InvalidRecords` if the backup is damaged. */
export async function restoreBackup(backup: Backup, options: RestoreOptions): Promise<void> {
  const { files, openWriter, openSnapshot, signal } = options;
  const [tokens, linkKeys] = [await backup.tokens(), await backup.linkKeys()];
  const folder = await identifyFolder(backup.folder);
  await runImport([backupSource(backup, folder, files)], openWriter, {
    ...options,
    ...{ isDryRun: false, isFull: false, listsAll: false, stopsAt: 'any', run: { source: '' } },
    ...{ concurrency: MAX_CONCURRENT_PICTURES, keepsLocation: true, thumbnailSizes: [] },
    ...{ looks: noLooks, choices: [], albumFolders: [] },
    report: { record() {}, unchanged() {}, note() {} },
    onLock: () => requireEmpty(openSnapshot),
    async beforeCommit(writer) {
      for await (const sources of streamBatches(backup.sources(), SOURCES_AT_ONCE)) {
        await writer.sourceFiles.restore(sources.filter((source) => 'path' in source));
        for (const source of sources)
          if ('choice' in source) await writer.sourceFiles.choose(source.folder, source.choice);
      }
      signal.throwIfAborted();
      await writer.restoreTokens(tokens);
      if (backup.manifest.catalogue !== undefined) await writer.identify(backup.manifest.catalogue);
      // Keys are outside the transaction. If the commit fails, the next attempt finds them and leaves them as they are.
      await options.addLinkKeys(linkKeys);
    },
  });
}

/** Lists what is wrong with the backup. */
export async function verifyBackup(
  backup: Backup,
  { onProgress, signal }: Pick<RestoreOptions, 'onProgress' | 'signal'>,
): Promise<Problem[]> {
  const problems = new Problems([], { stopsAt: 'any' });
  await backup.tokens();
  await backup.linkKeys();
  for await (const _file of backup.sources()) signal.throwIfAborted();
  const parsed = async function* () {
    for await (const line of lines(backup)) {
      if (problems.isFull) return;
      yield { line, record: problems.attempt({ ...line, source: 0 }, line.parse) };
    }
  };
  await inParallel(parsed(), MAX_CONCURRENT_PICTURES, async ({ line, record }) => {
    signal.throwIfAborted();
    if (record?.stored) {
      const { hash, thumbnails = [] } = record.stored;
      const original = { hash, mimetype: imageOf(record).meta.mimetype };
      for (const { hash, mimetype } of [original, ...thumbnails.map(toThumbnail)])
        await backup
          .usePicture({ hash }, mimetype, async () => {})
          .catch((error) => problems.add({ ...line, source: 0 }, error));
    }
    onProgress(line.size);
  });
  return problems.list();
}

const toThumbnail = ({ hash }: StoredThumbnail) => ({ hash, mimetype: THUMBNAIL_TYPE });

const imageOf = (line: ParsedLine) => (line.type === 'trash' ? line.image : line) as StoredImage;

function backupSource(backup: Backup, folder: string, files: Files): Source {
  return {
    folder,
    isFolder: false,
    async *records() {
      const { images, trash } = backup.manifest.counts;
      yield [{ position: 0, label: MANIFEST, size: 0, parse: () => ({ type: 'history', images, trash }) }];
      for await (const line of lines(backup)) yield [line];
    },
    pictureOf(record: ParsedLine) {
      const { stored } = record;
      if (!stored) return undefined;
      const image = imageOf(record);
      return {
        path: join(folder, image.key),
        fingerprint: JSON.stringify([version, stored, image.meta]),
        store: (upload) => storePicture(backup, image, stored, files, upload),
      };
    },
  };
}

/** The lines of the history and of the catalogue, of which each has to be parsed before the last one is done. */
async function* lines(backup: Backup): AsyncGenerator<PendingRecord & { parse(): ParsedLine }, void> {
  const { counts } = backup.manifest;
  const found = { images: 0, trash: 0, changes: 0 };
  /** Of the keys that no import has chosen: nothing else keeps two images from having different files with the same key. */
  const hashes = new Map<string, string>();
  let [position, invalid] = [0, 0];
  for await (const line of backup.lines()) {
    position++;
    invalid++;
    const parse = () => {
      const record = line.parse();
      if (record.type === 'trash' && record.number > counts.images + counts.trash)
        throw new RecordError('number: is higher than that of any image');
      if (record.stored) {
        const { key } = imageOf(record);
        const { hash } = record.stored;
        if (hashInKey(key) === undefined && (hashes.get(key) ?? hash) !== hash)
          throw new RecordError('key: another image has a different file with this key');
        if (hashInKey(key) === undefined) hashes.set(key, hash);
      }
      if (record.type === 'image') found.images++;
      else if (record.type === 'trash') found.trash++;
      else if (record.type === 'change') found.changes++;
      invalid--;
      return record;
    };
    yield { ...line, position, parse };
  }
  if (invalid > 0) return;
  for (const name of ['images', 'trash', 'changes'] as const) backup.checkCount(name, found[name]);
}

async function storePicture(
  backup: Backup,
  { key, meta }: StoredImage,
  stored: Stored,
  files: Files,
  upload: Upload,
): Promise<FilePicture> {
  const { hash, eTag, perceptualHash, thumbHash, isAnimated, thumbnails = [] } = stored;
  const { dimens, ...facts } = meta;
  await requireNoOther(files, key, hash);
  const assigned = await backup.usePicture(stored, meta.mimetype, (bytes) =>
    upload.put(key, bytes, { hash, mimetype: meta.mimetype }),
  );
  // A folder serves the entity tag that a record gave. A bucket assigns its own.
  const served = assigned === hash ? eTag : assigned;
  const known = { ...facts, ...dimens, key, hash: eTag, hashes: [eTag], eTag: served, perceptualHash };
  const picture = { ...known, hasLocation: false };
  if (thumbHash === undefined) return picture;
  const sizes: number[] = [];
  for (const { size, hash } of thumbnails)
    if (await storeThumbnail(backup, hash, thumbnailKey(key, size), upload)) sizes.push(size);
  return { ...picture, previews: { sizes, thumbHash, ...(isAnimated !== undefined && { isAnimated }) } };
}

/** Returns false if it is damaged or missing. It can be made again, so that is no reason to restore nothing. */
async function storeThumbnail(backup: Backup, hash: string, key: string, upload: Upload): Promise<boolean> {
  const mimetype = THUMBNAIL_TYPE;
  try {
    await backup.usePicture({ hash }, mimetype, (bytes) => upload.put(key, bytes, { hash, mimetype }));
    return true;
  } catch (error) {
    if (error instanceof RecordError) return false;
    throw error;
  }
}

/** A file that no import has named belongs to somebody else, and may be the only copy. */
async function requireNoOther(files: Files, key: string, hash: string): Promise<void> {
  const file = hashInKey(key) === undefined ? await files.open(key) : undefined;
  if (!file) return;
  if (file.size === 0) await file.close();
  if ((await hashChunks(file.size === 0 ? [] : file.stream(0, file.size - 1))) !== hash)
    throw new RecordError(`${key}: the storage has a different file with this name; move it away`);
}

export async function requireEmpty(openSnapshot: RestoreOptions['openSnapshot']): Promise<void> {
  await using snapshot = await openSnapshot();
  if (!(await snapshot.isEmpty()))
    throw new RecordError('the catalogue is not empty; restore into a new one');
}
