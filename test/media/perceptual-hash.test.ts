/** Perceptual hashes: equal or nearly equal for copies of a picture, far apart for different ones. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { MAX_COPY_DISTANCE, MAX_SIMILAR_DISTANCE } from '../../src/catalogue/sets/look-alikes.ts';
import { hashPixels, NO_DETAIL, readPicture } from '../../src/media/picture.ts';
import { paint } from '../support/pictures/painting.ts';

/** The hash that an import stores. */
async function hashOf(picture: Sharp): Promise<string> {
  return (await readPicture(await picture.toBuffer(), [])).facts.perceptualHash ?? '';
}

function distance(one: string, other: string): number {
  assert.equal(one.length, 32);
  assert.equal(other.length, 32);
  const bits = (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2);
  return bits.replaceAll('0', '').length;
}

const WIDTH = 600;
const HEIGHT = 400;
const painting = paint(1, WIDTH, HEIGHT);
const original = await hashOf(painting().png());

describe('the hash of a copy is close to that of the original', () => {
  const copies: Record<string, Sharp> = {
    'JPEG of quality 40': painting().jpeg({ quality: 40 }),
    WebP: painting().webp({ quality: 60 }),
    AVIF: painting().avif({ quality: 50, effort: 0 }),
    GIF: painting().gif({ effort: 1 }),
    'a quarter of the size': painting()
      .resize(WIDTH / 4)
      .jpeg({ quality: 70 }),
    '90 % of the size': painting()
      .resize(WIDTH * 0.9)
      .webp({ quality: 80 }),
    'twice the size': painting()
      .resize(WIDTH * 2)
      .jpeg(),
    'another shape': painting().resize(300, 300, { fit: 'fill' }).png(),
    greyscale: painting().greyscale().jpeg({ quality: 80 }),
    'an opaque alpha channel': painting().ensureAlpha().png(),
    'cropped by 1 %': painting()
      .extract({ left: 3, top: 2, width: WIDTH - 6, height: HEIGHT - 4 })
      .jpeg(),
    'rotated by EXIF': painting().rotate(90).withMetadata({ orientation: 8 }).jpeg(),
  };
  for (const [name, copy] of Object.entries(copies))
    test(name, async () => {
      const bits = distance(await hashOf(copy), original);
      assert.ok(bits <= MAX_COPY_DISTANCE, `${bits} bits differ`);
    });

  test('cropped by 3 %, at least similar', async () => {
    const cropped = painting().extract({ left: 9, top: 6, width: WIDTH - 18, height: HEIGHT - 12 });
    assert.ok(distance(await hashOf(cropped.jpeg()), original) <= MAX_SIMILAR_DISTANCE);
  });
});

test('every EXIF orientation gives the hash of the displayed picture', async () => {
  for (let orientation = 1; orientation <= 8; orientation++) {
    const stored = await painting().png().withMetadata({ orientation }).toBuffer();
    const displayed = await hashOf(sharp(stored).autoOrient().png());
    assert.ok(
      distance((await readPicture(stored, [])).facts.perceptualHash ?? '', displayed) <= 4,
      `${orientation}`,
    );
  }
});

test('different pictures are not similar, nor is a picture to its mirror image', async () => {
  const hashes = await Promise.all([2, 3, 4, 5, 6].map((seed) => hashOf(paint(seed, 300, 200)().png())));
  hashes.push(original, await hashOf(painting().flop().png()), await hashOf(painting().flip().png()));
  for (const [index, one] of hashes.entries())
    for (const other of hashes.slice(index + 1)) assert.ok(distance(one, other) > MAX_SIMILAR_DISTANCE);
});

test('transparent pixels count as white', async () => {
  const shape = (background: string) =>
    sharp({ create: { width: 200, height: 200, channels: 4, background } }).composite([
      { input: Buffer.from('<svg width="200" height="200"><path d="M10 20L180 60 90 190Z"/></svg>') },
    ]);
  assert.equal(await hashOf(shape('#ffffff00').png()), await hashOf(shape('#ffffff').png()));
});

describe('a picture with too little detail has no hash to compare:', () => {
  const blank = (background: string) =>
    sharp({ create: { width: 300, height: 200, channels: 3, background } });
  const gradient = Buffer.from(
    `<svg width="300" height="200"><linearGradient id="g"><stop stop-color="#246"/><stop offset="1" stop-color="#fca"/>
     </linearGradient><rect width="300" height="200" fill="url(#g)"/></svg>`,
  );
  const pictures: Record<string, Sharp> = {
    white: blank('#fff').png(),
    'a colour as JPEG': blank('#d04070').jpeg({ quality: 40 }),
    'an even gradient': sharp(gradient).removeAlpha().png(),
    'one pixel': sharp({ create: { width: 1, height: 1, channels: 3, background: '#123' } }).png(),
  };
  for (const [name, picture] of Object.entries(pictures))
    test(name, async () => assert.equal(await hashOf(picture), NO_DETAIL));
});

test('any pixels give 128 bits, half of them set, or no hash', () => {
  const side = fc.integer({ min: 1, max: 64 });
  const samples = fc.record({ width: side, height: side }).chain((shape) => {
    const length = shape.width * shape.height * 4;
    const bytes = fc.uint8Array({ minLength: length, maxLength: length });
    return bytes.map((bytes) => ({ ...shape, pixels: Buffer.from(bytes) }));
  });
  fc.assert(
    fc.property(samples, (sample) => {
      const hash = hashPixels(sample);
      if (hash === NO_DETAIL) return;
      assert.match(hash, /^[0-9a-f]{32}$/);
      assert.ok(distance(hash, '0'.repeat(32)) <= 64);
    }),
    { numRuns: 50 },
  );
});
