/** Pictures by number. Some are versions of a painting; the others are too small to be compared. */
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { paint } from '../support/pictures/painting.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';

const [WIDTH, HEIGHT] = [48, 32];
const painting = await paint(1, WIDTH, HEIGHT)().png().toBuffer();
const VERSIONS = [8, 9, 10, 11];
/** Behind the header. */
const END_OF_HEADER = 33;

export const areVersions = (one: number, other: number) => VERSIONS.includes(one) && VERSIONS.includes(other);

export function pictureBytes(number: number): Buffer {
  if (VERSIONS.includes(number)) return withComment(painting, number);
  return edited.get(number) ?? tinyPicture(number);
}

function withComment(png: Buffer, comment: number): Buffer {
  const body = Buffer.from(`tEXtComment\0${comment}`);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([png.subarray(0, END_OF_HEADER), length, body, check, png.subarray(END_OF_HEADER)]);
}

const FIRST = 1000;
/** What programs make of a painting. All but the last one are the same image to an import. */
const edits = ['painted', 'commented', 'cropped', 'converted', 'turned'] as const;
const edited = new Map<number, Buffer>();
/** Without these bytes at its end a picture can be read nevertheless: nobody sees that half of the file is missing. */
export const TAIL = Buffer.from('the end of the file');

/** The number of each version of a painting, once they are painted. */
export const paintedAs = (painting: number, edit: (typeof edits)[number]) =>
  FIRST + painting * edits.length + edits.indexOf(edit);

/** Those that a version can become, and which painting it is. */
export function editsOf(number: number) {
  const at = (number - FIRST) % edits.length;
  if (!edited.has(number) || at > edits.indexOf('commented')) return [];
  return edits.slice(at + 1).map((edit, index) => ({ edit, number: number + index + 1 }));
}

export async function paintAll(count: number): Promise<void> {
  for (let seed = edited.size / edits.length; seed < count; seed++) {
    const png = await paint(seed + 1, WIDTH, HEIGHT)()
      .png()
      .toBuffer();
    const versions = {
      painted: png,
      commented: withComment(png, seed),
      cropped: await sharp(png)
        .extract({ left: 1, top: 1, width: WIDTH - 2, height: HEIGHT - 2 })
        .png()
        .toBuffer(),
      converted: await sharp(png).webp({ lossless: true }).toBuffer(),
      turned: await sharp(png).rotate(180).png().toBuffer(),
    };
    for (const edit of edits) edited.set(paintedAs(seed, edit), Buffer.concat([versions[edit], TAIL]));
  }
}
