/**
 * Continues imports: keeps what was read from the pictures of folders until the import commits. The next attempt takes it
 * from there, if neither the file nor the way to read it has changed.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thumbnailKey } from '../../catalogue/documents/document.ts';
import { version } from '../../lib/version.ts';
import type { PreparedFile, PreparedFiles, Upload } from '../../media/files.ts';
import type { FilePicture } from '../files.ts';
import { readLines } from '../records/lines.ts';
import type { FoundFile } from '../sources/source.ts';

/** A killed import loses about this many pictures. */
const BATCH_SIZE = 50;
const SQLITE_FULL = 13;

export class PreparedPictures {
  readonly #list: PreparedFiles;
  readonly #upload: Upload;
  readonly #options: { isDryRun: boolean; isFull: boolean };
  #waiting: PreparedFile[] = [];
  #saving = Promise.resolve();
  #folders: readonly string[] = [];

  /** A full import reads everything again, and a dry run keeps nothing. */
  constructor(list: PreparedFiles, upload: Upload, options: { isDryRun: boolean; isFull: boolean }) {
    this.#list = list;
    this.#upload = upload;
    this.#options = options;
  }

  /** The pictures of an earlier attempt. Their files belong to this one from now on, also those that turn out to be outdated. */
  async find(files: FoundFile[]): Promise<Map<FoundFile, FilePicture>> {
    const found = new Map<FoundFile, FilePicture>();
    if (this.#options.isDryRun) return found;
    const listed = new Map(
      this.#try(() => this.#list.find(files.map(pathOf)), []).map((row) => [row.path, row]),
    );
    if (listed.size === 0) return found;
    const lost = new Set(await this.#upload.takeOver([...listed.values()].flatMap(({ keys }) => keys)));
    for (const file of files) {
      const row = listed.get(pathOf(file));
      const isUsable = row?.fingerprint === fingerprintOf(file) && !row.keys.some((key) => lost.has(key));
      const picture = isUsable ? this.#try(() => JSON.parse(row.facts), undefined) : undefined;
      if (picture) found.set(file, picture);
    }
    return this.#options.isFull ? new Map() : found;
  }

  async add(file: FoundFile, picture: FilePicture): Promise<void> {
    // It may change without its fingerprint.
    if (file.fingerprint === '' || this.#options.isDryRun) return;
    this.#waiting.push({
      path: pathOf(file),
      fingerprint: fingerprintOf(file),
      keys: keysOf(picture),
      hashes: picture.hashes,
      facts: JSON.stringify(picture),
    });
    if (this.#waiting.length >= BATCH_SIZE) await this.#save();
  }

  /** Keeps everything for the next attempt, if the import failed. On a full disk, the space is more important. */
  async keep(error: unknown): Promise<void> {
    const { code = '', errcode } = error as { code?: string; errcode?: number };
    if (!['ENOSPC', 'EDQUOT'].includes(code) && errcode !== SQLITE_FULL) return this.#save();
    await this.#saving;
    this.#try(() => this.#list.forget(this.#upload.newKeys()), undefined);
  }

  /** One after the other: pictures that are added meanwhile wait for the next time. Never fails. */
  #save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      const rows = this.#waiting;
      this.#waiting = [];
      if (rows.length === 0) return;
      try {
        // They must not be listed if a power failure can still lose them.
        await this.#upload.flush();
        this.#list.save(rows);
      } catch {
        // What fails here, fails the import later, or is done again by the next one.
      }
    });
    return this.#saving;
  }

  /** What was kept below the folders of this import, and what it does not use, becomes unused with its commit. */
  async release(folders: readonly string[]): Promise<void> {
    if (this.#options.isDryRun) return;
    this.#folders = folders;
    const used = new Set(this.#upload.newKeys());
    const kept = this.#folders.flatMap((folder) => this.#try(() => this.#list.keysBelow(folder), []));
    await this.#upload.release(kept.filter((key) => !used.has(key)));
  }

  /** After the commit. */
  forget(): void {
    for (const folder of this.#folders) this.#try(() => this.#list.forgetBelow(folder), undefined);
  }

  /** The list is not worth a failure. */
  #try<T>(work: () => T, otherwise: T): T {
    try {
      return work();
    } catch {
      return otherwise;
    }
  }
}

const pathOf = ({ folder, path }: FoundFile) => join(folder, path);

/** Another version may read something else, or need to know more. */
const fingerprintOf = ({ fingerprint }: FoundFile) => `${version} ${fingerprint}`;

function keysOf({ key, previews }: FilePicture): PreparedFile['keys'] {
  return [key, ...(previews?.sizes ?? []).map((size) => thumbnailKey(key, size))];
}

// A queue of records between the two phases of an import: in memory while it is short, else in a temporary file.

const MAX_LENGTH_IN_MEMORY = 4 * 1024 * 1024;

export class Spool<T> implements AsyncDisposable {
  #lines: string[] = [];
  #length = 0;
  #file: FileHandle | undefined;
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  async add(items: T[]): Promise<void> {
    for (const item of items) {
      const line = JSON.stringify(item);
      this.#lines.push(line);
      this.#length += line.length;
      this.#count++;
      if (this.#length > MAX_LENGTH_IN_MEMORY) await this.#write();
    }
  }

  /** In the order in which they were added, some at a time. `size` is the length of an item's JSON. */
  async *items(): AsyncGenerator<{ item: T; size: number }[], void> {
    if (this.#file) {
      const stream = this.#file.createReadStream({ start: 0, autoClose: false });
      for await (const lines of readLines(stream, Number.POSITIVE_INFINITY))
        yield lines.map(({ bytes }) => ({ item: JSON.parse(bytes.toString()), size: bytes.length }));
    }
    yield this.#lines.map((line) => ({ item: JSON.parse(line), size: line.length }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }

  async #write(): Promise<void> {
    try {
      this.#file ??= await openTemporaryFile();
      await this.#file.appendFile(`${this.#lines.join('\n')}\n`);
    } catch (error) {
      const advice = 'set TMPDIR to a folder on a disk with more room';
      throw new Error(`cannot write a temporary file: ${(error as Error).message}; ${advice}`);
    }
    this.#lines = [];
    this.#length = 0;
  }
}

/** The name is removed at once, so that nothing is left behind even if the process is killed. */
async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `zukan-${randomUUID()}`);
  const file = await open(path, 'ax+', 0o600);
  await rm(path);
  return file;
}
