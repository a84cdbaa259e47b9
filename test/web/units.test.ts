/** The modules of pages that need no browser: previews, texts and zoom. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatCount, formatDuration, formatSize } from '../../web/text.ts';
import { fitted, initialZoom, moveBy, type Room, reach, toggle, type Zoom, zoomBy } from '../../web/zoom.ts';

test('sizes, durations and counts are formatted', () => {
  assert.deepEqual([0, 999, 1000, 37_400, 2_345_678].map(formatSize), [
    ...['0 bytes', '999 bytes', '1.0 KB', '37 KB', '2.3 MB'],
  ]);
  assert.deepEqual([0, 59.2, 61, 3600, 90_000].map(formatDuration), [
    ...['0 s', '1 min 0 s', '1 min 1 s', '1 h 0 min', '1 d 1 h'],
  ]);
  assert.deepEqual(
    [formatCount(1, 'categories'), formatCount(1234, 'images'), formatCount(0, 'artists')],
    ['1 category', '1,234 images', '0 artists'],
  );
});

/** A picture that fits a stage of 800 x 600. */
function roomFor(width: number, height: number): Room {
  const stage = { width: 800, height: 600 };
  const scale = Math.min(stage.width / width, stage.height / height);
  return { stage, frame: { width: width * scale, height: height * scale }, original: { width, height } };
}

const centre = { x: 0, y: 0 };
const side = fc.integer({ min: 1, max: 20_000 });
const points = fc.record({ x: fc.integer({ min: -400, max: 400 }), y: fc.integer({ min: -300, max: 300 }) });
const change = fc.tuple(fc.double({ min: 0.1, max: 10, noNaN: true }), points, points);

describe('zoom', () => {
  test('never leaves a gap that the fitted picture does not have', () => {
    fc.assert(
      fc.property(side, side, fc.array(change, { maxLength: 5 }), (width, height, changes) => {
        const room = roomFor(width, height);
        let zoom: Zoom = fitted;
        for (const [factor, at, by] of changes) {
          zoom = moveBy(zoomBy(zoom, factor, at, room), by.x, by.y, room);
          assert.ok(zoom.scale >= 1);
          const most = reach(zoom, room);
          assert.ok(Math.abs(zoom.x) <= most.x && Math.abs(zoom.y) <= most.y);
        }
      }),
    );
  });

  test('keeps what is under the pointer in its place', () => {
    const room = roomFor(4000, 3000);
    const at = { x: 100, y: -50 };
    const before = zoomBy(fitted, 3, centre, room);
    const after = zoomBy(before, 1.5, at, room);
    const pictured = (zoom: Zoom) => [(at.x - zoom.x) / zoom.scale, (at.y - zoom.y) / zoom.scale];
    pictured(after).forEach((value, index) => {
      assert.ok(Math.abs(value - (pictured(before)[index] ?? 0)) < 1e-9);
    });
  });

  test('toggles between the whole picture and a close-up', () => {
    const room = roomFor(4000, 3000);
    const close = toggle(fitted, { x: 400, y: 300 }, room);
    assert.deepEqual(close, { scale: 3, x: -800, y: -600 });
    assert.deepEqual(toggle(close, centre, room), fitted);
    assert.equal(toggle(fitted, centre, roomFor(100, 75)).scale, 2, 'a small picture');
    assert.equal(toggle(fitted, centre, roomFor(3000, 500)).scale, 4.5, 'a wide picture fills the height');
  });

  test('can show each pixel of the file, and no more than twice as large', () => {
    const room = roomFor(16_000, 12_000);
    assert.equal(zoomBy(fitted, 1000, centre, room).scale, 40);
    assert.equal(zoomBy(fitted, 1000, centre, roomFor(80, 60)).scale, 3);
  });

  test('starts with the whole picture, but with the top of a strip', () => {
    assert.deepEqual(initialZoom(roomFor(600, 900)), fitted);
    assert.deepEqual(initialZoom(roomFor(9000, 600)), fitted);
    const room = roomFor(600, 9000);
    const { scale, x, y } = initialZoom(room);
    assert.deepEqual([scale * room.frame.width, x], [800, 0]);
    assert.equal(y, (scale * room.frame.height - 600) / 2);
  });
});
