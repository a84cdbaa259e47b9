/** Seeds: one order of all images for each, of which filters and limits only leave out; the same on every store. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clock } from '../../support/api.ts';
import { range } from '../../support/distribution.ts';
import { type Engine, forEachEngine } from '../../support/engines.ts';
import {
  artists,
  characters,
  idsOf,
  linesOf,
  queryOf,
  somePictures,
  type Wanted,
} from '../../support/filters.ts';
import { sandbox } from '../../support/import.ts';
import { seededChance, startService } from '../../support/service.ts';
import { pageOf, walk } from '../../support/walks.ts';

const pictures = somePictures(0, 250, seededChance(21));
const wanted: Wanted[] = [
  { nsfw: ['sfw'] },
  { nsfw: ['questionable', 'nsfw'] },
  { orientation: ['portrait', 'square'] },
  { categories: ['Alpha'] },
  { categories: ['Alpha', 'beta'] },
  { categories: ['Alpha', 'beta', 'rare'], match: 'any' },
  { exclude: ['Alpha', 'night sky'] },
  { artist: artists[1] ?? '' },
  { character: characters[0] ?? '' },
  { nsfw: ['sfw'], orientation: ['landscape'], exclude: ['beta'], artist: artists[0] ?? '' },
];

async function serving(engine: Engine, randomInt: number) {
  const place = sandbox(engine);
  await place.import(linesOf(pictures));
  return startService(place.config, { clock, randomInt: seededChance(randomInt) });
}

/** What the first store said, for the others to say too. */
const said = new Map<string, string[]>();

await forEachEngine(async (engine) => {
  const service = await serving(engine, 1);

  describe('a seed', () => {
    test('gives the same images in the same order, again, elsewhere and later', async () => {
      const first = await pageOf(service, 'seed=2026-11-14&limit=25');
      assert.equal(first.ids.length, 25);
      const elsewhere = await serving(engine, 2);
      const later = await startService(service.config, { clock: () => clock() + 10 ** 9 });
      await pageOf(service, 'limit=25');
      for (const one of [service, elsewhere, later])
        for (const query of ['seed=2026-11-14&limit=25', 'limit=25&junk=1&seed=2026%2D11%2D14'])
          assert.deepEqual((await pageOf(one, query)).ids, first.ids);
    });

    test('gives other images than other seeds do, however alike they are', async () => {
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
      const answers = new Map<string, string>();
      for (const seed of all) {
        const { ids } = await pageOf(service, `seed=${encodeURIComponent(seed)}&limit=10`);
        const twin = answers.get(ids.join());
        assert.equal(twin, undefined, `${JSON.stringify(seed)} gives what ${JSON.stringify(twin)} gives`);
        answers.set(ids.join(), seed);
      }
    });

    test('gives another order, not the same one from another start or the other way round', async () => {
      const one = await walk(service, 'seed=one');
      const other = await walk(service, 'seed=two');
      assert.deepEqual([...one].sort(), [...other].sort());
      const follows = (order: string[]) =>
        new Set(order.map((id, at) => `${id} ${order[(at + 1) % order.length]}`));
      // One pair would be shared by chance; nobody shares ten.
      for (const order of [other, other.toReversed(), idsOf(pictures), [...other].sort()])
        assert.ok(follows(one).intersection(follows(order)).size < 10);
    });

    for (const seed of ['one', '2026-11-14'])
      test(`"${seed}" with a filter gives the order without it, with images left out`, async () => {
        const whole = await walk(service, `seed=${seed}`);
        assert.deepEqual([...whole].sort(), idsOf(pictures).sort());
        for (const filter of wanted) {
          const qualify = new Set(idsOf(pictures, filter));
          const left = whole.filter((id) => qualify.has(id));
          assert.ok(left.length > 1, queryOf(filter));
          assert.deepEqual(await walk(service, `${queryOf(filter)}&seed=${seed}`), left, queryOf(filter));
        }
      });

    test('with a limit gives the order without it, cut', async () => {
      for (const query of ['seed=one', 'seed=one&nsfw=sfw', 'seed=one&categories=alpha,beta&match=any']) {
        const { ids } = await pageOf(service, `${query}&limit=25`);
        assert.equal(ids.length, 25);
        for (const limit of range(1, 25))
          assert.deepEqual(
            (await pageOf(service, `${query}&limit=${limit}`)).ids,
            ids.slice(0, limit),
            query,
          );
        assert.deepEqual((await pageOf(service, query)).ids, ids.slice(0, 10), 'ten unless told otherwise');
      }
    });

    test('gives the same walk in steps of any length', async () => {
      const whole = await walk(service, 'seed=one&orientation=portrait');
      for (const limit of [1, 2, 7, 24])
        assert.deepEqual(await walk(service, 'seed=one&orientation=portrait', () => limit), whole);
    });
  });

  test('every store gives the same walks', async () => {
    for (const query of ['', ...wanted.map(queryOf)])
      for (const seed of ['one', 'é%00%F0%9F%98%80', '2026-11-14']) {
        const order = await walk(service, `${query}&seed=${seed}`);
        assert.deepEqual(order, said.get(query + seed) ?? order, query);
        said.set(query + seed, order);
      }
  });
});
