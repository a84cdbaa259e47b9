/** Bytes to lines, however they are cut. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineError, lineText, MAX_LINE_BYTES, readLines } from '../../src/import/lines.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const lines = async (bytes: Buffer, size: number) => Array.fromAsync(readLines(inPieces(bytes, size)));

test('lines are the same in pieces of any size', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.string()),
    fc.integer({ min: 1, max: 9 }),
    async (texts, size) => {
      const clean = texts.map((text) => text.replaceAll('\n', ''));
      const read = await lines(Buffer.from(clean.map((text) => `${text}\n`).join('')), size);
      assert.deepEqual(
        read.map(({ number, bytes }) => [number, bytes.toString()]),
        clean.map((text, index) => [index + 1, text]),
      );
    },
  );
  await fc.assert(property);
});

test('the last line needs no line feed', async () => {
  assert.deepEqual(
    (await lines(Buffer.from('a\nb'), 2)).map(({ bytes }) => bytes.toString()),
    ['a', 'b'],
  );
});

test('a line that never ends is cut off and refused, and the next one is read', async () => {
  const read = await lines(Buffer.from(`${'x'.repeat(3 * MAX_LINE_BYTES)}\nnext`), 65_536);
  assert.equal(read.length, 2);
  assert.ok((read[0]?.bytes.length ?? 0) < MAX_LINE_BYTES + 70_000);
  assert.throws(() => lineText(read[0]?.bytes as Buffer), LineError);
  assert.equal(lineText(read[1]?.bytes as Buffer), 'next');
});

test('what is not UTF-8 is refused, a byte order mark and line ends of Windows are not', () => {
  assert.throws(() => lineText(Buffer.from([0x22, 0xff, 0x22])), /not valid UTF-8/);
  assert.equal(lineText(Buffer.from('\uFEFF{}\r')), '{}');
});
