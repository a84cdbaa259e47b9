/** The pictures of a year, by number. Some are versions of one painting, and look alike; the others are too small to be compared. */
import { crc32 } from 'node:zlib';
import { paint } from '../support/pictures/painting.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';

const painting = await paint(1, 48, 32)().png().toBuffer();
const VERSIONS = [8, 9, 10, 11];
/** Behind the header. */
const END_OF_HEADER = 33;

export const areVersions = (one: number, other: number) => VERSIONS.includes(one) && VERSIONS.includes(other);

export function pictureBytes(number: number): Buffer {
  if (!VERSIONS.includes(number)) return tinyPicture(number);
  const body = Buffer.from(`tEXtComment\0${number}`);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([
    painting.subarray(0, END_OF_HEADER),
    ...[length, body, check],
    painting.subarray(END_OF_HEADER),
  ]);
}
