/**
 * Continues imports: keeps what was read from the pictures of folders until the import commits. The next attempt takes it
 * from there, if neither the file nor the way to read it has changed.
 */
import { join } from 'node:path';
import { thumbnailKey } from '../../catalogue/documents/thumbnails.ts';
import { version } from '../../lib/version.ts';
import type { PreparedFile, PreparedFiles, Upload } from '../../media/files.ts';
import type { FilePicture } from '../files.ts';
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
