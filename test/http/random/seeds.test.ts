/** Seeds: each is one order of all images, the same on every store. Filters and limits only leave images out. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Filter } from '../../../src/catalogue/catalogue.ts';
import { openStore } from '../../../src/server/engines.ts';
import {
  artists,
  characters,
  type FilterQuery,
  matchingIds,
  randomPictures,
  toQuery,
  toRecords,
} from '../../support/catalogues/filters.ts';
import { sandbox } from '../../support/catalogues/import.ts';
import { range } from '../../support/checks/distribution.ts';
import { readAllImages, readAllPages, readPage } from '../../support/checks/seeded-pages.ts';
import { casesFor, type Engine, forEachEngineInDepth, isEveryCase } from '../../support/servers/engines.ts';
import { clock } from '../../support/zukan/api.ts';
import { seededRandomInt, startService } from '../../support/zukan/service.ts';

const pictures = randomPictures(0, 250, seededRandomInt(21));
const filters: FilterQuery[] = [
  { nsfw: ['sfw'] },
  { nsfw: ['questionable', 'nsfw'] },
  { orientation: ['portrait', 'square'] },
  { categories: ['Alpha'] },
  { categories: ['Alpha', 'beta'] },
  { categories: ['Alpha', 'beta', 'rare'], match: 'any' },
  { exclude: ['Alpha', 'night sky'] },
  { artist: artists.slice(1, 2) },
  { character: characters.slice(0, 1) },
  { nsfw: ['sfw'], orientation: ['landscape'], exclude: ['beta'], artist: artists.slice(0, 1) },
];

async function serve(engine: Engine, randomSeed: number) {
  const box = sandbox(engine);
  await box.import(toRecords(pictures));
  return startService(box.config, { clock, randomInt: seededRandomInt(randomSeed) });
}

/** The orders of the first store. The other stores must return the same. */
const firstOrders = new Map<string, string[]>();

await forEachEngineInDepth(async (engine) => {
  const service = await serve(engine, 1);
  const store = await openStore(service.config);
  after(() => store[Symbol.asyncDispose]());

  // On other stores, the last test compares the orders with those of SQLite.
  describe('a seed', () => {
    if (!isEveryCase(engine)) return;

    test('returns the same images in the same order every time, on every instance', async () => {
      const first = await readPage(service, 'seed=2026-11-14&limit=25');
      assert.equal(first.ids.length, 25);
      const elsewhere = await serve(engine, 2);
      const later = await startService(service.config, { clock: () => clock() + 10 ** 9 });
      await readPage(service, 'limit=25');
      for (const one of [service, elsewhere, later])
        for (const query of ['seed=2026-11-14&limit=25', 'limit=25&junk=1&seed=2026%2D11%2D14'])
          assert.deepEqual((await readPage(one, query)).ids, first.ids);
    });

    test('returns other images than similar seeds', async () => {
      const seeds = [
        'a',
        'A',
        'b',
        'aa',
        ' a',
        'a ',
        '1',
        '01',
        '1.0',
        '+1',
        '0',
        '-1',
        'é',
        'e\u0301',
        '\0',
        'a\0',
      ];
      const more = [
        'x'.repeat(64),
        'x'.repeat(63),
        `${'x'.repeat(63)}y`,
        '\u{1F600}',
        '\u{1F601}',
        '2026-11-14',
      ];
      const all = [...seeds, ...more, '2026-11-15', '4294967296', '4294967297', 'null', 'undefined'];
      const seedsByIds = new Map<string, string>();
      for (const seed of all) {
        const { ids } = await readPage(service, `seed=${encodeURIComponent(seed)}&limit=10`);
        const twin = seedsByIds.get(ids.join());
        assert.equal(twin, undefined, `${JSON.stringify(seed)} returns the same as ${JSON.stringify(twin)}`);
        seedsByIds.set(ids.join(), seed);
      }
    });

    test('is not the order of another seed, rotated or reversed', async () => {
      const one = await readAllPages(service, 'seed=one');
      const other = await readAllPages(service, 'seed=two');
      assert.deepEqual([...one].sort(), [...other].sort());
      const follows = (order: string[]) =>
        new Set(order.map((id, at) => `${id} ${order[(at + 1) % order.length]}`));
      // Random orders share about one pair of neighbours.
      for (const order of [other, other.toReversed(), matchingIds(pictures), [...other].sort()])
        assert.ok(follows(one).intersection(follows(order)).size < 10);
    });

    for (const seed of ['one', '2026-11-14'])
      test(`"${seed}" with a filter keeps the order of the images that match`, async () => {
        const whole = await readAllPages(service, `seed=${seed}`);
        assert.deepEqual([...whole].sort(), matchingIds(pictures).sort());
        for (const filter of filters) {
          const matching = new Set(matchingIds(pictures, filter));
          const left = whole.filter((id) => matching.has(id));
          assert.ok(left.length > 1, toQuery(filter));
          assert.deepEqual(
            await readAllImages(store.catalogue, filter as Filter, seed),
            left,
            toQuery(filter),
          );
        }
      });

    test('with a limit returns the start of the order', async () => {
      for (const query of ['seed=one', 'seed=one&nsfw=sfw', 'seed=one&categories=alpha,beta&match=any']) {
        const { ids } = await readPage(service, `${query}&limit=25`);
        assert.equal(ids.length, 25);
        for (const limit of [...range(1, 25).filter((limit) => limit % 4 === 1), 24])
          assert.deepEqual(
            (await readPage(service, `${query}&limit=${limit}`)).ids,
            ids.slice(0, limit),
            query,
          );
        assert.deepEqual((await readPage(service, query)).ids, ids.slice(0, 10), 'the default limit is ten');
      }
    });
  });

  test('every store returns the same orders', async () => {
    assert.deepEqual(
      await readAllPages(service, 'seed=one', () => 24),
      await readAllImages(store.catalogue, {}, 'one'),
    );
    const orders = [{}, ...filters].flatMap((filter) =>
      ['one', 'é\0\u{1F600}', '2026-11-14'].map((seed) => [filter, seed] as const),
    );
    // One in two has every filter and every seed.
    for (const [filter, seed] of casesFor(engine, orders, 2)) {
      const order = await readAllImages(store.catalogue, filter as Filter, seed);
      const name = `${toQuery(filter)}&seed=${encodeURIComponent(seed)}`;
      assert.deepEqual(order, firstOrders.get(name) ?? order, name);
      firstOrders.set(name, order);
    }
  });
});
