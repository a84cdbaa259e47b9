/** GET /image/random: which images qualify, how many come, and that chance treats all of them alike. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clock, madeUpImage, startMadeUpService } from '../support/api.ts';
import { images, uuid } from '../support/catalogue.ts';
import { forEachEngine } from '../support/engines.ts';
import { type Service, seededChance, startKnownService } from '../support/service.ts';

await forEachEngine(async (engine) => {
  const known = await startKnownService({ engine, clock, chance: seededChance(1) });

  const id = (index: number) => uuid(5, index);
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  const hit = <T>(counts: Map<T, number>, cell: T) => counts.set(cell, (counts.get(cell) ?? 0) + 1);

  /** By fetch, because it keeps its connection: there are thousands of draws. */
  async function draw(service: Service, query: string): Promise<string[]> {
    const answer = await fetch(`${service.origin}/api/image/random?${query}`);
    const body = (await answer.json()) as { data: { id: string }[] };
    assert.equal(answer.status, 200, JSON.stringify(body));
    const ids = body.data.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, 'no image comes twice');
    return ids;
  }

  describe('the images that qualify', () => {
    const everything = [1, 2, 3, 4, 5, 6];
    const table: [query: string, images: number[]][] = [
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
    for (const [query, wanted] of table)
      test(`"${query}" is met by the images ${wanted.join(', ') || '(none)'}`, async () => {
        const qualify = wanted.map((number) => uuid(4, number));
        // All that qualify, when fewer than the limit do; else as many as the limit says, all of which qualify.
        for (const limit of [25, wanted.length || 1, 1, 2, 3])
          for (let time = 0; time < 3; time += 1) {
            const ids = await draw(known, `${query}&limit=${limit}`);
            assert.equal(ids.length, Math.min(limit, wanted.length));
            assert.deepEqual(
              ids.filter((id) => !qualify.includes(id)),
              [],
            );
          }
      });

    test('two draws differ, and one seed gives the same draws again', async () => {
      const one = await startKnownService({ engine, clock, chance: seededChance(7) });
      const other = await startKnownService({ engine, clock, chance: seededChance(7) });
      const draws: string[] = [];
      for (let time = 0; time < 20; time += 1) {
        const ids = await draw(one, 'limit=6');
        assert.deepEqual(await draw(other, 'limit=6'), ids);
        draws.push(ids.join());
      }
      assert.ok(new Set(draws).size > 10);
    });

    test('the service draws without being given any chance', async () => {
      const own = await startKnownService({ engine, clock });
      assert.equal((await draw(own, 'limit=4')).length, 4);
      assert.deepEqual((await draw(own, 'categories=kimono,catgirl')).sort(), [uuid(4, 1), uuid(4, 5)]);
    });
  });

  /** Where a chi-square value lies in its distribution, as a standard normal deviate (Wilson and Hilferty). */
  function deviate(value: number, freedom: number): number {
    const spread = 2 / (9 * freedom);
    return (Math.cbrt(value / freedom) - (1 - spread)) / Math.sqrt(spread);
  }

  /**
   * How often each cell was hit must be as uniform as chance makes it, neither less nor more. When `each` cells are
   * hit at once without repeats, counts vary less; the factor makes up for that. Beyond 3.9 lies 1 seed in 10,000.
   */
  function assertUniform(counts: Map<unknown, number>, cells: number, each = 1): void {
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const mean = total / cells;
    assert.ok(mean >= 5, `${mean} hits a cell are too few to judge`);
    assert.ok(counts.size <= cells, `${counts.size} cells were hit`);
    const squares = [...counts.values()].reduce((sum, count) => sum + (count - mean) ** 2, 0);
    const value = ((squares + (cells - counts.size) * mean ** 2) / mean) * ((cells - 1) / (cells - each));
    const off = deviate(value, cells - 1);
    assert.ok(
      Math.abs(off) < 3.9,
      `chi-square ${value.toFixed(1)} over ${cells} cells, ${off.toFixed(2)} off`,
    );
  }

  /** Judges many draws: how often each image came at all, and what part of them came at which place of the answer. */
  async function assertFair(
    service: Service,
    query: string,
    qualify: string[],
    limit: number,
    times: number,
  ) {
    const each = Math.min(limit, qualify.length);
    const numbers = new Map(qualify.map((id, index) => [id, index]));
    const parts = range(1, 26).findLast((part) => qualify.length % part === 0) ?? 1;
    const came = new Map<number, number>();
    const places = [...new Set([0, Math.min(1, each - 1), each - 1])];
    const hits = places.map(() => new Map<number, number>());
    for (let time = 0; time < times; time += 1) {
      const ids = await draw(service, `${query}&limit=${limit}`);
      assert.equal(ids.length, each);
      const found = ids.map((id) => numbers.get(id) ?? assert.fail(`${id} does not qualify`));
      for (const number of found) hit(came, number);
      for (const [at, place] of places.entries())
        hit(hits[at] ?? came, Math.floor(((found[place] ?? 0) * parts) / qualify.length));
    }
    if (each < qualify.length) assertUniform(came, qualify.length, each);
    for (const counts of hits) assertUniform(counts, parts);
  }

  describe('chance over a few hundred images', async () => {
    // Three shelves that overlap in part: every second, every third, and the last hundred.
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
      { engine, chance: seededChance(2) },
    );
    const table: { query: string; where: (index: number) => boolean; limit: number; times: number }[] = [
      { query: '', where: () => true, limit: 25, times: 300 },
      { query: 'categories=half', where: members.half, limit: 10, times: 300 },
      { query: 'categories=tail', where: members.tail, limit: 1, times: 500 },
      { query: 'categories=half,third', where: (index) => index % 6 === 0, limit: 10, times: 300 },
      {
        query: 'categories=tail&categories=HALF',
        where: (i) => members.tail(i) && members.half(i),
        limit: 25,
        times: 150,
      },
      { query: 'categories=half,third,tail', where: (i) => i >= 200 && i % 6 === 0, limit: 5, times: 300 },
      { query: 'categories=half,third,tail', where: (i) => i >= 200 && i % 6 === 0, limit: 25, times: 100 },
    ];
    for (const { query, where, limit, times } of table)
      test(`"${query}", ${limit} at a time, is uniform at every place of the answer`, async () => {
        const qualify = range(0, 300).filter(where).map(id);
        await assertFair(service, query, qualify, limit, times);
      });

    test('every order of the four images of a category is as likely as any other', async () => {
      const orders = new Map<string, number>();
      for (let time = 0; time < 400; time += 1) hit(orders, (await draw(known, 'categories=kimono')).join());
      assertUniform(orders, 24);
    });

    test('every ordered pair of the known images is as likely as any other', async () => {
      const pairs = new Map<string, number>();
      for (let time = 0; time < 400; time += 1) hit(pairs, (await draw(known, 'limit=2')).join());
      assertUniform(pairs, images.length * (images.length - 1));
    });
  });

  describe('chance over large categories that share few images', async () => {
    const LARGE = 3000;
    // What each shares with the first category: a cluster at its end, a few all over it, more, and one in five.
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
      { engine, chance: seededChance(3) },
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
      test(`"first" and "${name}", ${limit} at a time, are uniform at every place of the answer`, async () => {
        const qualify = range(0, LARGE)
          .filter((index) => shared[name]?.(index))
          .map(id);
        await assertFair(service, `categories=${name},first`, qualify, limit, times);
      });

    test('nothing in common gives nothing', async () => {
      assert.deepEqual(await draw(service, 'categories=first,nothing'), []);
    });
  });
});
