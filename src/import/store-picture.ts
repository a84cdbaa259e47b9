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
    const key = `${hash.slice(0, 2)}/${hash}.${extensionOf(mimetype)}`;
    const eTag = await upload.put(key, bytes, { hash, mimetype });
    return { ...facts, key, eTag };
  } catch (error) {
    if (error instanceof PictureError) throw new RecordError(`${file}: ${error.message}`);
    throw error;
  }
}
