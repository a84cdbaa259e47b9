/** From a filter to images: on every store, in every way, with and without caches, against a simple model. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Catalogue, Filter } from '../../src/catalogue/catalogue.ts';
import type { RandomInt } from '../../src/lib/random.ts';
import { defaultTuning } from '../../src/lib/tuning.ts';
import { openStore, openWriter } from '../../src/server/engines.ts';
import { selectionKey, selectShelves } from '../../src/store/read/selection.ts';
import { buildSnapshot, type SnapshotRow } from '../../src/store/view.ts';
import {
  albumId,
  type FilterQuery,
  matchingIds,
  type Picture,
  randomFilter,
  randomPictures,
  toQuery,
  toRecords,
} from '../support/catalogues/filters.ts';
import { listed, sandbox } from '../support/catalogues/import.ts';
import { drawFrom, idsOf } from '../support/checks/distribution.ts';
import { keepOnly, readAllImages } from '../support/checks/seeded-pages.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine, isEveryCase } from '../support/servers/engines.ts';
import { caller } from '../support/zukan/caller.ts';
import { seededRandomInt } from '../support/zukan/service.ts';

const IMAGES = 120;
const ROUNDS = 3;
const FILTERS_PER_ROUND = atDepth(6, 150);
const ALL = { offset: 0, limit: 2 * IMAGES };

const tunings = {
  'testing one by one, nothing cached': { ...defaultTuning, isCaching: false },
  'combining sets, nothing cached': { ...defaultTuning, isCaching: false, maxTestedImages: 0 },
  'combining sets': { ...defaultTuning, maxTestedImages: 0, maxItemsPerSlice: 7 },
  'as it is': defaultTuning,
};

let firstOrder: string[] | undefined;

await forEachEngine((engine) => {
  for (const [title, tuning] of Object.entries(tunings))
    test(`${title}: exactly the images that qualify, after every change`, async () => {
      const randomInt = seededRandomInt(61);
      const box = sandbox(engine);
      let pictures = randomPictures(0, IMAGES, randomInt);
      await box.import(records(pictures));
      await using store = await openStore(box.config, { tuning });
      let order: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        // Every store has the same order, and no change moves another image.
        const former = order;
        order = await readAllImages(store.catalogue, {}, 'seed');
        firstOrder ??= order;
        if (round === 0) assert.deepEqual(order, firstOrder);
        assert.deepEqual(keepOnly(order, former), keepOnly(former, order));
        const filters: FilterQuery[] = [{}, { album: [albumId] }, { album: [albumId], minWidth: 450 }];
        const count = isEveryCase(engine) ? FILTERS_PER_ROUND : 4;
        for (let other = 0; other < count; other++) filters.push(randomFilter(randomInt));
        for (const filter of filters) await assertFinds(store.catalogue, pictures, filter, order, randomInt);
        pictures = change(pictures, IMAGES + 10 * round, randomInt);
        await box.import(records(pictures));
        const removed = pictures.splice(randomInt(20), 3).map(({ id }) => id);
        await using writer = await openWriter(box.config);
        await writer.trashImages(removed);
        await writer.commit();
      }
    });
});

function records(pictures: Picture[]): object[] {
  const images = pictures.flatMap(({ id, isInAlbum }) => (isInAlbum ? [id] : []));
  return [...toRecords(pictures), { type: 'album', id: albumId, name: 'chosen', images }];
}

/** Some become others, enter the album or leave it, and some are new. */
function change(pictures: Picture[], nextPicture: number, randomInt: RandomInt): Picture[] {
  const others = randomPictures(0, pictures.length, randomInt);
  const changed = pictures.map((picture, at) => {
    // The file stays, and with it what an import has recorded of it.
    const { id, isAnimated, type } = picture;
    const { isInAlbum = false, ...rest } =
      randomInt(10) === 0 ? { ...others[at], id, isAnimated, type } : picture;
    return { ...(rest as Picture), isInAlbum: isInAlbum !== (randomInt(10) === 0) };
  });
  return [...changed, ...randomPictures(nextPicture, nextPicture + randomInt(6), randomInt)];
}

async function assertFinds(
  catalogue: Catalogue,
  pictures: Picture[],
  query: FilterQuery,
  order: string[],
  randomInt: RandomInt,
): Promise<void> {
  const filter = query as Filter;
  const expected = matchingIds(pictures, query);
  const text = toQuery(query);
  assert.deepEqual(idsOf(await listed(catalogue, filter, ALL)), expected, text);
  const latest = await catalogue.latestImages(filter, undefined, ALL.limit, caller);
  assert.ok('images' in latest);
  assert.deepEqual(idsOf(latest.images), expected.toReversed(), text);
  const limit = 1 + randomInt(25);
  const drawn = await drawFrom(catalogue, filter, limit, randomInt);
  assert.equal(drawn.length, Math.min(limit, expected.length), text);
  assert.deepEqual(
    drawn.filter((id) => !expected.includes(id)),
    [],
    text,
  );
  // Of the order of all images, a filter only leaves some out.
  assert.deepEqual(await readAllImages(catalogue, filter, 'seed'), keepOnly(order, expected), text);
}

describe('the plan of a filter', () => {
  const categories = ['a', 'b', 'c'].map((name, at): SnapshotRow => ['category', name, name, 20 + at, 1]);
  const fixed = ['sfw', 'questionable', 'nsfw'].map(
    (id, at): SnapshotRow => ['rating', id, null, 10 + at, 1],
  );
  const rows: SnapshotRow[] = [['catalogue', 'all', null, 1, 5], ...fixed, ...categories];
  const snapshot = buildSnapshot({ version: 1, lastImage: 5, documentRevision: 1 }, rows);

  test('unknown categories are reported before an unknown artist', () => {
    const missing = { artist: [undefined], character: [undefined] };
    const filter = { categories: ['a', 'Z'], exclude: ['q'], artist: ['z'] };
    const problem = { categories: ['Z'], exclude: ['q'] };
    assert.deepEqual(selectShelves(snapshot, filter, missing), { problem });
    assert.deepEqual(selectShelves(snapshot, { artist: ['z'], character: ['z'] }, missing), {
      problem: 'artist',
    });
  });

  test('selections of the same shelves have the same key, and others have another', () => {
    const key = (filter: Filter) => {
      const selection = selectShelves(snapshot, filter, {});
      assert.ok(!('problem' in selection));
      return selectionKey(selection);
    };
    assert.equal(key({ categories: ['a', 'b'] }), key({ categories: ['B', 'A', 'b'] }));
    assert.equal(key({ nsfw: ['sfw', 'nsfw'] }), key({ nsfw: ['nsfw', 'sfw', 'sfw'] }));
    assert.notEqual(key({ categories: ['a', 'b'] }), key({ categories: ['a', 'b'], match: 'any' }));
    assert.notEqual(key({ categories: ['a', 'b'] }), key({ categories: ['a'], exclude: ['b'] }));
    const sizes: Filter[] = [
      ...[{ minWidth: 2 }, { minHeight: 2 }, { maxWidth: 2 }, { maxHeight: 2 }, { minWidth: 3 }],
      ...[{ aspectRatio: '2:1' }, { aspectRatio: '1:2' }, { minWidth: 2, minHeight: 2 }, {}],
    ];
    assert.equal(new Set(sizes.map(key)).size, sizes.length);
  });
});
