/** Seeds while the catalogue changes: imports and removals move nothing but what they are about. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { removeCommand } from '../../../src/commands/remove.ts';
import { clock } from '../../support/api.ts';
import { forEachEngine } from '../../support/engines.ts';
import { idsOf, linesOf, type Picture, queryOf, somePictures, type Wanted } from '../../support/filters.ts';
import { sandbox } from '../../support/import.ts';
import { seededChance, startService } from '../../support/service.ts';
import { only, pageOf, walk } from '../../support/walks.ts';

const all = somePictures(0, 200, seededChance(31));
const [before, added] = [all.slice(0, 120), all.slice(120)];
const safe: Wanted = { nsfw: ['sfw'] };
const shelved: Wanted = { categories: ['Alpha', 'beta'], match: 'any' };
const filters: Wanted[] = [{}, safe, shelved, { exclude: ['Alpha'], orientation: ['landscape', 'square'] }];

/** What the first store said after each change, for the others to say too. */
const said = new Map<string, string[]>();

await forEachEngine(async (engine) => {
  async function serving(pictures: Picture[]) {
    const place = sandbox(engine);
    await place.import(linesOf(pictures));
    const service = await startService(place.config, { clock });
    const walks = async () =>
      Promise.all(filters.map((filter) => walk(service, `${queryOf(filter)}&seed=s`)));
    return {
      service,
      walks,
      add: (pictures: Picture[]) => place.import(linesOf(pictures)),
      remove: (...ids: string[]) => removeCommand(place.config, ids, process),
    };
  }

  describe('the order of a seed', () => {
    test('takes new images in between, and leaves the others as they are', async () => {
      const { walks, add } = await serving(all.slice(0, 12));
      // From few to many, lest the order depend on how many there are.
      for (const [few, many] of [
        [12, 60],
        [60, 200],
      ] as const) {
        const earlier = await walks();
        await add(all.slice(few, many));
        const later = await walks();
        for (const [at, filter] of filters.entries()) {
          const [order = [], old = []] = [later[at], earlier[at]];
          assert.deepEqual([...order].sort(), idsOf(all.slice(0, many), filter).sort());
          assert.deepEqual(only(order, old), old, queryOf(filter));
          // In between, not all at one end: a tenth of them is in either half, at the very least.
          const fresh = idsOf(all.slice(few, many), filter);
          const half = only(order.slice(0, order.length / 2), fresh).length / fresh.length;
          assert.ok(half > 1 / 10 && half < 9 / 10, `${queryOf(filter)}: ${half} of them in the first half`);
        }
      }
    });

    test('is the same whether images come in one import or in many', async () => {
      const once = await (await serving(all)).walks();
      const slowly = await serving(all.slice(0, 7));
      for (const [from, to] of [
        [7, 8],
        [0, 110],
        [100, 200],
      ] as const)
        await slowly.add(all.slice(from, to));
      assert.deepEqual(await slowly.walks(), once);
    });

    test('moves an image whose rating or categories change in or out, and nothing else', async () => {
      const { walks, add } = await serving(before);
      const [whole = [], sfw = [], any = []] = await walks();
      const picture = (has: (picture: Picture) => boolean) =>
        before.findLast(has) ?? assert.fail('no such image');
      const leaves = picture(({ id, nsfw }) => nsfw === 'sfw' && any.includes(id));
      const comes = picture(({ nsfw, categories }) => nsfw === 'nsfw' && categories.length === 0);
      await add([
        { ...leaves, nsfw: 'questionable', categories: [] },
        { ...comes, nsfw: 'sfw', categories: ['beta'] },
      ]);
      const [wholeNow, sfwNow = [], anyNow = []] = await walks();
      assert.deepEqual(wholeNow, whole);
      for (const [was, is] of [
        [sfw, sfwNow],
        [any, anyNow],
      ] as const) {
        assert.deepEqual(is, only(whole, [...was.filter((id) => id !== leaves.id), comes.id]));
        assert.ok(was.includes(leaves.id) && !was.includes(comes.id));
      }
      await add([leaves, comes]);
      assert.deepEqual((await walks()).slice(0, 3), [whole, sfw, any]);
    });

    test('loses what is removed, and nothing else', async () => {
      const { walks, remove } = await serving(before);
      const earlier = await walks();
      const [whole = []] = earlier;
      // The first and the last of the order, the oldest, the newest and one between.
      const gone = [whole[0], whole.at(-1), before[0]?.id, before.at(-1)?.id, before[77]?.id].map(String);
      await remove(...new Set(gone));
      assert.deepEqual(
        await walks(),
        earlier.map((order) => order.filter((id) => !gone.includes(id))),
      );
    });
  });

  describe('a walk that goes on', () => {
    for (const filter of [{}, safe, shelved])
      test(`"${queryOf(filter)}", over imports and removals, shows nothing twice and misses nothing`, async () => {
        const { service, add, remove } = await serving(before);
        const query = `${queryOf(filter)}&seed=s`;
        const order = await walk(service, query);
        const first = await pageOf(service, `${query}&limit=25`);
        const second = await pageOf(
          service,
          `${query}&limit=20&cursor=${encodeURIComponent(first.cursor ?? '')}`,
        );
        const shown = [...first.ids, ...second.ids];
        assert.deepEqual(shown, order.slice(0, 45));
        // The one it stopped at, the one it would have gone on with, one shown before, one that is far ahead.
        const gone = [order[44], order[45], order[3], order.at(-2)].map(String);
        await remove(...gone);
        await add([...added, ...before.filter(({ id }) => gone.slice(2).includes(id))]);
        const rest = await walk(service, query, () => 7, second.cursor);
        const twice = rest.filter((id) => shown.includes(id) && !gone.includes(id));
        assert.deepEqual(twice, []);
        assert.equal(new Set(rest).size, rest.length);
        const kept = order.slice(45).filter((id) => !gone.includes(id));
        assert.deepEqual(only(rest, kept), kept);
        // It is the end of the walk that one would begin now.
        assert.deepEqual(rest, (await walk(service, query)).slice(-rest.length));
      });

    test('stops where all that is left was removed, or no longer qualifies', async () => {
      const { service, add, remove } = await serving(before);
      const order = await walk(service, 'seed=s&nsfw=sfw');
      const { cursor } = await pageOf(service, 'seed=s&nsfw=sfw&limit=25');
      const [one = '', ...others] = order.slice(25);
      await remove(one);
      await add(
        before.filter(({ id }) => others.includes(id)).map((picture) => ({ ...picture, nsfw: 'nsfw' })),
      );
      const last = await pageOf(service, `seed=s&nsfw=sfw&cursor=${encodeURIComponent(cursor ?? '')}`);
      assert.deepEqual(last, { ids: [], cursor: null, next: undefined });
    });
  });

  test('every store gives the same walks after the same changes', async () => {
    const { walks, add, remove } = await serving(before);
    const changed = before.map((picture, index) =>
      index % 4 === 0 ? { ...picture, nsfw: 'nsfw' } : picture,
    );
    const steps: (() => Promise<unknown>)[] = [
      () => add(changed),
      () => remove(String(before[10]?.id), String(before[90]?.id)),
      () => remove(String(before.at(-1)?.id)),
      () => add(added.slice(0, 30)),
      () => remove(String(added[29]?.id), String(added[28]?.id)),
      () => add([...before, ...added.slice(20)]),
    ];
    for (const [at, step] of steps.entries()) {
      await step();
      for (const [number, order] of (await walks()).entries()) {
        const name = `${at} ${number}`;
        assert.deepEqual(
          order,
          said.get(name) ?? order,
          `after step ${at}, ${queryOf(filters[number] ?? {})}`,
        );
        said.set(name, order);
      }
    }
  });
});
