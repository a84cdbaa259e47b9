/** Reads the picture that a record's `file` names and stores it, with its thumbnails, under the hash of its bytes. */
import { hash } from 'node:crypto';
import { extensionOf } from '../catalogue/document.ts';
import { originalKey, THUMBNAIL_TYPE, thumbnailKey } from '../catalogue/thumbnails.ts';
import type { Upload } from '../media/files.ts';
import { MAX_BYTES, PictureError, readPicture } from '../media/picture.ts';
import type { Thumbnail } from '../media/thumbnails.ts';
import type { Picture } from './plan/image.ts';
import { RecordError } from './problems.ts';
import { readInside } from './read-inside.ts';

export async function storePicture(
  folder: string,
  file: string,
  upload: Upload,
  ladder: readonly number[],
): Promise<Picture> {
  const bytes = await readInside(folder, file, MAX_BYTES);
  try {
    const { facts, thumbnails } = await readPicture(bytes, ladder);
    const { hash, mimetype } = facts;
    const key = pictureKey(hash, extensionOf(mimetype));
    const eTag = await upload.put(key, bytes, { hash, mimetype });
    await storeThumbnails(key, thumbnails, upload);
    return { ...facts, key, eTag };
  } catch (error) {
    if (error instanceof PictureError) throw new RecordError(`${file}: ${error.message}`);
    throw error;
  }
}

export async function storeThumbnails(key: string, thumbnails: Thumbnail[], upload: Upload): Promise<void> {
  for (const { size, bytes } of thumbnails) {
    const facts = { hash: hash('sha256', bytes), mimetype: THUMBNAIL_TYPE };
    await upload.put(thumbnailKey(key, size), bytes, facts);
  }
}

const pictureKey = (hash: string, extension: string) => `${hash.slice(0, 2)}/${hash}.${extension}`;

/** Whether an import chose the key, or that of a thumbnail's original. Other files may belong to somebody else. */
export function isOurKey(key: string): boolean {
  return isPictureKey(originalKey(key) ?? key);
}

function isPictureKey(key: string): boolean {
  const [, hash, extension] = /^[0-9a-f]{2}\/([0-9a-f]{64})\.([a-z]+)$/.exec(key) ?? [];
  return hash !== undefined && extension !== undefined && key === pictureKey(hash, extension);
}
