/** Copies of a whole catalogue: `zukan backup` and `zukan restore`, `zukan export`, and `zukan adopt` for one that moves. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { findGenerations, findManifest } from '../../backup/generations.ts';
import { Backup, requireEmpty, restoreBackup, verifyBackup } from '../../backup/restore.ts';
import { writeBackup } from '../../backup/write.ts';
import { catalogueLines, historyLines, imageLine, joinLines } from '../../catalogue/lines.ts';
import type { ImageRow, LastBackup, SavedImage } from '../../catalogue/writer.ts';
import type { Config } from '../../config/config.ts';
import { addLinkKeys, findLinkKeys } from '../../config/environment.ts';
import { describeStorage } from '../../config/values.ts';
import { findOutdated } from '../../import/files.ts';
import { type Problem, RecordError } from '../../import/records/lines.ts';
import { InvalidRecords, isRefused } from '../../import/run.ts';
import { makeFolder, portablePath, replaceFile } from '../../lib/file-system.ts';
import { newId } from '../../lib/random.ts';
import { type Files, OWNER_KEY } from '../../media/files.ts';
import {
  createCatalogue,
  openFiles,
  openSnapshot,
  openStore,
  requireOwnFiles,
} from '../../server/engines.ts';
import { list } from '../importing/report.ts';
import {
  announceCreated,
  CommandError,
  count,
  listenForInterrupt,
  noProgress,
  printLine,
  printLines,
  printStream,
  startProgress,
  type Terminal,
  UsageError,
  warnOn,
} from '../terminal/terminal.ts';
import { enginesOf, pathWithin, requireOutside } from '../writer.ts';

// `zukan backup`: copies everything that is needed to restore the catalogue into a folder.

export async function backupCommand(
  config: Config,
  path: string,
  { quiet, keep, yes }: { quiet: boolean; keep?: number; yes: boolean },
  terminal: Terminal,
): Promise<void> {
  const folder = resolve(path);
  await requireOutside(folder, config);
  using interrupt = listenForInterrupt('interrupted; the backup before is still complete');
  const catalogue = await requireOwnFiles(config);
  const tokens = await readTokens(config);
  const progress = quiet ? noProgress : startProgress('Backing up', undefined, terminal);
  try {
    const written = await writeBackup(folder, {
      catalogue,
      openSnapshot: () => openSnapshot(config),
      files: openFiles(config),
      tokens,
      linkKeys: config.linkKeys ?? findLinkKeys(config.dataDir) ?? [],
      keep,
      isConfirmed: yes,
      createdAt: new Date().toISOString(),
      onImage: () => progress.advance(1),
      signal: interrupt.signal,
    }).finally(() => progress[Symbol.dispose]());
    const { manifest, bytes, addedFiles, removedFiles, generations, doubt } = written;
    const { images } = manifest.counts;
    const files = `${count(addedFiles, 'new file')}, ${removedFiles} removed`;
    printLine(
      terminal,
      `backed up ${count(images, 'image')} and ${count(tokens.length, 'token')} to ${folder} (${files})`,
    );
    if (generations > 1) printLine(terminal, `the folder has ${generations} generations`);
    if (doubt !== undefined) throw new CommandError(`removed nothing from ${folder}: ${doubt}`);
    await record(config, { at: manifest.createdAt, bytes }, terminal);
  } catch (error) {
    if (interrupt.signal.aborted) throw interrupt.signal.reason;
    if (error instanceof CommandError) throw error;
    throw new CommandError(`cannot back up to ${folder}: ${(error as Error).message}`);
  }
}

/** For the server, which warns when backups stop. A read-only catalogue can be backed up, too. */
async function record(config: Config, backup: LastBackup, terminal: Terminal): Promise<void> {
  try {
    await using store = await openStore(config);
    await store.recordBackup(backup);
  } catch (error) {
    warnOn(terminal)(`the backup is complete, but the server does not know: ${(error as Error).message}`);
  }
}

async function readTokens(config: Config) {
  await using store = await openStore(config);
  return await store.tokens.records();
}

// `zukan restore`: fills an empty catalogue from a backup, or verifies a backup with --check.

interface RestoreFlags {
  check: boolean;
  /** The time of a generation, or how it begins. Without it, the newest. */
  generation?: string;
  quiet: boolean;
}

export async function restoreCommand(
  config: () => Config,
  path: string,
  { check, generation, quiet }: RestoreFlags,
  terminal: Terminal,
): Promise<void> {
  const folder = resolve(path);
  const message = check ? 'interrupted' : 'interrupted; nothing was restored; restore again to continue';
  using interrupt = listenForInterrupt(message);
  const { signal } = interrupt;
  try {
    const backup = await Backup.open(folder, generation);
    const { counts, lists } = backup.manifest;
    const { images, tokens } = counts;
    const size = lists['catalogue.ndjson'].size + lists['history.ndjson'].size;
    const contents = `${count(images, 'image')} and ${count(tokens, 'token')} of ${backup.manifest.createdAt}`;
    const run = async (title: string, work: (onProgress: (size: number) => void) => Promise<void>) => {
      using progress = quiet ? noProgress : startProgress(title, size, terminal);
      await work(progress.advance);
    };
    if (check) {
      await run('Checking', async (onProgress) => report(await verifyBackup(backup, { onProgress, signal })));
      printLine(terminal, `the backup is complete: ${contents}`);
      printLines(terminal, list('older generations', await olderTimes(folder)));
      return;
    }
    const target = config();
    const notes: string[] = [];
    await run('Restoring', (onProgress) => restore(backup, target, terminal, signal, onProgress, notes));
    printLines(terminal, [`restored ${contents}`, ...notes]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof InvalidRecords) report(error.problems);
    if (error instanceof RecordError) throw new CommandError(`cannot restore ${folder}: ${error.message}`);
    throw error;
  }

  function report(problems: Problem[]): void {
    if (problems.length === 0) return;
    const lines = problems.map(({ label, reason }) => `${label}: ${reason}`);
    throw new CommandError(`the backup in ${folder} is damaged`, ...lines);
  }
}

async function olderTimes(folder: string): Promise<string[]> {
  const newest = await findManifest(folder);
  const older = (await findGenerations(folder, newest)).slice(newest ? 1 : 0);
  return older.map(({ createdAt, folder }) => createdAt || `${folder}, whose manifest is damaged`);
}

/** Adds what the operator has to do to the notes. */
async function restore(
  backup: Backup,
  config: Config,
  terminal: Terminal,
  signal: AbortSignal,
  onProgress: (size: number) => void,
  notes: string[],
): Promise<void> {
  const { catalogue } = backup.manifest;
  const files = openFiles(config);
  announceCreated(terminal, await createCatalogue(config, catalogue, randomUUID()));
  await requireEmpty(() => openSnapshot(config));
  const owner = await files.owner();
  if (catalogue !== undefined) {
    // The catalogue gets this identity with the commit. Until then, nothing serves it or backs it up.
    if (owner !== catalogue) await files.setOwner(catalogue);
    await requireOwnFiles(config, catalogue);
  }
  try {
    await restoreBackup(backup, {
      ...enginesOf(config, terminal),
      addLinkKeys: async (keys) => void notes.push(...(await restoreKeys(config, keys))),
      defaults: () => ({ now: new Date().toISOString(), newId: () => newId() }),
      onProgress,
      warn: warnOn(terminal),
      signal,
    });
  } catch (error) {
    if (isRefused(error)) await (owner === undefined ? files.remove([OWNER_KEY]) : files.setOwner(owner));
    throw error;
  }
  // The embedded store moves the restored tokens when it opens.
  await (await openStore(config))[Symbol.asyncDispose]();
  const outdated = await findOutdated(() => openSnapshot(config), config.thumbnails);
  if (config.thumbnails.length > 0 && outdated.length > 0)
    notes.push(
      `run "zukan thumbnails" to make those of ${count(outdated.length, 'image')}, which the backup lacks`,
    );
}

/** Returns what the operator has to do. */
async function restoreKeys({ linkKeys, dataDir }: Config, keys: string[]): Promise<string[]> {
  if (linkKeys === undefined)
    return (await addLinkKeys(dataDir, keys))
      ? ['restart running servers, so that they use the restored keys']
      : [];
  return keys.every((key) => linkKeys.includes(key))
    ? []
    : ['LINK_KEYS lacks keys of the backup: links and cursors that were signed with them are not valid'];
}

// `zukan export`: writes the whole catalogue as a catalogue file and, with --files, copies the image files.

interface ExportFlags {
  files?: string;
  history?: boolean;
  quiet?: boolean;
}

export async function exportCommand(
  config: Config,
  file: string | undefined,
  flags: ExportFlags,
  terminal: Terminal,
): Promise<void> {
  const path = file === '-' ? undefined : file;
  if (flags.history && flags.files !== undefined)
    throw new UsageError('--history does not copy files; "zukan backup" keeps both');
  if (flags.files !== undefined) {
    await requireOutside(flags.files, config);
    if (path !== undefined && (await pathWithin(dirname(path), flags.files)) === undefined)
      throw new UsageError(
        '--files must name a folder next to the catalogue file or below; imports refuse others',
      );
  }
  const isQuiet = flags.quiet || path === undefined;
  using progress = isQuiet ? noProgress : startProgress('Exporting', undefined, terminal);
  const lines = exportLines(config, openFiles(config), flags.files, path, progress.advance, flags.history);
  if (path !== undefined) await writeAtomically(path, lines);
  else if (!(await printStream(terminal, lines)) && flags.files !== undefined)
    throw new CommandError('the output was closed before the export was complete');
}

/** The files are copied into the folder, if there is one, each before its line. */
export async function* exportLines(
  config: Config,
  files: Files,
  folder: string | undefined,
  path: string | undefined,
  onImage: (size: number) => void,
  withHistory = false,
): AsyncGenerator<string, void> {
  await using snapshot = await openSnapshot(config);
  if (withHistory) yield* historyLines(snapshot);
  yield* catalogueLines(
    snapshot,
    async function* (images: AsyncIterable<SavedImage>) {
      for await (const image of images) {
        onImage(1);
        if (folder === undefined) {
          yield imageLine(image);
          continue;
        }
        const copy = await copyImage(config, files, image, folder);
        if (copy === undefined) continue;
        const file = relative(path === undefined ? '.' : dirname(path), copy);
        yield imageLine(image, file.split(sep).join('/'));
      }
    },
    { hasTrash: withHistory },
  );
}

/** Returns the path of the copy, or undefined if the image was removed after the export began. */
async function copyImage(
  config: Config,
  files: Files,
  { id, key }: ImageRow,
  folder: string,
): Promise<string | undefined> {
  const path = join(folder, portablePath(key));
  if (await copyFile(files, key, path)) return path;
  // The image may have been removed, or may have another file by now.
  await using snapshot = await openSnapshot(config);
  const [current] = await snapshot.imagesById([id]);
  if (!current) return undefined;
  const currentPath = join(folder, portablePath(current.key));
  if (await copyFile(files, current.key, currentPath)) return currentPath;
  throw new CommandError(`the file ${current.key} is missing; "zukan check" lists all problems`);
}

/** Returns whether the file exists. A file that is there already is replaced, because it may be a hard link to the stored one. */
async function copyFile(files: Files, key: string, path: string): Promise<boolean> {
  const file = await files.open(key);
  if (!file) return false;
  makeFolder(dirname(path));
  try {
    await replaceFile(path, `${path}.${randomUUID()}.part`, async (copy) => {
      const target = createWriteStream(copy);
      if (file.size > 0) await pipeline(file.stream(0, file.size - 1), target);
      else await Promise.all([file.close(), finished(target.end())]);
    });
    return true;
  } catch (error) {
    // A bucket can lose the file between the two requests.
    const again = await files.open(key);
    await again?.close();
    if (again) throw error;
    return false;
  }
}

/** A failed or interrupted command leaves no partial file. */
async function writeAtomically(path: string, lines: AsyncIterable<string>): Promise<void> {
  using interrupt = listenForInterrupt('interrupted; nothing was exported');
  const { signal } = interrupt;
  makeFolder(dirname(path));
  await removeAbandoned(path);
  try {
    await replaceFile(path, `${path}.${process.pid}.part`, (target, flush) =>
      pipeline(joinLines(lines), createWriteStream(target, { flush }), { signal }),
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // A failed write names no path.
    (error as NodeJS.ErrnoException).path ??= path;
    throw error;
  }
}

/** Removes the temporary files of killed processes. The name has the process id. */
async function removeAbandoned(path: string): Promise<void> {
  const start = `${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    const [, pid] = /^(\d+)\.part$/.exec(name.startsWith(start) ? name.slice(start.length) : '') ?? [];
    if (pid && !isRunning(Number(pid))) await rm(join(dirname(path), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user cannot be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

// `zukan adopt`: makes the files of another catalogue those of this one, so that a catalogue can move to another database.

export async function adoptCommand(config: Config, terminal: Terminal): Promise<void> {
  const files = openFiles(config);
  const owner = await files.owner();
  // A new one gets the identity of the files, so that the catalogue before can use them until it is gone.
  announceCreated(terminal, await createCatalogue(config, owner));
  const identity = await requireOwnFiles(config, owner);
  if (identity !== undefined && identity !== owner) await files.setOwner(identity);
  printLine(terminal, `the files in ${describeStorage(config.storage)} belong to this catalogue`);
}
