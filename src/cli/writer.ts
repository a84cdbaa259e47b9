/** Opens the catalogue for a change. */
import { realpath } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { ChangeOrigin } from '../catalogue/change-log.ts';
import type { CatalogueWriter } from '../catalogue/writer.ts';
import { changeCatalogue } from '../changes/entries.ts';
import { emptyTrash } from '../changes/remove.ts';
import type { Config } from '../config/config.ts';
import { removeLeftovers } from '../import/files.ts';
import { RecordError } from '../import/records/lines.ts';
import { expiryTime, isInDoubt } from '../lib/clock.ts';
import type { Files } from '../media/files.ts';
import { openFiles, openSnapshot, openWriter } from '../server/engines.ts';
import { CommandError, type Terminal, UsageError, warnOn } from './terminal/terminal.ts';

/** Who makes a change. Without a user, the one of the operating system. */
export interface Author {
  origin: ChangeOrigin;
  user?: string | undefined;
}

interface WriterListener {
  /** Called if another command is changing the catalogue. */
  onWait: () => void;
  warn: (problem: string) => void;
}

/** Says once that it waits, if another command is changing the catalogue. */
export function writersFor(
  config: Config,
  terminal: Pick<Terminal, 'stderr'>,
  author: Author = { origin: 'shell' },
): () => Promise<CatalogueWriter> {
  const { stderr } = terminal;
  let hasWaited = false;
  const onWait = () => {
    if (!hasWaited) stderr.write('waiting for another zukan command to finish\n');
    hasWaited = true;
  };
  return () => openForChange(config, author, { onWait, warn: warnOn(terminal) });
}

/** What commands that change the catalogue and its files need of both. */
export const enginesOf = (config: Config, terminal: Pick<Terminal, 'stderr'>) => ({
  files: openFiles(config),
  openWriter: writersFor(config, terminal),
  openSnapshot: () => openSnapshot(config),
  /** How many pictures are read at the same time. */
  concurrency: 2 * availableParallelism(),
});

/** A wrong value is that of an option. A name that is blocked is no mistake of the call. */
export async function changeByOptions<T>(
  flags: object,
  openWriter: () => Promise<CatalogueWriter>,
  isDryRun: boolean,
  work: (writer: CatalogueWriter) => Promise<T>,
): Promise<T> {
  try {
    return await changeCatalogue(openWriter, isDryRun, work);
  } catch (error) {
    const [field] = (error instanceof RecordError && /^[\w.]+(?=: )/.exec(error.message)) || [];
    if (field === undefined) throw error;
    throw new UsageError(nameOption(field, flags) + (error as RecordError).message.slice(field.length));
  }
}

function nameOption(field: string, flags: object): string {
  const words = field.split(/[._]|(?=[A-Z])/).map((word) => word.toLowerCase());
  const key = words
    .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
  if (key in flags) return `--${words.join('-')}`;
  return field === 'name' ? 'the new name' : field;
}

/** After the commit, the writer also removes what killed commands left, and what was in the trash for too long. */
export function openForChange(
  config: Config,
  author: Author,
  { onWait, warn }: WriterListener,
): Promise<CatalogueWriter> {
  // Without waiting: a command that holds the lock does the same.
  const tryOpen = () => openWriter(config, { ...author, timeoutMs: 0 });
  return openWriter(config, {
    ...author,
    onWait,
    async afterCommit({ trash, change: oldestChange, clock }, change) {
      if (change?.state === 'forgotten')
        warn(`change ${change.number} is too large to be remembered, and cannot be undone`);
      const files = openFiles(config);
      const now = new Date().toISOString();
      const expiry = expiryTime(now, config.trashDays);
      const isOlder = (oldest: string | null, expiry: string) => oldest !== null && oldest < expiry;
      const isKept = (oldest: string | null, expiry: string) =>
        isOlder(oldest, expiry) && isInDoubt(clock, expiry);
      if (isKept(trash, expiry) || isKept(oldestChange, expiryTime(now, config.historyDays)))
        warn(
          `the clock jumped to ${clock.since}, so the trash and the history keep what is older; if the clock is right now, run "zukan trash --accept-clock"`,
        );
      if (isOlder(trash, expiry) && !isInDoubt(clock, expiry)) await expireTrash(files, expiry, tryOpen);
      await removeLeftovers(files, tryOpen, warn);
    },
  });
}

async function expireTrash(
  files: Files,
  before: string,
  openWriter: () => Promise<CatalogueWriter>,
): Promise<void> {
  try {
    await emptyTrash({ before }, { files, openWriter, signal: new AbortController().signal });
  } catch {
    // The next command tries again.
  }
}

// Keeps what a command reads and writes apart from the image files.

/** The storage would take files in its folder for its own, and may have others of the same name. */
export async function requireOutside(folder: string, { storage }: Config): Promise<void> {
  if (storage.engine === 'folder' && (await pathWithin(storage.path, folder)) !== undefined)
    throw new CommandError(`${folder} is inside the folder of the image files; choose another folder`);
}

/** Rules that leave out the image files, if they are in this folder. */
export async function storageRules(folder: string, { storage }: Config): Promise<string[]> {
  const path = storage.engine === 'folder' ? await pathWithin(folder, storage.path) : undefined;
  return path
    ? [
        `/${path
          .split(sep)
          .join('/')
          .replaceAll(/[\\*?]/g, '\\$&')}/`,
      ]
    : [];
}

/** The path in the folder, which is empty if both are the same; undefined if it is outside. */
export async function pathWithin(folder: string, path: string): Promise<string | undefined> {
  const inside = relative(await realPathOf(resolve(folder)), await realPathOf(resolve(path)));
  // Windows has no relative path to another drive.
  const isOutside = isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`);
  return isOutside ? undefined : inside;
}

/** The folder need not exist yet. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) return path;
    return join(await realPathOf(parent), basename(path));
  }
}
