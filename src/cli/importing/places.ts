/** The paths that an import names: catalogue files, folders of pictures, or standard input. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { countPictures, type FolderOptions, pictureFolder } from '../../import/sources/folder.ts';
import { identifyFolder } from '../../import/sources/listings.ts';
import { catalogueFile, type Source } from '../../import/sources/source.ts';
import { isPictureName } from '../../import/sources/walk.ts';
import { CommandError } from '../terminal/errors.ts';
import type { Terminal } from '../terminal/terminal.ts';

const STANDARD_INPUT = '-';

export interface FolderPlace {
  kind: 'folder';
  path: string;
  identity: string;
}

/** `size` is that of a catalogue file. */
export type Place = { kind: 'stdin' } | FolderPlace | { kind: 'file'; path: string; size: number };

export async function findPlace(path: string): Promise<Place> {
  if (path === STANDARD_INPUT) return { kind: 'stdin' };
  const facts = await stat(path).catch(() => {
    throw new CommandError(`${path}: no such file or folder`);
  });
  if (facts.isDirectory()) return { kind: 'folder', path, identity: await identifyFolder(path) };
  if (!facts.isFile()) throw new CommandError(`${path}: is neither a file nor a folder`);
  if (isPictureName(path))
    throw new CommandError(`${path}: is a picture; import its folder, or a catalogue file that names it`);
  return { kind: 'file', path, size: facts.size };
}

export function describePlaces(places: Place[]): string {
  return places.map((place) => (place.kind === 'stdin' ? 'standard input' : resolve(place.path))).join(', ');
}

/** The signal also ends a stream that waits for input. */
export function openSource(
  place: Place,
  { stdin }: Terminal,
  signal: AbortSignal,
  optionsOf: (place: FolderPlace) => FolderOptions,
): Source {
  if (place.kind === 'stdin')
    return catalogueFile('standard input', process.cwd(), () => addAbortSignal(signal, stdin));
  if (place.kind === 'folder') return pictureFolder(place.path, optionsOf(place));
  const open = () => createReadStream(place.path, { signal });
  return catalogueFile(place.path, dirname(place.path), open);
}

/** The sum of bytes of catalogue files and of pictures in folders. Undefined if it is not known. */
export async function measure(
  places: Place[],
  optionsOf: (place: FolderPlace) => FolderOptions,
): Promise<number | undefined> {
  let total = 0;
  for (const place of places) {
    if (place.kind === 'stdin') return undefined;
    total += place.kind === 'file' ? place.size : await countPictures(place.path, optionsOf(place));
  }
  return total;
}
