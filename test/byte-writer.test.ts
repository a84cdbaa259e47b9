/** Bytes are joined as they were written, and no memory belongs to two writers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteWriterPool } from '../src/lib/byte-writer.ts';

const source = Buffer.from(Array.from({ length: 40_000 }, (_, index) => index % 251));

test('joins any pieces, like Buffer.concat', () => {
  const pool = new ByteWriterPool();
  const position = fc.oneof(fc.integer({ min: 0, max: 2 * source.length }), fc.constant(Number.NaN));
  const piece = fc.oneof(
    fc.record({
      text: fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) }),
    }),
    fc.record({ byte: fc.integer({ min: 0, max: 255 }) }),
    fc.record({ start: position, end: position }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const out = pool.writer();
      let expected = Buffer.alloc(0);
      for (const piece of pieces) {
        if ('text' in piece) {
          out.text(piece.text);
          expected = Buffer.concat([expected, Buffer.from(piece.text, 'latin1')]);
        } else if ('byte' in piece) {
          out.byte(piece.byte);
          expected = Buffer.concat([expected, Buffer.of(piece.byte)]);
        } else {
          out.copy(source, piece.start, piece.end);
          const copied = piece.start < piece.end ? source.subarray(piece.start, piece.end) : Buffer.alloc(0);
          expected = Buffer.concat([expected, copied]);
        }
        assert.equal(out.length, expected.length);
        assert.ok(out.bytes.equals(expected));
      }
      out.release();
    }),
  );
});

test('memory is used again only after it was released', () => {
  const pool = new ByteWriterPool();
  const [first, second] = [pool.writer(), pool.writer()];
  first.text('first');
  second.text('second');
  const { buffer } = first.bytes;
  assert.equal(first.bytes.toString(), 'first');
  assert.notEqual(second.bytes.buffer, buffer);
  first.release();
  assert.equal(first.length, 0);
  const third = pool.writer();
  third.text('third');
  assert.equal(third.bytes.buffer, buffer);
  // Releasing it twice must not give the memory to two others.
  first.release();
  const fourth = pool.writer();
  fourth.text('fourth');
  assert.equal(third.bytes.toString(), 'third');
});

test('memory of a very long response is not kept', () => {
  const pool = new ByteWriterPool();
  const long = pool.writer();
  for (let copies = 0; copies < 10; copies++) long.append(source);
  const { buffer } = long.bytes;
  long.release();
  const next = pool.writer();
  next.text('next');
  assert.notEqual(next.bytes.buffer, buffer);
});
