/** The parts of the dialog that need no browser: zoom, neighbours and file names. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fileName } from '../../web/image-actions.ts';
import { findPlace } from '../../web/neighbours.ts';
import type { GalleryImage } from '../../web/types.ts';
import { fitted, initialZoom, moveBy, type Room, reach, toggle, type Zoom, zoomBy } from '../../web/zoom.ts';

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

test('neighbours of an image outside of the list are those after the last one', () => {
  const ids = ['a', 'b', 'c'];
  assert.deepEqual(findPlace(ids, 'b', -1), { previous: 'a', next: 'c', index: 1 });
  assert.deepEqual(findPlace(ids, 'a', 2), { previous: undefined, next: 'b', index: 0 });
  assert.deepEqual(findPlace(ids, 'shared', -1), { previous: undefined, next: 'a', index: -1 });
  assert.deepEqual(findPlace(ids, 'similar', 1), { previous: 'b', next: 'c', index: 1 });
  assert.deepEqual(findPlace(ids, 'similar', 2), { previous: 'c', next: undefined, index: 2 });
  assert.deepEqual(findPlace([], 'any', 5), { previous: undefined, next: undefined, index: -1 });
});

test('file names are readable, unique and valid everywhere', () => {
  const nameOf = (names: string[], artist: string, mimetype: string) =>
    fileName({
      id: '8d99a88c-3fc9-531b-b620-4685268accf2',
      artist: 'a',
      meta: { mimetype },
      artistDetails: { name: artist },
      characters: names.map((name) => ({ name })),
      categories: [],
    } as unknown as GalleryImage);
  assert.equal(nameOf(['Nami', 'Mio'], 'A. & B.', 'image/jpeg'), 'Nami and Mio by A. & B. (8d99a88c).jpg');
  assert.equal(nameOf([], 'x', 'image/webp'), 'Image by x (8d99a88c).webp');
  assert.equal(nameOf(['../..\\a:b\u202e\n'], '<c>|"?*', 'image/gif'), 'a b by c (8d99a88c).gif');
  assert.ok(nameOf(['図'.repeat(500)], 'x', 'image/png').length < 120);
});
