/** The folder of a backup: creates it, and keeps a second backup from writing to it at the same time. */
import { closeSync, openSync } from 'node:fs';
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder, PRIVATE_FOLDER } from '../lib/file-system.ts';
import { FILES, MANIFEST } from './format.ts';

const LOCK = '.lock';

/** Fails if the folder has something else in it. Disposing of the result lets others write to it. */
export async function lockFolder(folder: string): Promise<Disposable> {
  makeFolder(folder, PRIVATE_FOLDER);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.map(({ name }) => name);
  const isBackup = names.includes(LOCK) || names.includes(MANIFEST);
  if (names.length > 0 && !(isBackup && names.every(isKnown)))
    throw new Error(`${folder} is neither empty nor a backup; choose another folder`);
  // Through a link, a user with write access there could make us remove other files. A pipe would block us.
  const odd = entries.find((entry) => !entry.isFile() && !entry.isDirectory());
  if (odd) {
    const kind = odd.isSymbolicLink() ? 'a link' : 'not a file';
    throw new Error(`${join(folder, odd.name)} is ${kind}; choose another folder`);
  }
  // Only its owner can change the mode of a folder; what is ours in that of somebody else is private all the same.
  if (names.length === 0) await chmod(folder, PRIVATE_FOLDER).catch(() => {});
  const lock = takeLock(folder);
  makeFolder(join(folder, FILES), PRIVATE_FOLDER);
  return lock;
}

/** SQLite puts a journal next to the lock. */
const isKnown = (name: string) =>
  [FILES, MANIFEST, LOCK, `${LOCK}-journal`].includes(name) || isReplaceable(name);

/** The lists of a manifest, or its new version before it is renamed. */
export const isReplaceable = (name: string) => /^(lists-|manifest\.json\.)[0-9a-f-]{36}$/.test(name);

/** The system frees the lock of a database file when the process ends, however it ends. */
function takeLock(folder: string): Disposable {
  // SQLite would let others read it.
  closeSync(openSync(join(folder, LOCK), 'a', 0o600));
  const database = new DatabaseSync(join(folder, LOCK));
  try {
    database.exec('pragma busy_timeout = 0');
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (!/locked/.test((error as Error).message)) throw error;
    throw new Error(`another backup is writing to ${folder}; wait until it has finished`);
  }
  return { [Symbol.dispose]: () => database.close() };
}
