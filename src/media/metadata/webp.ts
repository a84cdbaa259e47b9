/** Finds the metadata of a WebP file: its EXIF, XMP and unknown chunks. */
import { type Part, partAt, trailerAt } from './part.ts';

const image = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'];
const kinds: Record<string, 'exif' | 'xmp'> = { EXIF: 'exif', 'XMP ': 'xmp' };

export function* webpMetadata(bytes: Buffer): Generator<Part, void> {
  const size = bytes.length >= 12 ? 8 + bytes.readUInt32LE(4) : bytes.length;
  // Chunks and the file have an even size.
  const fileEnd = Math.min(bytes.length, size + (size % 2));
  let position = 12;
  while (position + 8 <= fileEnd) {
    const type = bytes.toString('latin1', position, position + 4);
    const length = bytes.readUInt32LE(position + 4);
    const [start, end] = [position + 8, Math.min(fileEnd, position + 8 + length)];
    if (!image.includes(type)) yield partAt(kinds[type] ?? 'unknown', bytes, [{ start, end }]);
    position = start + length + (length % 2);
  }
  if (fileEnd < bytes.length) yield trailerAt(bytes, fileEnd);
}
