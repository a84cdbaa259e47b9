/** Selections, sets and draws against a simple model: test every image by itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ImageDimensions, isWithin } from '../../src/catalogue/sets/dimension-index.ts';
import { sliceImages } from '../../src/catalogue/sets/image-set.ts';
import { defaultTuning } from '../../src/lib/tuning.ts';
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
  characters: string[];
  isAnimated: boolean;
  width: number;
  height: number;
}

const image = fc.record<TestImage>({
  nsfw: fc.constantFrom(...ratings),
  orientation: fc.constantFrom(...orientations),
  categories: fc.subarray(categories),
  artist: fc.constantFrom('x', 'y', 'z'),
  characters: fc.subarray(['v', 'w']),
  isAnimated: fc.boolean(),
  width: fc.integer({ min: 1, max: 60 }),
  height: fc.integer({ min: 1, max: 60 }),
});
const some = <T>(values: readonly T[]) => fc.option(fc.subarray([...values]), { nil: undefined });
const filter = fc.record<Filter>({
  nsfw: some(ratings),
  orientation: some(orientations),
  categories: some(['A', 'b', 'C', 'd']),
  match: fc.constantFrom('all', 'any', undefined),
  exclude: some(['a', 'B', 'c']),
  artist: some(['x', 'y']),
  excludeArtist: some(['y', 'z']),
  character: some(['v', 'w']),
  animated: fc.constantFrom(true, false, undefined),
  minWidth: fc.constantFrom(1, 20, 70, undefined),
  minHeight: fc.constantFrom(1, 30, undefined),
  aspectRatio: fc.constantFrom('1:1', '50:51', '4:3', '99999:1', undefined),
});

function qualifies(image: TestImage, filter: Filter): boolean {
  const { nsfw = [], orientation = [], match = 'all', artist = [], excludeArtist = [] } = filter;
  const { character = [], animated, minWidth = 1, minHeight = 1, aspectRatio } = filter;
  const [across = 0, down = 0] = aspectRatio?.split(':').map(Number) ?? [];
  const [actual, wanted] = [100 * image.width * down, image.height * across];
  const included = (filter.categories ?? []).map((name) => name.toLowerCase());
  const excluded = (filter.exclude ?? []).map((name) => name.toLowerCase());
  const isIn = (name: string) => image.categories.includes(name);
  return (
    (nsfw.length === 0 || nsfw.includes(image.nsfw)) &&
    (orientation.length === 0 || orientation.includes(image.orientation)) &&
    (included.length === 0 || (match === 'any' ? included.some(isIn) : included.every(isIn))) &&
    !excluded.some(isIn) &&
    (artist.length === 0 || artist.includes(image.artist)) &&
    !excludeArtist.includes(image.artist) &&
    (character.length === 0 || character.some((id) => image.characters.includes(id))) &&
    (animated === undefined || image.isAnimated === animated) &&
    image.width >= minWidth &&
    image.height >= minHeight &&
    (aspectRatio === undefined || (actual >= 98 * wanted && actual <= 102 * wanted))
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
  add('animation', 'animated', null, ({ isAnimated }) => isAnimated);
  const entries: Record<string, Shelf> = {};
  const snapshot = buildSnapshot(1, images.length, [...rows]);
  for (const id of ['x', 'y', 'z']) entries[id] = add('artist', id, null, ({ artist }) => artist === id);
  for (const id of ['v', 'w'])
    entries[id] = add('character', id, null, ({ characters }) => characters.includes(id));
  return { snapshot, contents, entries };
}

test('a selection holds exactly the images that qualify, and draws come from it alone', async () => {
  const images = fc.array(fc.option(image, { nil: undefined }), { maxLength: 150 });
  await fc.assert(
    fc.asyncProperty(images, filter, fc.nat(), async (images, filter, random) => {
      const { snapshot, contents, entries: byId } = buildShelves(images);
      const find = (ids: readonly string[] | undefined) => (ids ?? []).map((id) => byId[id]);
      const entries: EntryShelves = {
        artist: find(filter.artist),
        excludeArtist: find(filter.excludeArtist),
        character: find(filter.character),
      };
      const selection = selectShelves(snapshot, filter, entries);
      assert.ok(!('problem' in selection));
      const expected = images.flatMap((image, index) =>
        image && qualifies(image, filter) ? [index + 1] : [],
      );
      const readShelf = async (shelf: number | string, from: number, to: number) => ({
        version: 1,
        items: contents[Number(shelf)]?.slice(from, to) ?? [],
      });
      const dimensions = (number: number): ImageDimensions | undefined => {
        const image = images[number - 1];
        return image && [number, image.width, image.height];
      };
      const reader = sliceReader({ readShelf, dimensions, lastImage: images.length, itemsPerSlice: 20 });
      const maxMembershipTests = random % 2 === 0 ? 0 : defaultTuning.maxMembershipTests;
      const set = await new ImageSets(reader, { ...defaultTuning, maxMembershipTests }).load(
        selection,
        caller,
      );
      assert.deepEqual(set && sliceImages(set, { offset: 0, limit: 1000 }), expected);

      const view = ({ number }: Shelf) => ({
        at: (position: number) => contents[number]?.[position] as number,
        has: (image: number) => contents[number]?.includes(image) ?? false,
      });
      const isWithinBounds = (number: number) => {
        const [, width, height] = dimensions(number) as ImageDimensions;
        return !selection.bounds || isWithin(selection.bounds, width, height);
      };
      const drawn = drawImages(selection, view, isWithinBounds, 25, (below) => random % below);
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
  const missing = { artist: [undefined], character: [undefined] };
  assert.deepEqual(
    selectShelves(snapshot, { categories: ['a', 'Z'], exclude: ['q'], artist: ['z'] }, missing),
    {
      problem: { categories: ['Z'], exclude: ['q'] },
    },
  );
  assert.deepEqual(selectShelves(snapshot, { artist: ['z'], character: ['z'] }, missing), {
    problem: 'artist',
  });
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
  assert.equal(key({ minWidth: 1, minHeight: 1 }), key({}));
  const sizes = [{ minWidth: 2 }, { minHeight: 2 }, { aspectRatio: '2:1' }, { aspectRatio: '1:2' }, {}];
  assert.equal(new Set(sizes.map(key)).size, sizes.length);
});
