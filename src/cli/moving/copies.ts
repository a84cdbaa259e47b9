/** `zukan export`: writes the whole catalogue as a catalogue file and, with --files, copies the image files. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { historyLines } from '../../catalogue/history-line.ts';
import { catalogueLines, imageLine, joinLines } from '../../catalogue/lines.ts';
import type { ImageRow, SavedImage } from '../../catalogue/writer.ts';
import type { Config } from '../../config/config.ts';
import { makeFolder, portablePath, replaceFile } from '../../lib/file-system.ts';
import type { Files } from '../../media/files.ts';
import { openFiles, openSnapshot } from '../../server/engines.ts';
import { CommandError, listenForInterrupt, UsageError } from '../terminal/errors.ts';
import { noProgress, startProgress } from '../terminal/interaction.ts';
import { printStream, type Terminal } from '../terminal/terminal.ts';
import { pathWithin, requireOutside } from './outside-storage.ts';

export interface ExportFlags {
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
  const progress = isQuiet ? noProgress : startProgress('Exporting', undefined, terminal);
  const lines = exportLines(config, openFiles(config), flags.files, path, progress.advance, flags.history);
  try {
    if (path !== undefined) await writeAtomically(path, lines);
    else if (!(await printStream(terminal, lines)) && flags.files !== undefined)
      throw new CommandError('the output was closed before the export was complete');
  } finally {
    progress.finish();
  }
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
    throw signal.aborted ? signal.reason : error;
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
