/** Selections, sets and draws against a simple model: test every image by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sliceImages } from '../../src/catalogue/sets/image-set.ts';
import type { Filter } from '../../src/store/contract/catalogue.ts';
import { drawImages } from '../../src/store/draws.ts';
import { ImageSets } from '../../src/store/image-sets.ts';
import { type EntryShelves, selectionKey, selectShelves } from '../../src/store/selection.ts';
import { buildSnapshot, type Shelf, type SnapshotRow } from '../../src/store/shelves.ts';
import { caller } from '../support/zukan/caller.ts';
import { sliceReader } from './slices.ts';

const ratings = ['sfw', 'questionable', 'nsfw'] as const;
const orientations = ['landscape', 'portrait', 'square'] as const;
const categories = ['a', 'b', 'c', 'd'];

interface TestImage {
  nsfw: (typeof ratings)[number];
  orientation: (typeof orientations)[number];
  categories: string[];
  artist: string;
}

const image = fc.record<TestImage>({
  nsfw: fc.constantFrom(...ratings),
  orientation: fc.constantFrom(...orientations),
  categories: fc.subarray(categories),
  artist: fc.constantFrom('x', 'y'),
});
const some = <T>(values: readonly T[]) => fc.option(fc.subarray([...values]), { nil: undefined });
const filter = fc.record<Filter>({
  nsfw: some(ratings),
  orientation: some(orientations),
  categories: some(['A', 'b', 'C', 'd']),
  match: fc.constantFrom('all', 'any', undefined),
  exclude: some(['a', 'B', 'c']),
  artist: fc.constantFrom('x', 'y', undefined),
});

function qualifies(image: TestImage, filter: Filter): boolean {
  const { nsfw = [], orientation = [], match = 'all', artist } = filter;
  const included = (filter.categories ?? []).map((name) => name.toLowerCase());
  const excluded = (filter.exclude ?? []).map((name) => name.toLowerCase());
  const isIn = (name: string) => image.categories.includes(name);
  return (
    (nsfw.length === 0 || nsfw.includes(image.nsfw)) &&
    (orientation.length === 0 || orientation.includes(image.orientation)) &&
    (included.length === 0 || (match === 'any' ? included.some(isIn) : included.every(isIn))) &&
    !excluded.some(isIn) &&
    (artist === undefined || image.artist === artist)
  );
}

/** The shelves of images that are numbered from 1, some of which were removed. */
function buildShelves(images: (TestImage | undefined)[]) {
  const rows: SnapshotRow[] = [];
  const contents: number[][] = [];
  const add = (kind: string, id: string, category: string | null, holds: (image: TestImage) => boolean) => {
    const numbers = images.flatMap((image, index) => (image && holds(image) ? [index + 1] : []));
    rows.push([kind, id, category, contents.push(numbers) - 1, numbers.length]);
    return { number: contents.length - 1, size: numbers.length };
  };
  add('catalogue', 'all', null, () => true);
  for (const id of ratings) add('rating', id, null, ({ nsfw }) => nsfw === id);
  for (const id of orientations) add('orientation', id, null, ({ orientation }) => orientation === id);
  for (const name of categories) add('category', name, name, (image) => image.categories.includes(name));
  const artists: Record<string, Shelf> = {};
  const snapshot = buildSnapshot(1, images.length, [...rows]);
  for (const id of ['x', 'y']) artists[id] = add('artist', id, null, ({ artist }) => artist === id);
  return { snapshot, contents, artists };
}

test('a selection holds exactly the images that qualify, and draws come from it alone', async () => {
  const images = fc.array(fc.option(image, { nil: undefined }), { maxLength: 150 });
  await fc.assert(
    fc.asyncProperty(images, filter, fc.nat(), async (images, filter, random) => {
      const { snapshot, contents, artists } = buildShelves(images);
      const entries: EntryShelves = { artist: artists[filter.artist ?? ''] };
      const selection = selectShelves(snapshot, filter, entries);
      assert.ok(!('problem' in selection));
      const expected = images.flatMap((image, index) =>
        image && qualifies(image, filter) ? [index + 1] : [],
      );
      const readShelf = async (shelf: number | string, from: number, to: number) => ({
        version: 1,
        items: contents[Number(shelf)]?.slice(from, to) ?? [],
      });
      const set = await new ImageSets(sliceReader({ readShelf })).load(selection, caller);
      assert.deepEqual(set && sliceImages(set, { offset: 0, limit: 1000 }), expected);

      const view = ({ number }: Shelf) => ({
        at: (position: number) => contents[number]?.[position] as number,
        has: (image: number) => contents[number]?.includes(image) ?? false,
      });
      const drawn = drawImages(selection, view, 25, (below) => random % below);
      if (!drawn) return;
      assert.equal(new Set(drawn).size, drawn.length);
      assert.equal(drawn.length, Math.min(25, expected.length));
      assert.ok(drawn.every((number) => expected.includes(number)));
    }),
    { numRuns: 300 },
  );
});

test('reports unknown categories before an unknown artist', () => {
  const { snapshot } = buildShelves([]);
  assert.deepEqual(selectShelves(snapshot, { categories: ['a', 'Z'], exclude: ['q'], artist: 'z' }, {}), {
    problem: { categories: ['Z'], exclude: ['q'] },
  });
  assert.deepEqual(selectShelves(snapshot, { artist: 'z', character: 'z' }, {}), { problem: 'artist' });
});

test('selections of the same shelves have the same key, and others have another', () => {
  const { snapshot } = buildShelves([]);
  const key = (filter: Filter) => {
    const selection = selectShelves(snapshot, filter, {});
    assert.ok(!('problem' in selection));
    return selectionKey(selection);
  };
  assert.equal(key({ categories: ['a', 'b'] }), key({ categories: ['B', 'A', 'b'] }));
  assert.equal(key({ nsfw: ['sfw', 'nsfw'] }), key({ nsfw: ['nsfw', 'sfw', 'sfw'] }));
  assert.notEqual(key({ categories: ['a', 'b'] }), key({ categories: ['a', 'b'], match: 'any' }));
  assert.notEqual(key({ categories: ['a', 'b'] }), key({ categories: ['a'], exclude: ['b'] }));
});
