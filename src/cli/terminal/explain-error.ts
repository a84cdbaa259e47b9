/** Explains errors of the operating system and of SQLite: which path is affected, and what to do about it. */
import type { Config } from '../../config/config.ts';

type SystemError = Error & { code?: string; path?: string; errcode?: number };

const permission = (path: string) => {
  const user = process.getuid?.();
  const who = user === undefined ? 'this user' : `the user with the id ${user}`;
  return `no permission for ${path}; let ${who} read and write there, or run zukan as its owner`;
};

const explanations: Record<string, (path: string) => string> = {
  ENOSPC: (path) => `no space left on the disk of ${path}; free some, then try again`,
  EDQUOT: (path) => `the disk quota for ${path} is used up; free some space, then try again`,
  EACCES: permission,
  EPERM: permission,
  EROFS: (path) => `${path} is read-only; make it writable or choose another place`,
  ENOTDIR: (path) => `${path} cannot exist, because a part of this path is not a folder`,
  EEXIST: (path) => `${path} exists, but is not a folder`,
};

/** The primary result codes of SQLite that an operator can do something about. Its errors name no path. */
const sqliteCodes: Record<number, string> = { 3: 'EACCES', 8: 'EROFS', 13: 'ENOSPC' };
const SQLITE_CANTOPEN = 14;

export function explainError(error: SystemError, config: Config): string {
  const { code = '', path, errcode, message } = error;
  // A failed write names no path. Most are of image files; the database is on the same disk unless configured otherwise.
  if (errcode === undefined) return explanations[code]?.(path ?? filesPath(config)) ?? message;
  const database = config.database.engine === 'sqlite' ? config.database.path : config.dataDir;
  // The rest of an extended code says where in SQLite it happened.
  const primary = errcode & 0xff;
  if (primary === SQLITE_CANTOPEN)
    return `cannot open ${database}; make sure that its folder can be read and written`;
  return explanations[sqliteCodes[primary] ?? '']?.(database) ?? `${database}: ${message}`;
}

function filesPath({ storage, dataDir }: Config): string {
  return storage.engine === 'folder' ? storage.path : dataDir;
}
