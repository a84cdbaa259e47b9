/** `zukan export`: writes the whole catalogue as a catalogue file and, with --files, copies the image files. */
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { entryLine, imageLine } from '../catalogue/line.ts';
import type { Kind } from '../catalogue/types.ts';
import type { CatalogueSnapshot } from '../catalogue/writer.ts';
import type { Config } from '../config/config.ts';
import { openFiles, openSnapshot } from '../engines.ts';
import type { Files } from '../media/files.ts';
import { CommandError } from './errors.ts';
import { noProgress, startProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';

export interface ExportFlags {
  files?: string;
  quiet?: boolean;
}

const CHUNK_SIZE = 65_536;
const kinds: Kind[] = ['category', 'artist', 'character'];

export async function exportCommand(
  config: Config,
  path: string | undefined,
  flags: ExportFlags,
  terminal: Terminal,
): Promise<void> {
  const isQuiet = flags.quiet || path === undefined;
  const progress = isQuiet ? noProgress : startProgress('Exporting', undefined, terminal);
  await using snapshot = await openSnapshot(config);
  const lines = () => exportLines(snapshot, openFiles(config), flags.files, path, progress.advance);
  try {
    if (path === undefined) await pipeline(joinLines(lines()), terminal.stdout, { end: false });
    else await writeAtomically(path, lines());
  } finally {
    progress.finish();
  }
}

async function* exportLines(
  snapshot: CatalogueSnapshot,
  files: Files,
  folder: string | undefined,
  path: string | undefined,
  onImage: (size: number) => void,
): AsyncGenerator<string, void> {
  for (const kind of kinds) for await (const entry of snapshot.entries(kind)) yield entryLine(entry);
  for await (const image of snapshot.images()) {
    if (folder === undefined) {
      yield imageLine(image);
    } else {
      const copy = join(folder, image.key);
      await copyFile(files, image.key, copy);
      yield imageLine(
        image,
        relative(path === undefined ? '.' : dirname(path), copy)
          .split(sep)
          .join('/'),
      );
    }
    onImage(1);
  }
}

async function copyFile(files: Files, key: string, path: string): Promise<void> {
  const file = await files.open(key);
  if (!file) throw new CommandError(`the file ${key} is missing; "zukan check" lists all problems`);
  await mkdir(dirname(path), { recursive: true });
  if (file.size > 0) await pipeline(file.stream(0, file.size - 1), createWriteStream(path));
  else await file.close();
}

/** Writes to a temporary file first: a failed export leaves no partial file. */
async function writeAtomically(path: string, lines: AsyncIterable<string>): Promise<void> {
  const temporary = `${path}.${process.pid}.part`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await pipeline(joinLines(lines), (await open(temporary, 'w')).createWriteStream());
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Joins lines into larger chunks, which take fewer writes. */
async function* joinLines(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  let chunk = '';
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_SIZE) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
