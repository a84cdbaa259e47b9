/** Reads the picture that a record's `file` names and stores it, with its thumbnails, under the hash of its bytes. */
import { hash } from 'node:crypto';
import { extensionOf } from '../catalogue/documents/document.ts';
import { originalKey, THUMBNAIL_TYPE, thumbnailKey } from '../catalogue/documents/thumbnails.ts';
import type { Mimetype } from '../catalogue/types.ts';
import type { Upload } from '../media/files.ts';
import { removeLocation } from '../media/metadata/location.ts';
import { type Metadata, readMetadata } from '../media/metadata/read.ts';
import {
  detectType,
  fileBudget,
  hasSameLayout,
  MAX_BYTES,
  PictureError,
  readPicture,
} from '../media/picture.ts';
import type { Thumbnail } from '../media/thumbnails.ts';
import type { Picture } from './plan/image.ts';
import { RecordError } from './records/problems.ts';
import { FileUnreadable, readInside, sizeInside } from './sources/files.ts';
import type { Source } from './sources/source.ts';

/** A picture that was read from a file. */
export interface FilePicture extends Picture {
  hasLocation: boolean;
  /** What the picture of a folder says about itself. */
  metadata: Metadata | undefined;
}

interface StoreOptions {
  keepsLocation: boolean;
  thumbnailSizes: readonly number[];
}

export async function storePicture(
  source: Pick<Source, 'folder' | 'isFolder'>,
  file: string,
  upload: Upload,
  options: StoreOptions,
): Promise<FilePicture> {
  const size = await sizeInside(source.folder, file);
  return fileBudget.spend(size, () => readAndStore(source, file, upload, options));
}

async function readAndStore(
  { folder, isFolder }: Pick<Source, 'folder' | 'isFolder'>,
  file: string,
  upload: Upload,
  { keepsLocation, thumbnailSizes }: StoreOptions,
): Promise<FilePicture> {
  const original = await readInside(folder, file, MAX_BYTES);
  try {
    const mimetype = detectType(original);
    const cleaned = await withoutLocation(original, mimetype).catch((error) => {
      if (keepsLocation) return original;
      throw error;
    });
    const hasLocation = cleaned !== original;
    const bytes = keepsLocation ? original : cleaned;
    const { facts, thumbnails } = await readPicture(bytes, thumbnailSizes);
    const key = pictureKey(facts.hash, extensionOf(mimetype));
    const eTag = await upload.put(key, bytes, facts);
    await storeThumbnails(key, thumbnails, upload);
    const hashes = hasLocation ? [original, cleaned].map((bytes) => hash('sha256', bytes)) : [facts.hash];
    const metadata = isFolder ? await readMetadata(original, mimetype) : undefined;
    return { ...facts, key, eTag, hashes, hasLocation, metadata };
  } catch (error) {
    if (error instanceof PictureError) throw new RecordError(`${file}: ${error.message}`);
    throw error;
  }
}

/** Those of a picture that is not imported, with its location and without it. Undefined if the file cannot be read. */
export async function hashesOf(folder: string, file: string): Promise<string[] | undefined> {
  try {
    const original = await readInside(folder, file, MAX_BYTES);
    return [original, await withoutLocation(original, detectType(original)).catch(() => original)].map(
      (bytes) => hash('sha256', bytes),
    );
  } catch (error) {
    if (error instanceof FileUnreadable) return undefined;
    if (error instanceof RecordError || error instanceof PictureError) return [];
    throw error;
  }
}

/** The same buffer if the picture has no location. */
async function withoutLocation(bytes: Buffer, mimetype: Mimetype): Promise<Buffer> {
  try {
    const cleaned = removeLocation(bytes, mimetype);
    if (cleaned !== bytes && !(await hasSameLayout(bytes, cleaned)))
      throw new PictureError('the picture would look different');
    return cleaned;
  } catch (error) {
    if (!(error instanceof PictureError)) throw error;
    const advice = 'remove its metadata yourself, or use --keep-location';
    throw new PictureError(`the location cannot be removed: ${error.message}; ${advice}`);
  }
}

export async function storeThumbnails(key: string, thumbnails: Thumbnail[], upload: Upload): Promise<void> {
  for (const { size, bytes } of thumbnails) {
    const facts = { hash: hash('sha256', bytes), mimetype: THUMBNAIL_TYPE };
    await upload.put(thumbnailKey(key, size), bytes, facts);
  }
}

export const pictureKey = (hash: string, extension: string) => `${hash.slice(0, 2)}/${hash}.${extension}`;

/** Whether an import chose the key, or that of a thumbnail's original. Other files may belong to somebody else. */
export function isOurKey(key: string): boolean {
  return hashInKey(originalKey(key) ?? key) !== undefined;
}

/** The hash of the bytes, if an import chose the key. */
export function hashInKey(key: string): string | undefined {
  const [, hash, extension] = /^[0-9a-f]{2}\/([0-9a-f]{64})\.([a-z]+)$/.exec(key) ?? [];
  return hash !== undefined && extension !== undefined && key === pictureKey(hash, extension)
    ? hash
    : undefined;
}
