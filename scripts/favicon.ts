/** Draws `web/favicon.ico` from `web/icon.svg`: three sizes, each as a PNG. Run it after the icon has changed. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

const SIZES = [16, 32, 48];
const HEADER_BYTES = 6;
const ENTRY_BYTES = 16;
const web = join(import.meta.dirname, '../web');

const drawing = await readFile(join(web, 'icon.svg'));
const pictures = await Promise.all(
  SIZES.map((size) =>
    sharp(drawing, { density: 300 }).resize(size, size).png({ palette: true, effort: 10 }).toBuffer(),
  ),
);
const head = Buffer.alloc(HEADER_BYTES + SIZES.length * ENTRY_BYTES);
head.writeUInt16LE(1, 2);
head.writeUInt16LE(SIZES.length, 4);
let offset = head.length;
for (const [index, picture] of pictures.entries()) {
  const entry = HEADER_BYTES + index * ENTRY_BYTES;
  const size = SIZES[index] as number;
  head.writeUInt8(size, entry);
  head.writeUInt8(size, entry + 1);
  // One plane, 32 bits per pixel; then the length of the picture and where it is.
  head.writeUInt16LE(1, entry + 4);
  head.writeUInt16LE(32, entry + 6);
  head.writeUInt32LE(picture.length, entry + 8);
  head.writeUInt32LE(offset, entry + 12);
  offset += picture.length;
}
await writeFile(join(web, 'favicon.ico'), Buffer.concat([head, ...pictures]));
