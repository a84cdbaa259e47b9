/** Reads a backup, to restore it or only to verify it. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { TokenRecord } from '../access/tokens.ts';
import { THUMBNAIL_TYPE, thumbnailKey } from '../catalogue/documents/document.ts';
import type { Mimetype } from '../catalogue/schemas.ts';
import type { CatalogueSnapshot, CatalogueWriter, ChosenFolder, SourceFile } from '../catalogue/writer.ts';
import { hashInKey } from '../import/files.ts';
import { noLooks } from '../import/plan/looks.ts';
import type { ImportOptions } from '../import/prepare/prepare.ts';
import {
  lineText,
  MAX_LINE_BYTES,
  type Problem,
  Problems,
  RecordError,
  readLines,
  withSubject,
} from '../import/records/lines.ts';
import { runImport } from '../import/run.ts';
import { identifyFolder, openInside, readInside, sizeInside } from '../import/sources/files.ts';
import type { FilePicture, PendingRecord, Source } from '../import/sources/source.ts';
import { Budget, inParallel, streamBatches } from '../lib/concurrency.ts';
import { hashChunks } from '../lib/file-system.ts';
import { version } from '../lib/version.ts';
import type { Files, Upload } from '../media/files.ts';
import {
  fileName,
  type ListName,
  listNames,
  MANIFEST,
  MAX_MANIFEST_BYTES,
  MAX_PICTURE_BYTES,
  type Manifest,
  MIN_KEY_LENGTH,
  type ParsedLine,
  parseHistory,
  parseLine,
  parseManifest,
  parseSource,
  parseToken,
  type Stored,
  type StoredImage,
  type StoredThumbnail,
} from './format.ts';
import { findGeneration } from './generations.ts';

// Reads a backup. Nothing in it is trusted: every checksum is verified, and every file is inside its folder.

const MAX_TOKENS_BYTES = 256 * 1024 * 1024;
const MAX_KEYS_BYTES = 1024 * 1024;
/** Of pictures at the same time; a larger one is read alone. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;

/** Longer than those of the catalogue: an item has an entry before and after the change, and a folder may exclude much. */
const MAX_LONG_LINE_BYTES = 4 * 1024 * 1024;

/** A line that is not parsed yet. */
interface BackupLine<Parsed = ParsedLine> {
  label: string;
  size: number;
  /** Throws a `RecordError` if it is invalid. */
  parse(): Parsed;
}

const counted = {
  images: 'images',
  tokens: 'tokens',
  changes: 'changes',
  trash: 'images in the trash',
  sources: 'source files and folders',
};

export class Backup {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly #memory = new Budget(MAX_MEMORY_BYTES);

  private constructor(folder: string, manifest: Manifest) {
    this.folder = folder;
    this.manifest = manifest;
  }

  /** Verifies the checksums of all lists, but not of the pictures. `time` is that of a generation, or how it begins. */
  static async open(folder: string, time?: string): Promise<Backup> {
    const name = await findGeneration(folder, time);
    const text = await readInside(folder, name, MAX_MANIFEST_BYTES);
    const backup = new Backup(folder, parseManifest(text.toString()));
    for (const name of listNames) await backup.#verifyList(name);
    return backup;
  }

  /** The history first: the log says which numbers the images in the trash have. */
  async *lines(): AsyncGenerator<BackupLine, void> {
    yield* this.#parseLines('history.ndjson', MAX_LONG_LINE_BYTES, parseHistory);
    yield* this.#parseLines('catalogue.ndjson', MAX_LINE_BYTES, parseLine);
  }

  /** Throws a `RecordError` at one that is invalid. */
  async *sources(): AsyncGenerator<SourceFile | ChosenFolder, void> {
    let count = 0;
    const lines = this.#parseLines('sources.ndjson', MAX_LONG_LINE_BYTES, parseSource);
    for await (const { label, parse } of lines) {
      count++;
      yield withSubject(label, parse);
    }
    this.checkCount('sources', count);
  }

  async tokens(): Promise<TokenRecord[]> {
    const tokens = (await this.#readList('tokens.ndjson', MAX_TOKENS_BYTES)).map((line, index) =>
      withSubject(`${this.#pathOf('tokens.ndjson')}:${index + 1}`, () => parseToken(line)),
    );
    this.checkCount('tokens', tokens.length);
    return tokens;
  }

  async linkKeys(): Promise<string[]> {
    const keys = await this.#readList('link.keys', MAX_KEYS_BYTES);
    if (keys.some((key) => key.length < MIN_KEY_LENGTH))
      throw new RecordError(
        `${this.#pathOf('link.keys')}: has a key of less than ${MIN_KEY_LENGTH} characters`,
      );
    return keys;
  }

  /** Passes on the bytes of a picture. Throws a `RecordError` if they are missing or damaged. */
  async usePicture<T>(
    { hash: expected }: Pick<Stored, 'hash'>,
    mimetype: Mimetype,
    use: (bytes: Buffer) => Promise<T>,
  ): Promise<T> {
    const name = fileName(expected, mimetype);
    return this.#memory.spend(await sizeInside(this.folder, name), async () => {
      const bytes = await readInside(this.folder, name, MAX_PICTURE_BYTES);
      if (hash('sha256', bytes) !== expected)
        throw new RecordError(`${name}: is damaged; delete it and back up again`);
      return use(bytes);
    });
  }

  checkCount(name: keyof typeof counted, found: number): void {
    const named = this.manifest.counts[name];
    if (named !== found)
      throw new RecordError(`${MANIFEST}: names ${named} ${counted[name]}, but the backup has ${found}`);
  }

  async *#parseLines<Parsed>(
    name: ListName,
    maxBytes: number,
    parse: (text: string) => Parsed,
  ): AsyncGenerator<BackupLine<Parsed>, void> {
    const path = this.#pathOf(name);
    await using file = await openInside(this.folder, path);
    for await (const lines of readLines(file.createReadStream({ autoClose: false }), maxBytes))
      for (const { number, bytes } of lines)
        yield {
          label: `${path}:${number}`,
          size: bytes.length,
          parse: () => parse(lineText(bytes, maxBytes)),
        };
  }

  #pathOf(name: ListName): string {
    return `${this.manifest.folder}/${name}`;
  }

  async #readList(name: ListName, maxBytes: number): Promise<string[]> {
    const bytes = await readInside(this.folder, this.#pathOf(name), maxBytes);
    return bytes.toString().split('\n').filter(Boolean);
  }

  async #verifyList(name: ListName): Promise<void> {
    await using file = await openInside(this.folder, this.#pathOf(name));
    const sum = await hashChunks(file.createReadStream({ autoClose: false }));
    if (sum !== this.manifest.lists[name].sha256) throw new RecordError(`${this.#pathOf(name)}: is damaged`);
  }
}

// Restores a backup into an empty catalogue, all or nothing, or only verifies it. A backup is one more source of an import: one
// whose pictures need not be decoded, but are verified.

interface RestoreOptions
  extends Pick<ImportOptions, 'files' | 'defaults' | 'onProgress' | 'warn' | 'signal'> {
  openWriter(): Promise<CatalogueWriter>;
  openSnapshot(): Promise<CatalogueSnapshot>;
  /** Called before the commit. Keys have no effect without images. */
  addLinkKeys(keys: string[]): Promise<void>;
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
