/** Restores a backup into an empty catalogue, all or nothing, or only verifies it. */

import { THUMBNAIL_TYPE, thumbnailKey } from '../catalogue/documents/document.ts';
import type { CatalogueSnapshot, CatalogueWriter } from '../catalogue/writer.ts';
import { saveDecisions } from '../import/apply/decisions.ts';
import { Saver } from '../import/apply/save.ts';
import { changeFiles, hashInKey } from '../import/files.ts';
import type { ImportListener } from '../import/listener.ts';
import type { NewRecordDefaults } from '../import/plan/existing.ts';
import type { Picture } from '../import/plan/image.ts';
import { noLooks } from '../import/plan/looks.ts';
import type { ImageWithPicture } from '../import/prepare/prepare.ts';
import type { DecisionLine } from '../import/records/lines.ts';
import { type Problem, Problems, RecordError } from '../import/records/problems.ts';
import type { EntryLine, ImageLine } from '../import/records/record.ts';
import { inParallel, streamBatches } from '../lib/concurrency.ts';
import { hashChunks } from '../lib/file-system.ts';
import type { Files, Upload } from '../media/files.ts';
import type { Stored } from './format.ts';
import {
  Keys,
  type Line,
  type LocatedLine,
  readBatches,
  readHistory,
  restoreHistory,
  type StoredImage,
} from './history.ts';
import type { Backup } from './read.ts';

export interface RestoreOptions {
  files: Files;
  openWriter(): Promise<CatalogueWriter>;
  openSnapshot(): Promise<CatalogueSnapshot>;
  /** Called before the commit. Keys have no effect without images. */
  addLinkKeys(keys: string[]): Promise<void>;
  defaults: NewRecordDefaults;
  onImage(): void;
  warn: (problem: string) => void;
  signal: AbortSignal;
}

/** The backup is damaged; nothing was restored. */
export class InvalidBackup extends Error {
  readonly problems: Problem[];
  constructor(problems: Problem[]) {
    super('the backup is damaged');
    this.problems = problems;
  }
}

export class NotEmpty extends Error {}

const MAX_CONCURRENT_PICTURES = 8;
const SOURCES_AT_ONCE = 1000;

/** A line that may have a picture. */
type Pictured = Line | LocatedLine;

const silent: ImportListener = {
  record() {},
  unchangedFile() {},
  continuedFile() {},
  unreadRemoved() {},
  withoutMarker() {},
  ratedAsFormer() {},
  unknownMarker() {},
  lowered() {},
  location() {},
  duplicate() {},
  thumbnail() {},
  albumProblem() {},
  hidden() {},
  removed() {},
  blocked() {},
  skipped() {},
};

export async function restoreBackup(backup: Backup, options: RestoreOptions): Promise<void> {
  const [tokens, linkKeys] = [await backup.tokens(), await backup.linkKeys()];
  const { catalogue } = backup.manifest;
  // All of it under the write lock, so that the catalogue stays empty and no command removes a stored file.
  const prepare = async () => true;
  await changeFiles({ ...options, isDryRun: false }, prepare, async (writer, upload) => {
    if (!(await isEmpty(options.openSnapshot)))
      throw new NotEmpty('the catalogue is not empty; restore into a new one');
    const problems = new Problems([], { stopsAt: 'any' });
    const listening = { report: silent, looks: noLooks };
    const saver = new Saver(writer, upload, options.defaults, problems, listening, async ({ label }) => {
      throw new Error(`the file of ${label} was removed while it was restored; restore again`);
    });
    const keys = new Keys();
    // The log says first which numbers the images in the trash have.
    await writer.changeLog.restore({ changes: [], items: [], trash: [] });
    for await (const batch of readHistory(backup, problems, keys, options.signal))
      await restoreHistory(writer.changeLog, batch, await storePictures(batch));
    for await (const batch of readBatches(backup, problems, keys, options.signal)) {
      const type = batch[0]?.record.type;
      if (type === 'image') await saver.saveImages(await withPictures(batch), () => {});
      else if (type === 'blocked' || type === 'removed')
        await saveDecisions(
          batch.map(({ record }) => record as DecisionLine),
          writer.decisions,
          options.defaults.now,
          silent,
        );
      else await saver.saveEntries(batch as (Line & { record: EntryLine })[]);
    }
    if (problems.count > 0) throw new InvalidBackup(problems.list());
    for await (const sources of streamBatches(backup.sources(), SOURCES_AT_ONCE)) {
      await writer.sourceFiles.restore(sources.filter((source) => 'path' in source));
      for (const source of sources)
        if ('choice' in source) await writer.sourceFiles.choose(source.folder, source.choice);
    }
    options.signal.throwIfAborted();
    await writer.restoreTokens(tokens);
    if (catalogue !== undefined) {
      await writer.identify(catalogue);
      await options.files.setOwner(catalogue);
    }
    // Keys are outside the transaction. If the commit fails, the next attempt finds them and leaves them as they are.
    await options.addLinkKeys(linkKeys);

    /** Undefined for a line without a picture, or with an invalid one. */
    async function storePictures(batch: Pictured[]): Promise<(Picture | undefined)[]> {
      const pictures: (Picture | undefined)[] = [];
      await inParallel(batch, MAX_CONCURRENT_PICTURES, async (line, index) => {
        options.signal.throwIfAborted();
        if (!line.stored) return;
        pictures[index] = await storePicture(backup, line, options.files, upload).catch((error) =>
          problems.add(line, error),
        );
        options.onImage();
      });
      return pictures;
    }

    async function withPictures(batch: Line[]): Promise<ImageWithPicture[]> {
      const pictures = await storePictures(batch);
      return (batch as (Line & { record: ImageLine })[]).flatMap((line, index) => {
        const picture = pictures[index];
        return picture ? [{ ...line, picture: { ...picture, hasLocation: false } }] : [];
      });
    }
  });
}

/** Lists what is wrong with the backup. */
export async function verifyBackup(
  backup: Backup,
  { onImage, signal }: Pick<RestoreOptions, 'onImage' | 'signal'>,
): Promise<Problem[]> {
  const problems = new Problems([], { stopsAt: 'any' });
  await backup.tokens();
  await backup.linkKeys();
  for await (const _file of backup.sources()) signal.throwIfAborted();
  const keys = new Keys();
  const verify = (batch: Pictured[]) =>
    inParallel(batch, MAX_CONCURRENT_PICTURES, async (line) => {
      signal.throwIfAborted();
      if (!line.stored) return;
      const { meta } = line.record as StoredImage;
      const { hash, thumbnails = [] } = line.stored;
      const files = [
        { hash, mimetype: meta.mimetype },
        ...thumbnails.map(({ hash }) => ({ hash, mimetype: THUMBNAIL_TYPE })),
      ];
      for (const { hash, mimetype } of files)
        await backup
          .usePicture({ hash }, mimetype, async () => {})
          .catch((error) => problems.add(line, error));
      onImage();
    });
  for await (const batch of readHistory(backup, problems, keys, signal)) await verify(batch);
  for await (const batch of readBatches(backup, problems, keys, signal)) await verify(batch);
  return problems.list();
}

async function storePicture(
  backup: Backup,
  { record, stored }: Pictured,
  files: Files,
  upload: Upload,
): Promise<Picture> {
  const { key, meta } = record as StoredImage;
  const { hash, eTag, perceptualHash, thumbHash, isAnimated, thumbnails = [] } = stored as Stored;
  const { dimens, ...facts } = meta;
  await requireNoOther(files, key, hash);
  const assigned = await backup.usePicture(stored as Stored, meta.mimetype, (bytes) =>
    upload.put(key, bytes, { hash, mimetype: meta.mimetype }),
  );
  // A folder serves the entity tag that a record gave. A bucket assigns its own.
  const served = assigned === hash ? eTag : assigned;
  const picture = { ...facts, ...dimens, key, hash: eTag, hashes: [eTag], eTag: served, perceptualHash };
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

async function isEmpty(openSnapshot: RestoreOptions['openSnapshot']): Promise<boolean> {
  await using snapshot = await openSnapshot();
  return await snapshot.isEmpty();
}
