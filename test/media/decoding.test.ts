/** The memory that decoding takes is bounded before a decoder sees the picture. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mimetype } from '../../src/catalogue/schemas.ts';
import {
  countFrames,
  decodeInProcess,
  decodingBytes,
  MAX_FRAMES,
  MAX_IMPORT_BYTES,
  MAX_SERVING_BYTES,
  PROCESS_BYTES,
} from '../../src/media/decoding.ts';
import { PictureError } from '../../src/media/metadata/part.ts';
import { readPicture } from '../../src/media/picture.ts';
import { avifHeader, gifOfFrames, webpOfFrames } from '../support/pictures/hostile.ts';
import { draw } from '../support/pictures/pictures.ts';

const megabyte = Buffer.alloc(1e6);

/** With thumbnails of up to 1600 pixels, in megabytes. */
function costOf(...picture: Parameters<typeof planOf>): number {
  return planOf(...picture).memory / 1e6;
}

function planOf(mimetype: Mimetype, megapixels: number, header: object = {}, bytes = megabyte) {
  const layout = { width: megapixels * 1000, height: 1000, isAnimated: false, isProgressive: false };
  const stored = { channels: 3 as const, depth: 'uchar' as const };
  return decodingBytes(bytes, mimetype, { ...layout, ...stored, ...header }, 1600);
}

test('estimates the memory from the header', () => {
  const thumbnails = 1.6 ** 2 * 12;
  const cases: [cost: number, Mimetype, object?][] = [
    [2, 'image/jpeg'],
    [7, 'image/jpeg', { isProgressive: true }],
    [9, 'image/jpeg', { isProgressive: true, channels: 4 }],
    [3, 'image/png'],
    [3, 'image/png', { channels: 4, depth: 'ushort' }],
    [4.5, 'image/png', { isProgressive: true }],
    [12, 'image/png', { isProgressive: true, channels: 4, depth: 'ushort' }],
    [5, 'image/webp'],
    [9, 'image/webp', { isAnimated: true }],
    [5, 'image/gif'],
    [20, 'image/avif'],
    [27, 'image/avif', { depth: 'ushort' }],
  ];
  for (const [perPixel, mimetype, header] of cases)
    assert.equal(
      Math.round(costOf(mimetype, 10, header, Buffer.alloc(0))),
      Math.round(10 * perPixel + thumbnails),
      mimetype,
    );
  // A large photo is accepted everywhere, the largest PNG by imports, and so is an AVIF of 40 megapixels.
  assert.ok(costOf('image/jpeg', 45, {}, Buffer.alloc(1.5e7)) * 1e6 < MAX_SERVING_BYTES);
  assert.ok(costOf('image/png', 100, {}, Buffer.alloc(2 ** 28)) * 1e6 < MAX_IMPORT_BYTES);
  assert.ok(costOf('image/avif', 36) * 1e6 + PROCESS_BYTES < MAX_IMPORT_BYTES);
  assert.ok(costOf('image/avif', 37) * 1e6 + PROCESS_BYTES > MAX_IMPORT_BYTES);
});

test('what leaves much memory behind is decoded in a process of its own', () => {
  const takesProcess = (...picture: Parameters<typeof planOf>) => planOf(...picture).isOwnProcess;
  assert.ok(takesProcess('image/avif', 6));
  assert.ok(takesProcess('image/jpeg', 20, { isProgressive: true }));
  assert.ok(takesProcess('image/webp', 20));
  // Most pictures are small, and starting a process takes time.
  assert.ok(!takesProcess('image/avif', 1));
  assert.ok(!takesProcess('image/jpeg', 3, { isProgressive: true }));
  // These are decoded line by line.
  assert.ok(!takesProcess('image/jpeg', 100));
  assert.ok(!takesProcess('image/png', 100));
});

test('an AVIF picture counts as large as what it is cropped from', () => {
  const box = (type: string, ...parts: Buffer[]) => {
    const content = Buffer.concat([Buffer.from(`....${type}`), ...parts]);
    content.writeUInt32BE(content.length);
    return content;
  };
  const size = (side: number) => {
    const facts = Buffer.alloc(12);
    facts.writeUInt32BE(side, 4);
    facts.writeUInt32BE(side, 8);
    return box('ispe', facts);
  };
  const file = Buffer.concat([
    box('ftyp'),
    box('meta', size(100), size(10_000), size(1)),
    box('mdat', size(60_000)),
  ]);
  assert.equal(Math.floor(costOf('image/avif', 1, {}, file)), 2030);
});

test('counts the frames of animations, whatever else they contain', async () => {
  for (const frames of [1, 3]) {
    const drawing = { file: '', width: 20, height: 10, colour: '#123456', frames };
    assert.equal(countFrames(await draw({ ...drawing, format: 'gif' }), 'image/gif'), frames);
    const webp = countFrames(await draw({ ...drawing, format: 'webp' }), 'image/webp');
    assert.equal(webp, frames === 1 ? 0 : frames);
  }
  assert.equal(countFrames(gifOfFrames(1000), 'image/gif'), 1000);
  assert.equal(countFrames(webpOfFrames(1000), 'image/webp'), 1000);
  // Cut anywhere, a file is still counted to its end.
  for (let length = 0; length < 100; length++) countFrames(gifOfFrames(3).subarray(0, length), 'image/gif');
});

test('rejects pictures that would take too much memory, without decoding them', async () => {
  const cases: [bytes: Buffer, reason: RegExp][] = [
    [
      await avifHeader(10_000, 10_000),
      /10000 x 10000 pixels takes up to 2001 MB of memory, more than 870 MB/,
    ],
    [gifOfFrames(MAX_FRAMES + 1), /more than 20000 frames/],
    [webpOfFrames(MAX_FRAMES + 1), /more than 20000 frames/],
  ];
  for (const [bytes, reason] of cases)
    await assert.rejects(readPicture(bytes, []), (error) => {
      assert.ok(error instanceof PictureError);
      assert.match(error.message, reason);
      return true;
    });
});

test('a decoder that ends before it has read the picture is a problem of the picture', async () => {
  const limits = { maxMemory: MAX_IMPORT_BYTES, timeoutMs: 1 };
  const { problem } = (await decodeInProcess(Buffer.alloc(2e7), [], limits)) as { problem: string };
  assert.equal(problem, 'the decoder ended with SIGKILL');
});
