/** Any number of different tiny pictures. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

/** A PNG of 4 x 4 pixels. Encoding thousands of them with sharp would be slow. */
export function tinyPicture(index: number): Buffer {
  const rows = Array.from({ length: 4 }, (_, row) => [
    0,
    ...Array.from(
      { length: 12 },
      (_, byte) => (index >> ((byte % 4) * 4)) * 37 + row * 11 + byte * 5 + index,
    ),
  ]);
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const check = Buffer.alloc(4);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const header = Buffer.from([0, 0, 0, 4, 0, 0, 0, 4, 8, 2, 0, 0, 0]);
  // The comment makes each picture unique.
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('tEXt', Buffer.from(`Comment\0${index}`)),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat().map((value) => value & 255)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export function writeTiny(folder: string, name: string, index: number): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, tinyPicture(index));
}
