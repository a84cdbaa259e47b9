/** The files of pictures and thumbnails in a backup: adds those that are missing, and removes those that no image needs. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  originalKey,
  readDocument,
  readPreviews,
  THUMBNAIL_TYPE,
  thumbnailKey,
} from '../catalogue/documents/document.ts';
import type { Mimetype } from '../catalogue/schemas.ts';
import { type ImageRow, isLargePart } from '../catalogue/writer.ts';
import { hashInKey } from '../import/files.ts';
import { inParallel } from '../lib/concurrency.ts';
import {
  flush,
  hashFile,
  ifExists,
  makeFolder,
  PRIVATE_FOLDER,
  renameWithRetry,
} from '../lib/file-system.ts';
import type { Files } from '../media/files.ts';
import {
  FILES,
  fileName,
  MAX_PICTURE_BYTES,
  type Manifest,
  type Stored,
  type StoredThumbnail,
} from './format.ts';
import { type Generation, pictureHashes } from './generations.ts';

const TEMPORARY_PREFIX = '.part-';
const MAX_CONCURRENT_FLUSHES = 16;
const PRIVATE_FILE = 0o600;

/** What the line of an image says about its files. */
export type StoredFiles = Pick<Stored, 'hash' | 'thumbnails'>;

export class PictureFiles {
  readonly #folder: string;
  readonly #files: Files;
  readonly #former: Map<string, StoredThumbnail[]>;
  /** The hashes of all files that are kept. Some may be missing. */
  readonly needed = new Set<string>();
  /** Of all files of its images. */
  bytes = 0;
  readonly #written = new Set<string>();
  /** Those of them that were missing. */
  readonly #added = new Set<string>();

  /** `former` are the thumbnails of the backup before, by the hash of their picture. Reading all of them again takes long. */
  constructor(folder: string, files: Files, former: Map<string, StoredThumbnail[]>) {
    this.#folder = folder;
    this.#files = files;
    this.#former = former;
  }

  get added(): number {
    return this.#added.size;
  }

  /** Undefined if the storage does not have the picture. Thumbnails that it does not have are left out. */
  async add(image: ImageRow): Promise<StoredFiles | undefined> {
    const { key, mimetype, document } = image;
    const expected = hashInKey(key);
    const { size } = readDocument(document).meta;
    const hash =
      expected !== undefined && (await this.#has(expected, mimetype, size))
        ? expected
        : await this.#store(key, mimetype, expected);
    return hash === undefined ? undefined : { hash, ...(await this.#addThumbnails(image, hash)) };
  }

  async #addThumbnails(
    { key, document }: ImageRow,
    picture: string,
  ): Promise<{ thumbnails?: StoredThumbnail[] }> {
    const thumbnails: StoredThumbnail[] = [];
    for (const size of readPreviews(document)?.sizes ?? []) {
      const former = this.#former.get(picture)?.find((thumbnail) => thumbnail.size === size)?.hash;
      const isThere = former !== undefined && (await this.#has(former, THUMBNAIL_TYPE));
      const hash = isThere ? former : await this.#store(thumbnailKey(key, size), THUMBNAIL_TYPE);
      if (hash !== undefined) thumbnails.push({ size, hash });
    }
    return thumbnails.length > 0 ? { thumbnails } : {};
  }

  /** Whether the backup has the file. It is needed then. */
  async #has(hash: string, mimetype: Mimetype, size?: number): Promise<boolean> {
    const existing = await ifExists(lstat(join(this.#folder, fileName(hash, mimetype))));
    if (!existing?.isFile() || existing.size !== (size ?? existing.size)) return false;
    this.#count(hash, existing.size);
    return true;
  }

  /** Returns the hash of the bytes, or undefined if the storage does not have them. */
  async #store(key: string, mimetype: Mimetype, expected?: string): Promise<string | undefined> {
    const temporary = join(this.#folder, FILES, `${TEMPORARY_PREFIX}${randomUUID()}`);
    try {
      const isImmutable = expected !== undefined || originalKey(key) !== undefined;
      const hash = await this.#fetch(key, temporary, isImmutable);
      if (hash === undefined) return undefined;
      if (expected !== undefined && hash !== expected)
        throw new Error(`the file ${key} is damaged; "zukan check" lists all problems`);
      const path = join(this.#folder, fileName(hash, mimetype));
      if ((await ifExists(lstat(path))) === undefined) this.#added.add(path);
      makeFolder(dirname(path), PRIVATE_FOLDER);
      await renameWithRetry(temporary, path);
      this.#count(hash, (await lstat(path)).size);
      this.#written.add(path);
      return hash;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  #count(hash: string, size: number): void {
    if (!this.needed.has(hash)) this.bytes += size;
    this.needed.add(hash);
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
        if (hash === undefined || this.needed.has(hash)) continue;
        await rm(join(path, name), { force: true });
        removed++;
      }
    }
    return removed;
  }

  /** A hard link takes no space, but shares the bytes: only for files that are never changed in place. */
  async #fetch(key: string, path: string, isImmutable: boolean): Promise<string | undefined> {
    if (isImmutable && this.#files.link) {
      try {
        await this.#files.link(key, path);
        // A second name of a symbolic link would lead out of the backup.
        if ((await lstat(path)).isFile()) {
          // Also of the stored file, which is the same one.
          await chmod(path, PRIVATE_FILE);
          return await hashFile(path);
        }
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
    const target = createWriteStream(path, { mode: PRIVATE_FILE });
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

// Whether a backup would remove what only a lost or damaged catalogue can lack.

const CONFIRM = 'use --yes if this is right';

/** Why removing outdated generations may be a mistake. `manifest` and `pictures` are what stays. */
export async function findDoubt(
  folder: string,
  outdated: Generation[],
  { counts }: Manifest,
  pictures: PictureFiles,
): Promise<string | undefined> {
  for (const generation of outdated) {
    const { createdAt, tokens } = generation;
    // Revoked ones stay, so that there are never fewer.
    if (tokens > counts.tokens)
      return `the backup of ${createdAt} has ${tokens} of the tokens, and the catalogue has ${counts.tokens}; ${CONFIRM}`;
    const { dropped, total } = await countDropped(folder, generation, pictures);
    if (isLargePart(dropped, total))
      return `${dropped} of the ${total} pictures in the backup of ${createdAt} are gone, more than a tenth; ${CONFIRM}`;
  }
  return undefined;
}

async function countDropped(folder: string, generation: Generation, pictures: PictureFiles) {
  let [dropped, total] = [0, 0];
  try {
    for await (const hash of pictureHashes(folder, generation)) {
      total++;
      if (!pictures.needed.has(hash)) dropped++;
    }
  } catch {
    // The generation is damaged. What can be read counts.
  }
  return { dropped, total };
}
