/** Reads the picture that a record's `file` names and stores it under the hash of its bytes. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { extensionOf } from '../catalogue/document.ts';
import type { Upload } from '../media/files.ts';
import { MAX_BYTES, PictureError, readPicture } from '../media/picture.ts';
import type { Picture } from './plan/image.ts';
import { RecordError } from './problems.ts';

export async function storePicture(folder: string, file: string, upload: Upload): Promise<Picture> {
  const bytes = await readInside(folder, file);
  try {
    const facts = await readPicture(bytes);
    const { hash, mimetype } = facts;
    const key = pictureKey(hash, extensionOf(mimetype));
    const eTag = await upload.put(key, bytes, { hash, mimetype });
    return { ...facts, key, eTag };
  } catch (error) {
    if (error instanceof PictureError) throw new RecordError(`${file}: ${error.message}`);
    throw error;
  }
}

const pictureKey = (hash: string, extension: string) => `${hash.slice(0, 2)}/${hash}.${extension}`;

/** Whether an import chose the key. Other files in the storage may belong to somebody else. */
export function isPictureKey(key: string): boolean {
  const [, hash, extension] = /^[0-9a-f]{2}\/([0-9a-f]{64})\.([a-z]+)$/.exec(key) ?? [];
  return hash !== undefined && extension !== undefined && key === pictureKey(hash, extension);
}

async function readInside(folder: string, file: string): Promise<Buffer> {
  try {
    const path = await realpath(resolve(folder, file));
    if (!isInside(await realpath(folder), path))
      throw new RecordError(`${file}: is outside the catalogue's folder`);
    // Checked before opening: opening a named pipe would wait for a writer.
    const facts = await stat(path);
    if (!facts.isFile()) throw new RecordError(`${file}: is not a file`);
    if (facts.size > MAX_BYTES) throw new RecordError(`${file}: is larger than ${MAX_BYTES / 2 ** 20} MiB`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof RecordError) throw error;
    throw new RecordError(`${file}: ${explain(error as NodeJS.ErrnoException)}`);
  }
}

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return !isAbsolute(inside) && inside !== '..' && !inside.startsWith(`..${sep}`);
}

function explain(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'no such file';
  if (error.code === 'EACCES') return 'permission denied';
  return error.message;
}
