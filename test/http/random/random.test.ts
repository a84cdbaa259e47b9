/** GET /image/random by category: which images match, how many are returned, and that draws are uniform. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Filter } from '../../../src/catalogue/catalogue.ts';
import { openStore } from '../../../src/server/engines.ts';
import { images, uuid } from '../../support/catalogues/catalogue.ts';
import { assertUniform, draw, drawFrom, hit, range } from '../../support/checks/distribution.ts';
import { casesFor, forEachEngine, isEveryCase } from '../../support/servers/engines.ts';
import { clock } from '../../support/zukan/api.ts';
import { seededRandomInt, startKnownService, startService } from '../../support/zukan/service.ts';

await forEachEngine(async (engine) => {
  const known = await startKnownService({ engine, clock, randomInt: seededRandomInt(1) });

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
      [`categories=kimono,${range(0, 99).map((at) => (at % 2 ? 'Catgirl' : 'catGIRL'))}`, [1, 5]],
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
});
