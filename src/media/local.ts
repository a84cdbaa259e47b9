/** Image files in a local folder. The key is the path. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  access,
  constants,
  type FileHandle,
  glob,
  link,
  open,
  opendir,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { inParallel } from '../lib/concurrency.ts';
import { flush, hashFile, ifExists, makeFolder, portablePath, replaceFile } from '../lib/file-system.ts';
import { type Files, type OpenFile, OWNER_KEY, type Upload } from './files.ts';
import { dryRunUpload, openJournals, startJournal, TEMPORARY_PREFIX, trackKeys } from './journal.ts';
import { openStaging } from './staging.ts';

const MAX_CONCURRENT_FLUSHES = 16;

/** Hidden files in the folder are the owner, journals, temporary files and the staging table. */
export function openFolder(
  folder: string,
  clock: Clock = Date.now,
  platform: NodeJS.Platform = process.platform,
): Files {
  const staging = openStaging(join(folder, '.prepared.db'), clock);
  const replace = async (key: string, bytes: Uint8Array): Promise<void> => {
    const path = join(folder, key);
    makeFolder(dirname(path));
    const temporary = join(folder, `${TEMPORARY_PREFIX}${randomUUID()}`);
    await replaceFile(path, temporary, (target, flush) => writeFile(target, bytes, { flush }));
  };
  return {
    staging,

    async open(key: string): Promise<OpenFile | undefined> {
      const handle = await openIfExists(join(folder, key));
      if (!handle) return undefined;
      const facts = await handle.stat();
      if (!facts.isFile()) {
        await handle.close();
        return undefined;
      }
      return {
        size: facts.size,
        stream: (start, end) => handle.createReadStream({ start, end }),
        close: () => handle.close(),
      };
    },

    async verify(): Promise<void> {
      await access(folder, constants.R_OK | constants.X_OK);
      await using entries = await opendir(folder);
      // A disk that is not mounted leaves an empty folder.
      if ((await entries.read()) === null) throw new Error(`${folder} is empty`);
    },

    async remove(keys: string[]): Promise<void> {
      const paths = keys.map((key) => join(folder, key));
      for (const path of paths) await rm(path, { force: true });
      for (const parent of new Set(paths.map(dirname))) await ifExists(flush(parent));
      staging.forget(keys);
    },

    async *keys(): AsyncGenerator<string, void> {
      for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
        if (entry.isFile() && !entry.name.startsWith('.')) yield path.split(sep).join('/');
      }
    },

    restore: replace,
    async owner() {
      await using file = await openIfExists(join(folder, OWNER_KEY));
      return (await file?.readFile('utf8'))?.trim() || undefined;
    },
    setOwner: (identity) => replace(OWNER_KEY, Buffer.from(`${identity}\n`)),
    link: (key, path) => link(join(folder, key), path),
    beginUpload: () => beginUpload(folder, platform),
    dryRunUpload: () => dryRunUpload(async (_key, _bytes, { hash }) => hash),
    ...openJournals(folder, staging),
  };
}

async function beginUpload(folder: string, platform: NodeJS.Platform): Promise<Upload> {
  const { addNew, takeOver, ...tracked } = trackKeys(await startJournal(folder));
  const written = new Set<string>();
  // All of them, because this is cheaper than it is to know which ones another command can have removed.
  const findLost = async (keys: string[]) => keys.filter((key) => !existsSync(join(folder, key)));
  return {
    ...tracked,

    async put(key, bytes, { hash }) {
      // The key of a restored image may come from a bucket, or from another system.
      if (platform === 'win32' && portablePath(key) !== key)
        throw new Error(`${key}: Windows has no files of this name; restore into a bucket, or elsewhere`);
      const path = join(folder, key);
      const before = await stat(path).catch(() => undefined);
      // The size comes first: it is cheaper to read, and bytes can also be damaged without changing it.
      if (before?.size === bytes.length && (await hashFile(path)) === hash) return hash;
      if (before === undefined) await addNew(key);
      makeFolder(dirname(path));
      const temporary = join(folder, `${TEMPORARY_PREFIX}${tracked.id}-${randomUUID()}`);
      await replaceFile(path, temporary, (target) => writeFile(target, bytes));
      written.add(path);
      return hash;
    },

    async takeOver(keys) {
      await takeOver(keys);
      return findLost(keys);
    },

    async flush() {
      // Many at once and once per folder: flushing each file as it is stored is much slower.
      const paths = [...written];
      const folders = new Set(paths.map(dirname));
      await inParallel([...paths, ...folders, folder], MAX_CONCURRENT_FLUSHES, flush);
      for (const path of paths) written.delete(path);
    },

    findLost,
  };
}

/** The file does not exist, or cannot exist: a parent is a file, or the name is too long. */
const notFoundCodes = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (notFoundCodes.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
