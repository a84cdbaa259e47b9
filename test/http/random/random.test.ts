/** GET /image/random by category: which images match, how many are returned, and that draws are uniform. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clock, madeUpImage, startMadeUpService } from '../../support/api.ts';
import { images, uuid } from '../../support/catalogue.ts';
import { assertUniform, assertUniformDraws, draw, hit, range } from '../../support/distribution.ts';
import { forEachEngine } from '../../support/engines.ts';
import { seededRandomInt, startKnownService } from '../../support/service.ts';

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
    for (const [query, numbers] of table)
      test(`"${query}" matches the images ${numbers.join(', ') || '(none)'}`, async () => {
        const matching = numbers.map((number) => uuid(4, number));
        // All that match if there are fewer than the limit, otherwise as many as the limit.
        for (const limit of [25, numbers.length || 1, 1, 2, 3])
          for (let time = 0; time < 3; time += 1) {
            const ids = await draw(known, `${query}&limit=${limit}`);
            assert.equal(ids.length, Math.min(limit, numbers.length));
            assert.deepEqual(
              ids.filter((id) => !matching.includes(id)),
              [],
            );
          }
      });

    test('draws differ, and depend on nothing but the random numbers', async () => {
      const one = await startKnownService({ engine, clock, randomInt: seededRandomInt(7) });
      const other = await startKnownService({ engine, clock, randomInt: seededRandomInt(7) });
      const draws: string[] = [];
      for (let time = 0; time < 20; time += 1) {
        const ids = await draw(one, 'limit=6');
        assert.deepEqual(await draw(other, 'limit=6'), ids);
        draws.push(ids.join());
      }
      assert.ok(new Set(draws).size > 10);
    });

    test('the service has its own random numbers', async () => {
      const own = await startKnownService({ engine, clock });
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
    const service = await startMadeUpService(
      [
        ...Object.keys(members).map((name) => ({ type: 'category', name })),
        ...range(0, 300).map((index) =>
          madeUpImage(id(index), {
            categories: Object.entries(members).flatMap(([name, has]) => (has(index) ? [name] : [])),
          }),
        ),
      ],
      { engine, randomInt: seededRandomInt(2) },
    );
    const table: { query: string; where: (index: number) => boolean; limit: number; times: number }[] = [
      { query: '', where: () => true, limit: 25, times: 130 },
      { query: 'categories=half', where: members.half, limit: 10, times: 130 },
      { query: 'categories=tail', where: members.tail, limit: 1, times: 500 },
      { query: 'categories=half,third', where: (index) => index % 6 === 0, limit: 10, times: 130 },
      {
        query: 'categories=tail&categories=HALF',
        where: (i) => members.tail(i) && members.half(i),
        limit: 25,
        times: 150,
      },
      { query: 'categories=half,third,tail', where: (i) => i >= 200 && i % 6 === 0, limit: 5, times: 130 },
      { query: 'categories=half,third,tail', where: (i) => i >= 200 && i % 6 === 0, limit: 25, times: 100 },
    ];
    for (const { query, where, limit, times } of table)
      test(`"${query}", ${limit} at a time, is uniform at every position of the response`, async () => {
        const matching = range(0, 300).filter(where).map(id);
        await assertUniformDraws(service, query, matching, limit, times);
      });

    test('every order of the four images of a category is equally likely', async () => {
      const orders = new Map<string, number>();
      for (let time = 0; time < 240; time += 1) hit(orders, (await draw(known, 'categories=kimono')).join());
      assertUniform(orders, 24);
    });

    test('every ordered pair of the known images is equally likely', async () => {
      const pairs = new Map<string, number>();
      for (let time = 0; time < 240; time += 1) hit(pairs, (await draw(known, 'limit=2')).join());
      assertUniform(pairs, images.length * (images.length - 1));
    });
  });

  describe('draws from large categories that share few images', async () => {
    const LARGE = 3000;
    // What each shares with the first category: a cluster at its end, a few scattered images, more, one in five.
    const shared: Record<string, (index: number) => boolean> = {
      twelve: (index) => index >= LARGE - 12,
      thirty: (index) => index % 100 === 7,
      hundred: (index) => index >= 500 && index < 600,
      fifth: (index) => index % 5 === 0,
      nothing: () => false,
    };
    const names = Object.keys(shared);
    const service = await startMadeUpService(
      [
        ...['first', ...names].map((name) => ({ type: 'category', name })),
        ...range(0, LARGE).map((index) =>
          madeUpImage(id(index), { categories: ['first', ...names.filter((name) => shared[name]?.(index))] }),
        ),
        ...range(LARGE, 2 * LARGE).map((index) => madeUpImage(id(index), { categories: names })),
      ],
      { engine, randomInt: seededRandomInt(3) },
    );
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
      test(`"first" and "${name}", ${limit} at a time, are uniform at every position of the response`, async () => {
        const matching = range(0, LARGE)
          .filter((index) => shared[name]?.(index))
          .map(id);
        await assertUniformDraws(service, `categories=${name},first`, matching, limit, times);
      });

    test('categories with no image in common return an empty list', async () => {
      assert.deepEqual(await draw(service, 'categories=first,nothing'), []);
    });
  });
});
