/** Walks by cursor: every image that qualifies once, whatever is asked for, in steps of any length. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startMadeUpService } from '../../support/api.ts';
import { range } from '../../support/distribution.ts';
import { forEachEngine } from '../../support/engines.ts';
import { idsOf, linesOf, queryOf, somePictures, someWanted, type Wanted } from '../../support/filters.ts';
import { seededChance } from '../../support/service.ts';
import { pageOf, walk } from '../../support/walks.ts';

/** How many walks there are over catalogues of which size: 200. */
const sizes = [
  [0, 20],
  [1, 30],
  [2, 34],
  [25, 45],
  [26, 45],
  [1000, 20],
  [5000, 6],
] as const;
/** At a time: walks know nothing of each other. More would take more connections than all services together may have. */
const TOGETHER = 4;

await forEachEngine(async (engine) => {
  for (const [size, count] of sizes)
    describe(`over ${size} images`, async () => {
      const pictures = somePictures(0, size, seededChance(41));
      const service = await startMadeUpService(linesOf(pictures), { engine });

      async function assertWhole(number: number): Promise<void> {
        const randomInt = seededChance(size * 1000 + number);
        // The first of them without any filter.
        const wanted = number === 0 ? {} : someWanted(randomInt);
        const query = `seed=${randomInt(1000)}&${queryOf(wanted)}`;
        const shown = await walk(service, query, () => 1 + randomInt(25));
        assert.equal(new Set(shown).size, shown.length, `${query} shows an image twice`);
        assert.deepEqual(shown.sort(), idsOf(pictures, wanted).sort(), query);
      }

      test(`${count} walks by X-Next-Cursor, in steps of 1 to 25`, async () => {
        for (let from = 0; from < count; from += TOGETHER)
          await Promise.all(range(from, Math.min(from + TOGETHER, count)).map(assertWhole));
      });

      const some: Wanted[] = [
        { nsfw: ['sfw', 'nsfw'] },
        { exclude: ['rare', 'night sky'] },
        { categories: ['Alpha', 'beta'], match: 'any' },
        { categories: ['rare'], exclude: ['Alpha'] },
        { categories: ['scarce', 'rare'], match: 'any', exclude: ['beta'], nsfw: ['sfw', 'questionable'] },
      ];
      // Of the largest, those by cursor are enough.
      for (const wanted of size > 1000 ? [] : some)
        test(`one by Link, with "${queryOf(wanted)}"`, async () => {
          const qualify = idsOf(pictures, wanted);
          const shown: string[] = [];
          let address: string | undefined =
            `${service.origin}/v1/image/random?limit=24&${queryOf(wanted)}&seed=%26x`;
          while (address) {
            const page = await pageOf(service, address);
            shown.push(...page.ids);
            address = page.next;
            assert.equal(address && new URL(address).searchParams.get('cursor'), page.cursor ?? undefined);
            assert.ok(shown.length <= qualify.length && (page.ids.length === 24 || !address), 'too much');
          }
          assert.deepEqual(shown.sort(), qualify.sort());
        });
    });
});
