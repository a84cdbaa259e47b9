/** GET /image/random by category: which images match, how many are returned, and that draws are uniform. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Filter } from '../../../src/catalogue/catalogue.ts';
import { openStore } from '../../../src/server/engines.ts';
import { images, uuid } from '../../support/catalogues/catalogue.ts';
import {
  assertUniform,
  assertUniformDraws,
  draw,
  drawFrom,
  hit,
  openMadeUpCatalogue,
  range,
} from '../../support/checks/distribution.ts';
import { casesFor, forEachEngine, isEveryCase } from '../../support/servers/engines.ts';
import { clock, madeUpImage } from '../../support/zukan/api.ts';
import { seededRandomInt, startKnownService, startService } from '../../support/zukan/service.ts';

await forEachEngine(async (engine) => {
  const known = await startKnownService({ engine, clock, randomInt: seededRandomInt(1) });

  const id = (index: number) => uuid(5, index);
  describe('categories', () => {
    const everything = [1, 2, 3, 4, 5, 6];
    const table: [query: string, numbers: number[]][] = [
      ['', everything],
      ['categories=', everything],
      ['categories', everything],
      ['categories=&categories=', everything],
      ['categories=catgirl', [1, 2, 5]],
      ['categories=Kimono', [1, 3, 5, 6]],
      ['categories=night%20sky', [3, 5]],
      ['categories=night+sky', [3, 5]],
      ['categories=empty', []],
      ['categories=CATGIRL', [1, 2, 5]],
      ['categories=kimono', [1, 3, 5, 6]],
      ['categories=%20%20catGirl%20', [1, 2, 5]],
      ['categories=%09Night%20Sky%0A', [3, 5]],
      ['categories=catgirl,Kimono', [1, 5]],
      ['categories=Kimono,catgirl', [1, 5]],
      ['categories=catgirl%2CKimono', [1, 5]],
      ['categories=%20catgirl%20,%20KIMONO%20', [1, 5]],
      ['categories=catgirl&categories=Kimono', [1, 5]],
      ['categories=&categories=catgirl', [1, 2, 5]],
      ['categories=catgirl&x=1&categories=kimono,night%20sky', [5]],
      ['categories=catgirl,Kimono&categories=night%20sky', [5]],
      ['categories=catgirl,Catgirl&categories=CATGIRL', [1, 2, 5]],
      ['categories=catgirl,night%20sky', [5]],
      ['categories=catgirl,empty', []],
      ['categories=empty,Kimono,catgirl,night%20sky', []],
    ];
    for (const [query, numbers] of casesFor(engine, table, 4))
      test(`"${query}" matches the images ${numbers.join(', ') || '(none)'}`, async () => {
        const matching = numbers.map((number) => uuid(4, number));
        // All that match if there are fewer than the limit, otherwise as many as the limit.
        for (const limit of [25, numbers.length || 1, 2]) {
          const ids = await draw(known, `${query}&limit=${limit}`);
          assert.equal(ids.length, Math.min(limit, numbers.length));
          assert.deepEqual(
            ids.filter((id) => !matching.includes(id)),
            [],
          );
        }
      });

    test('draws differ, and depend on nothing but the random numbers', async () => {
      const one = await startService(known.config, { clock, randomInt: seededRandomInt(7) });
      const other = await startService(known.config, { clock, randomInt: seededRandomInt(7) });
      const draws: string[] = [];
      for (let time = 0; time < 20; time += 1) {
        const ids = await draw(one, 'limit=6');
        assert.deepEqual(await draw(other, 'limit=6'), ids);
        draws.push(ids.join());
      }
      assert.ok(new Set(draws).size > 10);
    });

    test('the service has its own random numbers', async () => {
      const own = await startService(known.config, { clock });
      assert.equal((await draw(own, 'limit=4')).length, 4);
      assert.deepEqual((await draw(own, 'categories=kimono,catgirl')).sort(), [uuid(4, 1), uuid(4, 5)]);
    });
  });

  describe('draws from a few hundred images', async () => {
    // Three overlapping categories: every second image, every third, and the last hundred.
    const members = {
      half: (index: number) => index % 2 === 0,
      Third: (index: number) => index % 3 === 0,
      tail: (index: number) => index >= 200,
    };
    const catalogue = await openMadeUpCatalogue(
      [
        ...Object.keys(members).map((name) => ({ type: 'category', name })),
        ...range(0, 300).map((index) =>
          madeUpImage(id(index), {
            categories: Object.entries(members).flatMap(([name, has]) => (has(index) ? [name] : [])),
          }),
        ),
      ],
      engine,
    );
    const randomInt = seededRandomInt(2);
    const table: [filter: Filter, where: (index: number) => boolean, limit: number, times: number][] = [
      [{}, () => true, 25, 130],
      [{ categories: ['half'] }, members.half, 10, 130],
      [{ categories: ['tail'] }, members.tail, 1, 500],
      [{ categories: ['half', 'third'] }, (index) => index % 6 === 0, 10, 130],
      [{ categories: ['tail', 'HALF'] }, (index) => members.tail(index) && members.half(index), 25, 150],
      [{ categories: ['half', 'third', 'tail'] }, (index) => index >= 200 && index % 6 === 0, 5, 130],
      [{ categories: ['half', 'third', 'tail'] }, (index) => index >= 200 && index % 6 === 0, 25, 100],
    ];
    for (const [filter, where, limit, times] of casesFor(engine, table, 7))
      test(`${JSON.stringify(filter)}, ${limit} at a time, is uniform at every position`, async () => {
        const matching = range(0, 300).filter(where).map(id);
        await assertUniformDraws(catalogue, filter, matching, limit, times, randomInt);
      });
  });

  // `image-numbers.ts` draws for every store, and the tests above show that each uses it.
  if (!isEveryCase(engine)) return;

  describe('draws from the known images', async () => {
    const store = await openStore(known.config);
    after(() => store[Symbol.asyncDispose]());
    const randomInt = seededRandomInt(4);
    const drawKnown = (filter: Filter, limit: number) => drawFrom(store.catalogue, filter, limit, randomInt);

    test('every order of the four images of a category is equally likely', async () => {
      const orders = new Map<string, number>();
      for (let time = 0; time < 240; time += 1)
        hit(orders, (await drawKnown({ categories: ['Kimono'] }, 25)).join());
      assertUniform(orders, 24);
    });

    test('every ordered pair of the known images is equally likely', async () => {
      const pairs = new Map<string, number>();
      for (let time = 0; time < 240; time += 1) hit(pairs, (await drawKnown({}, 2)).join());
      assertUniform(pairs, images.length * (images.length - 1));
    });
  });

  describe('draws from large categories that share few images', async () => {
    const LARGE = 1200;
    // What each shares with the first category: a cluster at its end, a few scattered images, more, one in five.
    const shared: Record<string, (index: number) => boolean> = {
      twelve: (index) => index >= LARGE - 12,
      thirty: (index) => index % 40 === 7,
      hundred: (index) => index >= 500 && index < 600,
      fifth: (index) => index % 5 === 0,
      nothing: () => false,
    };
    const names = Object.keys(shared);
    const catalogue = await openMadeUpCatalogue(
      [
        ...['first', ...names].map((name) => ({ type: 'category', name })),
        ...range(0, LARGE).map((index) =>
          madeUpImage(id(index), { categories: ['first', ...names.filter((name) => shared[name]?.(index))] }),
        ),
        ...range(LARGE, 2 * LARGE).map((index) => madeUpImage(id(index), { categories: names })),
      ],
      engine,
    );
    const randomInt = seededRandomInt(3);
    const table: [name: string, limit: number, times: number][] = [
      ['twelve', 1, 200],
      ['twelve', 5, 150],
      ['twelve', 25, 120],
      ['thirty', 10, 150],
      ['thirty', 1, 200],
      ['hundred', 10, 150],
      ['hundred', 25, 130],
      ['fifth', 25, 200],
    ];
    for (const [name, limit, times] of table)
      test(`"first" and "${name}", ${limit} at a time, are uniform at every position`, async () => {
        const matching = range(0, LARGE)
          .filter((index) => shared[name]?.(index))
          .map(id);
        const filter = { categories: [name, 'first'] };
        await assertUniformDraws(catalogue, filter, matching, limit, times, randomInt);
      });

    test('categories with no image in common return an empty list', async () => {
      const filter = { categories: ['first', 'nothing'] };
      assert.deepEqual(await drawFrom(catalogue, filter, 25, randomInt), []);
    });
  });
});
