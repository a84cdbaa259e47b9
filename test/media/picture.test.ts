/** Reading the facts of pictures. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { PictureError } from '../../src/media/metadata/part.ts';
import { readPicture } from '../../src/media/picture.ts';
import { type Drawing, draw } from '../support/pictures/pictures.ts';

const drawing: Drawing = { file: '', format: 'png', width: 120, height: 80, colour: '#c02020' };
const kinds: [Drawing['format'], string, number][] = [
  ['jpeg', 'image/jpeg', 1],
  ['png', 'image/png', 1],
  ['webp', 'image/webp', 1],
  ['webp', 'image/webp', 3],
  ['gif', 'image/gif', 1],
  ['gif', 'image/gif', 3],
  ['avif', 'image/avif', 1],
];
for (const [format, mimetype, frames] of kinds) {
  test(`reads ${format} with ${frames} ${frames === 1 ? 'frame' : 'frames'}`, async () => {
    const bytes = await draw({ ...drawing, format, frames });
    const { facts: read } = await readPicture(bytes, []);
    const { color, perceptualHash, previews, ...facts } = read;
    assert.equal(perceptualHash, '', 'a single colour has too little detail');
    const hash = createHash('sha256').update(bytes).digest('hex');
    assert.deepEqual(facts, { hash, size: bytes.length, mimetype, width: 120, height: 80 });
    assertClose(color, drawing.colour);
    assert.deepEqual(previews.sizes, []);
  });
}

/** Lossy formats and coarse bins change the colour slightly. */
function assertClose(colour: string, expected: string): void {
  for (const at of [1, 3, 5]) {
    const [ours, theirs] = [colour, expected].map((text) => Number.parseInt(text.slice(at, at + 2), 16));
    assert.ok(Math.abs((ours ?? 0) - (theirs ?? 0)) <= 16, `${colour} is not ${expected}`);
  }
}

test('applies the EXIF orientation to the size', async () => {
  const bytes = await sharp(await draw(drawing))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const { width, height } = (await readPicture(bytes, [])).facts;
  assert.deepEqual([width, height], [80, 120]);
});

test('returns the colour that covers the largest area', async () => {
  const patch = await sharp({ create: { width: 30, height: 30, channels: 3, background: '#0000ff' } })
    .png()
    .toBuffer();
  const bytes = await sharp(await draw(drawing))
    .composite([{ input: patch, left: 0, top: 0 }])
    .png()
    .toBuffer();
  assertClose((await readPicture(bytes, [])).facts.color, drawing.colour);
});

test('reads the colour of greyscale, palette, transparent, 16-bit and CMYK pictures', async () => {
  const base = sharp(await draw(drawing));
  const variants = [
    base.clone().greyscale().png(),
    base.clone().png({ palette: true }),
    base.clone().ensureAlpha(0).png(),
    base.clone().toColourspace('rgb16').png(),
    base.clone().toColourspace('cmyk').jpeg(),
  ];
  for (const variant of variants)
    assert.match((await readPicture(await variant.toBuffer(), [])).facts.color, /^#[0-9a-f]{6}$/);
});

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
/** Without the words of libvips, which differ with the sizes that are made. */
const BROKEN = /^the picture cannot be decoded; it is damaged or incomplete$/;
const rejected: [string, () => Promise<Buffer> | Buffer, RegExp][] = [
  ['an empty file', () => Buffer.alloc(0), /the file is empty/],
  ['text', () => Buffer.from('hello'), /not a JPEG/],
  ['an SVG', () => Buffer.from(svg), /not a JPEG/],
  ['an SVG with a declaration', () => Buffer.from(`<?xml version="1.0"?>${svg}`), /not a JPEG/],
  [
    'a TIFF',
    async () =>
      sharp(await draw(drawing))
        .tiff()
        .toBuffer(),
    /not a JPEG/,
  ],
  ['a PNG in name only', () => Buffer.from('\x89PNG\r\n\x1a\n and no more', 'latin1'), BROKEN],
  ['half a JPEG', async () => half(await noise('jpeg')), BROKEN],
  ['half a PNG', async () => half(await noise('png')), BROKEN],
  ['half a WebP', async () => half(await noise('webp')), BROKEN],
  ['a decompression bomb', () => blank(20_000, 6000), /20000 x 6000 pixels, more than 100 megapixels/],
];
for (const [what, make, reason] of rejected) {
  test(`rejects ${what}`, async () => {
    await assert.rejects(readPicture(await make(), []), (error) => {
      assert.ok(error instanceof PictureError);
      assert.match(error.message, reason);
      assert.ok(!error.message.includes('\n'));
      return true;
    });
  });
}

const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2);

function noise(format: Drawing['format']): Promise<Buffer> {
  const pixels = Buffer.from(Array.from({ length: 200 * 200 * 3 }, (_, index) => (index * 7919) % 251));
  return sharp(pixels, { raw: { width: 200, height: 200, channels: 3 } })
    .toFormat(format)
    .toBuffer();
}

/** A PNG of one bit per pixel. */
function blank(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const [head, check] = [Buffer.alloc(8), Buffer.alloc(4)];
    head.writeUInt32BE(data.length);
    head.write(type, 4, 'latin1');
    check.writeUInt32BE(crc32(data, crc32(type)));
    return Buffer.concat([head, data, check]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const pixels = deflateSync(Buffer.alloc((1 + width / 8) * height));
  const chunks = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}
