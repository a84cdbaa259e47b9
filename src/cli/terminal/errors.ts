/** How commands fail: their errors, interrupts, and explanations of errors of the system. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../config/config.ts';
import { isFull, measureDisks } from '../../lib/disk-space.ts';
import { printable } from './text.ts';

/** A command failed. The message is for the person who ran it, and safe to print. */
export class CommandError extends Error {
  constructor(...lines: string[]) {
    super(lines.map(printable).join('\n'));
  }
}

/** The command was called with invalid options or arguments. */
export class UsageError extends CommandError {}

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
const SQLITE_IOERR = 10;
const SQLITE_CANTOPEN = 14;
const SQLITE_PROTOCOL = 15;
/** Extended codes: locks, from SQLITE_IOERR_UNLOCK on, and the memory that processes share, SQLITE_IOERR_SHMOPEN to _SHMMAP. */
const sharingErrors = [8, 9, 14, 15, 18, 19, 20, 21].map((part) => (part << 8) | SQLITE_IOERR);

/** Explains errors of the operating system and of SQLite: which path is affected, and what to do about it. */
export function explainError(error: SystemError, config: Config): string {
  const { code = '', path, errcode, message } = error;
  // A failed write names no path. Most are of image files; the database is on the same disk unless configured otherwise.
  if (errcode === undefined) return explanations[code]?.(path ?? filesPath(config)) ?? message;
  const database = config.database.engine === 'sqlite' ? config.database.path : config.dataDir;
  // The rest of an extended code says where in SQLite it happened.
  const primary = errcode & 0xff;
  if (primary === SQLITE_CANTOPEN || statSync(database, { throwIfNoEntry: false })?.isDirectory())
    return `cannot open ${database}; make sure that its folder can be read and written`;
  const isDiskFull = primary === SQLITE_IOERR && measureDisks([dirname(database)]).some(isFull);
  if (!isDiskFull && (primary === SQLITE_PROTOCOL || sharingErrors.includes(errcode)))
    return (
      `${database}: ${message}; SQLite needs a local disk, where processes can lock and share files: set DATA_DIR to a ` +
      'folder on one, and FILES_URL to that for the pictures, which may be on a network share, or use PostgreSQL'
    );
  const known = isDiskFull ? 'ENOSPC' : (sqliteCodes[primary] ?? '');
  return explanations[known]?.(database) ?? `${database}: ${message}`;
}

function filesPath({ storage, dataDir }: Config): string {
  return storage.engine === 'folder' ? storage.path : dataDir;
}

/** Lets a command end in an orderly way when it is interrupted. */
interface Interrupt extends Disposable {
  signal: AbortSignal;
}

/** The first SIGINT (Ctrl-C) or SIGTERM aborts the signal with the message. A second one terminates the process. */
export function listenForInterrupt(message: string): Interrupt {
  const controller = new AbortController();
  const onSignal = () => {
    controller.abort(new CommandError(message));
    stopListening();
  };
  const stopListening = () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { signal: controller.signal, [Symbol.dispose]: stopListening };
}
