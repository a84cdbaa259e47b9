/** Paging through a seed: returns every image that matches once, for any filters and page sizes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startMadeUpService } from '../../support/api.ts';
import { range } from '../../support/distribution.ts';
import { forEachEngine } from '../../support/engines.ts';
import {
  type FilterQuery,
  matchingIds,
  randomFilter,
  randomPictures,
  toQuery,
  toRecords,
} from '../../support/filters.ts';
import { readAllPages, readPage } from '../../support/seeded-pages.ts';
import { seededRandomInt } from '../../support/service.ts';

/** The number of queries per catalogue size: 200 in total. */
const sizes = [
  [0, 20],
  [1, 30],
  [2, 34],
  [25, 45],
  [26, 45],
  [1000, 20],
  [5000, 6],
] as const;
/** More queries at once would need more database connections than the services may open. */
const MAX_CONCURRENT = 4;

await forEachEngine(async (engine) => {
  for (const [size, count] of sizes)
    describe(`over ${size} images`, async () => {
      const pictures = randomPictures(0, size, seededRandomInt(41));
      const service = await startMadeUpService(toRecords(pictures), { engine });

      async function assertComplete(number: number): Promise<void> {
        const randomInt = seededRandomInt(size * 1000 + number);
        // The first one has no filter.
        const filter = number === 0 ? {} : randomFilter(randomInt);
        const query = `seed=${randomInt(1000)}&${toQuery(filter)}`;
        const shown = await readAllPages(service, query, () => 1 + randomInt(25));
        assert.equal(new Set(shown).size, shown.length, `${query} repeats an image`);
        assert.deepEqual(shown.sort(), matchingIds(pictures, filter).sort(), query);
      }

      test(`${count} queries by X-Next-Cursor, with pages of 1 to 25`, async () => {
        for (let from = 0; from < count; from += MAX_CONCURRENT)
          await Promise.all(range(from, Math.min(from + MAX_CONCURRENT, count)).map(assertComplete));
      });

      const filters: FilterQuery[] = [
        { nsfw: ['sfw', 'nsfw'] },
        { exclude: ['rare', 'night sky'] },
        { categories: ['Alpha', 'beta'], match: 'any' },
        { categories: ['rare'], exclude: ['Alpha'] },
        { categories: ['scarce', 'rare'], match: 'any', exclude: ['beta'], nsfw: ['sfw', 'questionable'] },
      ];
      // For the largest catalogue, the queries by cursor are enough.
      for (const filter of size > 1000 ? [] : filters)
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
