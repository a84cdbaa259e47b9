/** Finds the metadata of a picture, whatever its format. */
import type { Mimetype } from '../../catalogue/types.ts';
import { PictureError } from '../picture.ts';
import { avifMetadata } from './avif.ts';
import { gifMetadata } from './gif.ts';
import { jpegMetadata } from './jpeg.ts';
import type { Part } from './part.ts';
import { pngMetadata } from './png.ts';
import { webpMetadata } from './webp.ts';

/** Far more than any program writes. */
const MAX_PARTS = 10_000;

const finders: Record<Mimetype, (bytes: Buffer) => Iterable<Part>> = {
  'image/jpeg': jpegMetadata,
  'image/png': pngMetadata,
  'image/webp': webpMetadata,
  'image/gif': gifMetadata,
  'image/avif': avifMetadata,
};

export function* findMetadata(bytes: Buffer, mimetype: Mimetype): Generator<Part, void> {
  let count = 0;
  for (const part of finders[mimetype](bytes)) {
    if (++count > MAX_PARTS)
      throw new PictureError(`the picture has more than ${MAX_PARTS} pieces of metadata`);
    yield part;
  }
}
