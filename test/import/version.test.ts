/** Which images new bytes of files are other versions of, and how strict their ratings are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { composeDocument } from '../../src/catalogue/documents/document.ts';
import { NO_DETAILS, type Rating } from '../../src/catalogue/schemas.ts';
import { type Former, looksLike, planVersion } from '../../src/import/plan/looks.ts';
import { uuid } from '../support/catalogues/catalogue.ts';

const ratings: Rating[] = ['sfw', 'questionable', 'nsfw'];
const rank = (rating: Rating | undefined) => (rating === undefined ? -1 : ratings.indexOf(rating));

/** A hash that differs from that of zeros in so many bits. */
function hashAt(distance: number): string {
  const bits = '1'.repeat(distance).padEnd(128, '0');
  return Array.from({ length: 32 }, (_, at) =>
    Number.parseInt(bits.slice(4 * at, 4 * at + 4), 2).toString(16),
  ).join('');
}

test('files look alike up to a distance, which is shorter for another type, and never without detail', () => {
  const like = (distance: number, path: string) =>
    looksLike({ path: 'a.webp', perceptualHash: hashAt(0) }, { path, perceptualHash: hashAt(distance) });
  assert.deepEqual(
    [36, 37].map((distance) => like(distance, 'a.webp')),
    [true, false],
  );
  assert.deepEqual(
    [14, 15].map((distance) => like(distance, 'a.png')),
    [true, false],
  );
  for (const perceptualHash of ['', null])
    assert.ok(!looksLike({ path: 'a', perceptualHash }, { path: 'a', perceptualHash }));
});

function documentOf(id: string, nsfw: Rating) {
  const dimens = { width: 4, height: 3, aspectRatio: '4:3', orientation: 'landscape' } as const;
  const meta = { eTag: 'e', size: 1, mimetype: 'image/png', color: '#102030', dimens } as const;
  const fields = {
    id,
    artist: uuid(2, 1),
    source: { name: '', url: '' },
    nsfw,
    createdAt: '2026-01-01T00:00:00.000Z',
    meta,
  };
  return composeDocument({ ...fields, ...NO_DETAILS }, 'k', '{}', [], []);
}

const rating = fc.constantFrom(...ratings);
const edited = fc.constantFrom('', 'rating', 'file-changed', 'title');
const former = fc.record({
  path: fc.constantFrom('a.webp', 'a.png', 'a.jpg'),
  rating,
  edited,
  distance: fc.constantFrom(0, 14, 15, 36, 37, 60),
  isReplaced: fc.boolean(),
});

test('whatever a picture looks like, its rating is at least what its file had and what it states', () => {
  const property = fc.property(
    fc.option(rating, { nil: undefined }),
    fc.array(former, { maxLength: 4 }),
    fc.array(fc.record({ rating, edited }), { maxLength: 2 }),
    (stated, given, trash) => {
      const formers = given.map(({ path, rating, edited, distance, isReplaced }, index): Former => {
        const document = documentOf(uuid(4, index), rating);
        const image = {
          number: index,
          id: uuid(4, index),
          eTag: 'e',
          key: 'k',
          mimetype: 'image/png' as const,
          document,
        };
        return { path, isReplaced, image: { ...image, edited, perceptualHash: hashAt(distance) } };
      });
      const file = { path: 'a.webp', perceptualHash: hashAt(0) };
      const trashed = trash.map(({ rating, edited }) => ({
        document: documentOf(uuid(4, 9), rating),
        edited,
      }));
      const { id, former } = planVersion(file, stated, formers, trashed);
      const continued = given[formers.findIndex(({ image }) => image.id === id)];
      const replaced = given.filter((one) => one.isReplaced || one.path === file.path || !continued);
      if (continued) {
        assert.ok(continued.isReplaced);
        assert.ok(continued.distance <= (continued.path === file.path ? 36 : 14));
      } else assert.ok(!given.some((one) => one.isReplaced && one.distance <= 14));
      const before = [...replaced, ...trash];
      const least = before.map(({ rating }) => rating);
      if (least.length === 0) return assert.equal(former, undefined);
      assert.equal(rank(former?.rating), Math.max(rank(stated), ...least.map(rank)));
      const isRated = before.some(({ edited }) => edited === 'rating' || edited === 'file-changed');
      const isLowered = stated !== undefined && least.some((one) => rank(one) > rank(stated));
      assert.equal(former?.isMarked, isRated || isLowered);
    },
  );
  fc.assert(property, { numRuns: 500 });
});
