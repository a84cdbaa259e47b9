/** The files of pictures in a backup: adds those that are missing, and removes those that no image needs. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readDocument } from '../catalogue/documents/document.ts';
import { hashInKey } from '../import/prepare/store-picture.ts';
import { hashFile, makeFolder } from '../lib/file-system.ts';
import { inParallel } from '../lib/parallel.ts';
import type { Files } from '../media/files.ts';
import { flush, ifExists } from '../media/journal.ts';
import type { ImageRow } from '../store/contract/writer.ts';
import { FILES, fileName, MAX_PICTURE_BYTES } from './format.ts';

const TEMPORARY_PREFIX = '.part-';
const MAX_CONCURRENT_FLUSHES = 16;

export class PictureFiles {
  readonly #folder: string;
  readonly #files: Files;
  /** The hashes of all files that are needed. */
  readonly #needed = new Set<string>();
  readonly #written = new Set<string>();
  /** Those of them that were missing. */
  readonly #added = new Set<string>();

  constructor(folder: string, files: Files) {
    this.#folder = folder;
    this.#files = files;
  }

  get added(): number {
    return this.#added.size;
  }

  /** Keeps a file, which may be missing. */
  need(hash: string): void {
    this.#needed.add(hash);
  }

  /** Returns the hash of the bytes, or undefined if the storage does not have them. */
  async add({ key, mimetype, document }: ImageRow): Promise<string | undefined> {
    const expected = hashInKey(key);
    if (expected !== undefined) {
      const name = fileName(expected, mimetype);
      const existing = await ifExists(lstat(join(this.#folder, name)));
      if (existing?.isFile() && existing.size === readDocument(document).meta.size) {
        this.#needed.add(expected);
        return expected;
      }
    }
    const temporary = join(this.#folder, FILES, `${TEMPORARY_PREFIX}${randomUUID()}`);
    try {
      const hash = await this.#fetch(key, temporary, expected !== undefined);
      if (hash === undefined) return undefined;
      if (expected !== undefined && hash !== expected)
        throw new Error(`the file ${key} is damaged; "zukan check" lists all problems`);
      const name = fileName(hash, mimetype);
      const path = join(this.#folder, name);
      if ((await ifExists(lstat(path))) === undefined) this.#added.add(path);
      makeFolder(dirname(path));
      await rename(temporary, path);
      this.#needed.add(hash);
      this.#written.add(path);
      return hash;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Makes the new files survive a power failure. */
  async flush(): Promise<void> {
    const folders = new Set([...this.#written].map(dirname));
    const paths = [...this.#written, ...folders, join(this.#folder, FILES)];
    await inParallel(paths, MAX_CONCURRENT_FLUSHES, flush);
  }

  /** Returns how many were removed. What no backup has written stays. */
  async removeUnneeded(): Promise<number> {
    let removed = 0;
    for (const entry of await readdir(join(this.#folder, FILES), { withFileTypes: true })) {
      const path = join(this.#folder, FILES, entry.name);
      if (entry.name.startsWith(TEMPORARY_PREFIX)) await rm(path, { force: true });
      if (!entry.isDirectory()) continue;
      for (const name of await readdir(path)) {
        const hash = hashInKey(`${entry.name}/${name}`);
        if (hash === undefined || this.#needed.has(hash)) continue;
        await rm(join(path, name), { force: true });
        removed++;
      }
    }
    return removed;
  }

  /** A hard link takes no space, but shares the bytes: only for files that are never changed, which imports have named. */
  async #fetch(key: string, path: string, isImmutable: boolean): Promise<string | undefined> {
    if (isImmutable && this.#files.link) {
      try {
        await this.#files.link(key, path);
        // A second name of a symbolic link would lead out of the backup.
        if ((await lstat(path)).isFile()) return await hashFile(path);
      } catch {
        // Another file system, one without hard links, or the file of another user. A copy says what else is wrong.
      }
      await rm(path, { force: true });
    }
    return this.#copy(key, path);
  }

  async #copy(key: string, path: string): Promise<string | undefined> {
    const file = await this.#files.open(key);
    if (!file) return undefined;
    if (file.size > MAX_PICTURE_BYTES) {
      await file.close();
      throw new Error(`the file ${key} is larger than ${MAX_PICTURE_BYTES / 2 ** 20} MiB`);
    }
    const sum = createHash('sha256');
    const target = createWriteStream(path, { mode: 0o600 });
    try {
      if (file.size === 0) {
        await file.close();
        target.end();
      } else
        await pipeline(
          file.stream(0, file.size - 1),
          async function* (chunks: AsyncIterable<Buffer>) {
            for await (const chunk of chunks) {
              sum.update(chunk);
              yield chunk;
            }
          },
          target,
        );
      return sum.digest('hex');
    } catch (error) {
      // A bucket can lose the file between the two requests.
      const again = await this.#files.open(key);
      await again?.close();
      if (again) throw error;
      return undefined;
    }
  }
}
