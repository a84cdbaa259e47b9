/** Reads the picture that a record's `file` names and stores it under the hash of its bytes. */
import { extensionOf } from '../catalogue/document.ts';
import type { Upload } from '../media/files.ts';
import { MAX_BYTES, PictureError, readPicture } from '../media/picture.ts';
import type { Picture } from './plan/image.ts';
import { RecordError } from './problems.ts';
import { readInside } from './read-inside.ts';

export async function storePicture(folder: string, file: string, upload: Upload): Promise<Picture> {
  const bytes = await readInside(folder, file, MAX_BYTES);
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
