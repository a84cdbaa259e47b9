/** Paging through a seed: returns every image that matches once, for any filters and page sizes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Filter } from '../../../src/catalogue/catalogue.ts';
import { openStore } from '../../../src/server/engines.ts';
import {
  type FilterQuery,
  matchingIds,
  randomFilter,
  randomPictures,
  toQuery,
  toRecords,
} from '../../support/catalogues/filters.ts';
import { sandbox } from '../../support/catalogues/import.ts';
import { range } from '../../support/checks/distribution.ts';
import { readAllImages, readAllPages, readPage } from '../../support/checks/seeded-pages.ts';
import { atDepth } from '../../support/depth.ts';
import { forEachEngineInDepth, isEveryCase } from '../../support/servers/engines.ts';
import { clock } from '../../support/zukan/api.ts';
import { seededRandomInt, startService } from '../../support/zukan/service.ts';

/** The number of queries per catalogue size. */
const sizes = atDepth(
  [
    [0, 5],
    [1, 10],
    [2, 10],
    [25, 15],
    [26, 15],
    [300, 15],
  ],
  [
    [0, 20],
    [1, 30],
    [2, 35],
    [25, 45],
    [26, 45],
    [1000, 50],
  ],
) as [size: number, count: number][];
const LARGEST = sizes.at(-1)?.[0];
/** The first of them are made over HTTP, too. */
const HTTP_QUERIES = 2;
const all = randomPictures(0, 1000, seededRandomInt(41));

await forEachEngineInDepth(async (engine) => {
  const box = sandbox(engine);
  await box.import(toRecords([]));
  const service = await startService(box.config, { clock });
  const store = await openStore(box.config);
  after(() => store[Symbol.asyncDispose]());

  // The other stores return the same orders (seeds.test.ts).
  for (const [size, count] of sizes.filter(([size]) => isEveryCase(engine) || size === 0 || size === 26))
    describe(`over ${size} images`, () => {
      const pictures = all.slice(0, size);
      before(() => box.import(toRecords(pictures)));

      test(`${count} queries, with pages of 1 to 25`, async () => {
        for (const number of range(0, count)) {
          const randomInt = seededRandomInt(size * 1000 + number);
          // The first one has no filter.
          const filter = number === 0 ? {} : randomFilter(randomInt);
          const seed = String(randomInt(1000));
          const query = `seed=${seed}&${toQuery(filter)}`;
          const nextLimit = () => 1 + randomInt(25);
          const shown = await readAllImages(store.catalogue, filter as Filter, seed, nextLimit);
          assert.equal(new Set(shown).size, shown.length, `${query} repeats an image`);
          assert.deepEqual(shown.toSorted(), matchingIds(pictures, filter).sort(), query);
          if (number < HTTP_QUERIES) assert.deepEqual(await readAllPages(service, query, nextLimit), shown);
        }
      });

      const filters: FilterQuery[] = [
        { nsfw: ['sfw', 'nsfw'] },
        { exclude: ['rare', 'night sky'] },
        { categories: ['Alpha', 'beta'], match: 'any' },
        { categories: ['rare'], exclude: ['Alpha'] },
        { categories: ['scarce', 'rare'], match: 'any', exclude: ['beta'], nsfw: ['sfw', 'questionable'] },
      ];
      for (const filter of size === LARGEST || atDepth(false, true) ? filters : filters.slice(-1))
        test(`"${toQuery(filter)}" by Link`, async () => {
          const matching = matchingIds(pictures, filter);
          const shown: string[] = [];
          let address: string | undefined =
            `${service.origin}/v1/image/random?limit=24&${toQuery(filter)}&seed=%26x`;
          while (address) {
            const page = await readPage(service, address);
            shown.push(...page.ids);
            address = page.next;
            assert.equal(address && new URL(address).searchParams.get('cursor'), page.cursor ?? undefined);
            assert.ok(
              shown.length <= matching.length && (page.ids.length === 24 || !address),
              'a page before another one is full',
            );
          }
          assert.deepEqual(shown.sort(), matching.sort());
        });
    });
});
