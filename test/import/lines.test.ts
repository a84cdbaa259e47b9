/** Splitting bytes into lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lineText, MAX_LINE_BYTES, RecordError, readLines } from '../../src/import/records/lines.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const lines = async (bytes: Buffer, size: number) =>
  (await Array.fromAsync(readLines(inPieces(bytes, size)))).flat();

test('reads the same lines from chunks of any size', async () => {
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

test('reads a last line without a line feed', async () => {
  assert.deepEqual(
    (await lines(Buffer.from('a\nb'), 2)).map(({ bytes }) => bytes.toString()),
    ['a', 'b'],
  );
});

test('rejects a line that is too long, and reads the next one', async () => {
  const read = await lines(Buffer.from(`${'x'.repeat(3 * MAX_LINE_BYTES)}\nnext`), 65_536);
  assert.equal(read.length, 2);
  assert.ok((read[0]?.bytes.length ?? 0) < MAX_LINE_BYTES + 70_000);
  assert.throws(() => lineText(read[0]?.bytes as Buffer), RecordError);
  assert.equal(lineText(read[1]?.bytes as Buffer), 'next');
});

test('rejects invalid UTF-8, and ignores a byte order mark and Windows line endings', () => {
  assert.throws(() => lineText(Buffer.from([0x22, 0xff, 0x22])), /not valid UTF-8/);
  assert.equal(lineText(Buffer.from('\uFEFF{}\r')), '{}');
});
