/** The order of a seed while the catalogue changes: imports and removals affect no other image. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Filter } from '../../../src/catalogue/catalogue.ts';
import { openStore } from '../../../src/server/engines.ts';
import {
  type FilterQuery,
  matchingIds,
  type Picture,
  randomPictures,
  toQuery,
  toRecords,
} from '../../support/catalogues/filters.ts';
import { sandbox } from '../../support/catalogues/import.ts';
import { keepOnly, readAllImages, readAllPages, readPage } from '../../support/checks/seeded-pages.ts';
import { forEachEngineInDepth, isEveryCase, testOnOneStore } from '../../support/servers/engines.ts';
import { clock } from '../../support/zukan/api.ts';
import { runCommand } from '../../support/zukan/program.ts';
import { seededRandomInt, startService } from '../../support/zukan/service.ts';

const all = randomPictures(0, 200, seededRandomInt(31));
const [before, added] = [all.slice(0, 120), all.slice(120)];
const safe: FilterQuery = { nsfw: ['sfw'] };
const anyOfTwo: FilterQuery = { categories: ['Alpha', 'beta'], match: 'any' };
const filters: FilterQuery[] = [
  {},
  safe,
  anyOfTwo,
  { exclude: ['Alpha'], orientation: ['landscape', 'square'] },
];

/** The orders of the first store after each change. The other stores must return the same. */
const firstOrders = new Map<string, string[]>();

await forEachEngineInDepth(async (engine) => {
  async function serve(pictures: Picture[]) {
    const box = sandbox(engine);
    await box.import(toRecords(pictures));
    const service = await startService(box.config, { clock });
    const store = await openStore(box.config);
    after(() => store[Symbol.asyncDispose]());
    const readOrders = async () =>
      Promise.all(filters.map((filter) => readAllImages(store.catalogue, filter as Filter, 's')));
    return {
      service,
      readOrders,
      add: (pictures: Picture[]) => box.import(toRecords(pictures)),
      remove: (...ids: string[]) => runCommand(['remove', '--yes', ...ids], box.environment),
    };
  }

  // On other stores, the last test compares the orders with those of SQLite.
  if (isEveryCase(engine)) await testOrders();

  async function testOrders() {
    /** For tests that do not depend on what the ones before them left. */
    const shared = await serve(before);

    describe('the order of a seed', () => {
      test('inserts new images without moving the others', async () => {
        const { readOrders, add } = await serve(all.slice(0, 12));
        // From few to many, in case the order depends on the number of images.
        let earlier = await readOrders();
        for (const [few, many] of [
          [12, 60],
          [60, 200],
        ] as const) {
          await add(all.slice(few, many));
          const later = await readOrders();
          for (const [at, filter] of filters.entries()) {
            const [order = [], old = []] = [later[at], earlier[at]];
            assert.deepEqual([...order].sort(), matchingIds(all.slice(0, many), filter).sort());
            assert.deepEqual(keepOnly(order, old), old, toQuery(filter));
            // Spread out, not all at one end: at least a tenth of them is in either half.
            const fresh = matchingIds(all.slice(few, many), filter);
            const half = keepOnly(order.slice(0, order.length / 2), fresh).length / fresh.length;
            assert.ok(
              half > 1 / 10 && half < 9 / 10,
              `${toQuery(filter)}: ${half} of the new images in the first half`,
            );
          }
          earlier = later;
        }
      });

      test('is the same after one import or many', async () => {
        const once = await (await serve(all)).readOrders();
        const slowly = await serve(all.slice(0, 7));
        for (const [from, to] of [
          [0, 110],
          [100, 200],
        ] as const)
          await slowly.add(all.slice(from, to));
        assert.deepEqual(await slowly.readOrders(), once);
      });

      test('adds or drops an image whose rating or categories change, without moving the others', async () => {
        const { readOrders, add } = shared;
        const [whole = [], sfw = [], any = []] = await readOrders();
        const picture = (has: (picture: Picture) => boolean) =>
          before.findLast(has) ?? assert.fail('no such picture');
        const leaves = picture(({ id, nsfw }) => nsfw === 'sfw' && any.includes(id));
        const comes = picture(({ nsfw, categories }) => nsfw === 'nsfw' && categories.length === 0);
        await add([
          { ...leaves, nsfw: 'questionable', categories: [] },
          { ...comes, nsfw: 'sfw', categories: ['beta'] },
        ]);
        const [wholeNow, sfwNow = [], anyNow = []] = await readOrders();
        assert.deepEqual(wholeNow, whole);
        for (const [was, is] of [
          [sfw, sfwNow],
          [any, anyNow],
        ] as const) {
          assert.deepEqual(is, keepOnly(whole, [...was.filter((id) => id !== leaves.id), comes.id]));
          assert.ok(was.includes(leaves.id) && !was.includes(comes.id));
        }
        await add([leaves, comes]);
        assert.deepEqual((await readOrders()).slice(0, 3), [whole, sfw, any]);
      });

      test('drops removed images without moving the others', async () => {
        const { readOrders, remove } = shared;
        const earlier = await readOrders();
        const [whole = []] = earlier;
        // The first and the last in the order, the oldest, the newest, and one in between.
        const gone = [whole[0], whole.at(-1), before[0]?.id, before.at(-1)?.id, before[77]?.id].map(String);
        await remove(...new Set(gone));
        assert.deepEqual(
          await readOrders(),
          earlier.map((order) => order.filter((id) => !gone.includes(id))),
        );
      });
    });

    test('paging by cursor ends when all remaining images were removed or no longer match', async () => {
      const { service, add, remove } = shared;
      const order = await readAllPages(service, 'seed=s&nsfw=sfw');
      const { cursor } = await readPage(service, 'seed=s&nsfw=sfw&limit=25');
      const [one = '', ...others] = order.slice(25);
      await remove(one);
      await add(
        before.filter(({ id }) => others.includes(id)).map((picture) => ({ ...picture, nsfw: 'nsfw' })),
      );
      const last = await readPage(service, `seed=s&nsfw=sfw&cursor=${encodeURIComponent(cursor ?? '')}`);
      assert.deepEqual(last, { ids: [], cursor: null, next: undefined });
    });
  }

  describe('paging by cursor', () => {
    testOnOneStore(engine)('across imports and removals repeats nothing and misses nothing', async () => {
      const { service, add, remove } = await serve(before);
      const readTwoPages = async (filter: FilterQuery) => {
        const query = `${toQuery(filter)}&seed=s`;
        const order = await readAllPages(service, query);
        const first = await readPage(service, `${query}&limit=25`);
        const cursor = encodeURIComponent(first.cursor ?? '');
        const second = await readPage(service, `${query}&limit=20&cursor=${cursor}`);
        const shown = [...first.ids, ...second.ids];
        assert.deepEqual(shown, order.slice(0, 45));
        return { query, order, shown, cursor: second.cursor };
      };
      const readers = await Promise.all([{}, safe, anyOfTwo].map(readTwoPages));
      // Of each order: the last one shown, the next one, one shown earlier, and one far ahead. The last two come back.
      const gone = readers.flatMap(({ order }) => [order[44], order[45], order[3], order.at(-2)].map(String));
      const back = readers.flatMap(({ order }) => [order[3], order.at(-2)].map(String));
      await remove(...new Set(gone));
      await add([...added, ...before.filter(({ id }) => back.includes(id))]);
      for (const { query, order, shown, cursor } of readers) {
        const rest = await readAllPages(service, query, () => 7, cursor);
        const twice = rest.filter((id) => shown.includes(id) && !gone.includes(id));
        assert.deepEqual(twice, [], query);
        assert.equal(new Set(rest).size, rest.length, query);
        const kept = order.slice(45).filter((id) => !gone.includes(id));
        assert.deepEqual(keepOnly(rest, kept), kept, query);
        // The remaining pages are the end of the order as it is now.
        assert.deepEqual(rest, (await readAllPages(service, query)).slice(-rest.length), query);
      }
    });
  });

  test('every store returns the same orders after the same changes', async () => {
    const { readOrders, add, remove } = await serve(before);
    const changed = before.map((picture, index) =>
      index % 4 === 0 ? { ...picture, nsfw: 'nsfw' } : picture,
    );
    const steps: (() => Promise<unknown>)[] = [
      () => add(changed),
      () => remove(String(before[10]?.id), String(before.at(-1)?.id)),
      () => add(added.slice(0, 30)),
      () => remove(String(added[29]?.id), String(added[28]?.id)),
      () => add([...before, ...added.slice(20)]),
    ];
    for (const [at, step] of steps.entries()) {
      await step();
      for (const [number, order] of (await readOrders()).entries()) {
        const name = `${at} ${number}`;
        assert.deepEqual(
          order,
          firstOrders.get(name) ?? order,
          `after step ${at}, ${toQuery(filters[number] ?? {})}`,
        );
        firstOrders.set(name, order);
      }
    }
  });
});
