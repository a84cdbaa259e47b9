/** `zukan export`: the whole catalogue as a catalogue file, and with --files the bytes too. */
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

export interface ExportFlags {
  files?: string;
  quiet?: boolean;
}

const CHUNK = 65_536;
const kinds: Kind[] = ['category', 'artist', 'character'];

export async function exportCommand(
  config: Config,
  path: string | undefined,
  flags: ExportFlags,
): Promise<void> {
  const progress = flags.quiet || path === undefined ? noProgress : startProgress('Exporting', undefined);
  await using snapshot = await openSnapshot(config);
  const lines = () => linesOf(snapshot, openFiles(config), flags.files, path, progress.advance);
  try {
    if (path === undefined) await pipeline(chunksOf(lines()), process.stdout, { end: false });
    else await writeWhole(path, lines());
  } finally {
    progress.finish();
  }
}

async function* linesOf(
  snapshot: CatalogueSnapshot,
  files: Files,
  folder: string | undefined,
  path: string | undefined,
  onRecord: (weight: number) => void,
): AsyncGenerator<string, void> {
  for (const kind of kinds) for await (const entry of snapshot.entries(kind)) yield entryLine(entry);
  for await (const image of snapshot.images()) {
    if (folder === undefined) {
      yield imageLine(image);
    } else {
      const copy = join(folder, image.key);
      await copyBytes(files, image.key, copy);
      yield imageLine(
        image,
        relative(path === undefined ? '.' : dirname(path), copy)
          .split(sep)
          .join('/'),
      );
    }
    onRecord(1);
  }
}

async function copyBytes(files: Files, key: string, path: string): Promise<void> {
  const file = await files.open(key);
  if (!file) throw new CommandError(`the bytes of ${key} are missing; "zukan check" tells more`);
  await mkdir(dirname(path), { recursive: true });
  if (file.size > 0) await pipeline(file.stream(0, file.size - 1), createWriteStream(path));
  else await file.close();
}

/** An export that fails leaves no half of a file. */
async function writeWhole(path: string, lines: AsyncIterable<string>): Promise<void> {
  const aside = `${path}.${process.pid}.part`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await pipeline(chunksOf(lines), (await open(aside, 'w')).createWriteStream());
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

/** Lines in pieces that are worth writing. */
async function* chunksOf(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  let gathered = '';
  for await (const line of lines) {
    gathered += `${line}\n`;
    if (gathered.length < CHUNK) continue;
    yield gathered;
    gathered = '';
  }
  yield gathered;
}
