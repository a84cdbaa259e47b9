/** The picture that a record's `file` names: found inside the folder, read, and kept under the hash of its bytes. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { extensionOf } from '../catalogue/document.ts';
import type { Upload } from '../media/files.ts';
import { MAX_BYTES, PictureError, readPicture } from '../media/picture.ts';
import { LineError } from './lines.ts';
import type { Picture } from './plan.ts';

export async function keepPicture(folder: string, file: string, upload: Upload): Promise<Picture> {
  const bytes = await readInside(folder, file);
  try {
    const facts = await readPicture(bytes);
    const { hash, mimetype } = facts;
    const key = `${hash.slice(0, 2)}/${hash}.${extensionOf(mimetype)}`;
    const eTag = await upload.put(key, bytes, { hash, mimetype });
    return { ...facts, key, eTag };
  } catch (error) {
    if (error instanceof PictureError) throw new LineError(`${file}: ${error.message}`);
    throw error;
  }
}

async function readInside(folder: string, file: string): Promise<Buffer> {
  try {
    const path = await realpath(resolve(folder, file));
    if (!isInside(await realpath(folder), path))
      throw new LineError(`${file}: leads out of the catalogue's folder`);
    // Looked at before it is opened: opening a pipe would wait for whoever writes into it.
    const facts = await stat(path);
    if (!facts.isFile()) throw new LineError(`${file}: is not a file`);
    if (facts.size > MAX_BYTES) throw new LineError(`${file}: is larger than ${MAX_BYTES / 2 ** 20} MiB`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof LineError) throw error;
    throw new LineError(`${file}: ${reason(error as NodeJS.ErrnoException)}`);
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
}

function reason(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'no such file';
  if (error.code === 'EACCES') return 'may not be read';
  return error.message;
}
