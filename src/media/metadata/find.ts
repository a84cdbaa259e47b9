/** Finds the metadata of a picture, whatever its format. That of WebP, the simplest one, is here. */
import type { Mimetype } from '../../catalogue/schemas.ts';
import { avifMetadata } from './avif.ts';
import { gifMetadata } from './gif.ts';
import { jpegMetadata } from './jpeg.ts';
import { type Part, PictureError, partAt, trailerAt } from './part.ts';
import { pngMetadata } from './png.ts';

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

const webpImage = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'];
const webpKinds: Record<string, 'exif' | 'xmp'> = { EXIF: 'exif', 'XMP ': 'xmp' };

/** The EXIF, XMP and unknown chunks of a WebP file. */
function* webpMetadata(bytes: Buffer): Generator<Part, void> {
  const size = bytes.length >= 12 ? 8 + bytes.readUInt32LE(4) : bytes.length;
  // Chunks and the file have an even size.
  const fileEnd = Math.min(bytes.length, size + (size % 2));
  let position = 12;
  while (position + 8 <= fileEnd) {
    const type = bytes.toString('latin1', position, position + 4);
    const length = bytes.readUInt32LE(position + 4);
    const [start, end] = [position + 8, Math.min(fileEnd, position + 8 + length)];
    if (!webpImage.includes(type)) yield partAt(webpKinds[type] ?? 'unknown', bytes, [{ start, end }]);
    position = start + length + (length % 2);
  }
  if (fileEnd < bytes.length) yield trailerAt(bytes, fileEnd);
}
