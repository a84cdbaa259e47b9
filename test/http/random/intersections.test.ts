/** Random images in several categories at once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keyed, sandbox } from '../../support/catalogues/import.ts';
import { forEachEngineInDepth } from '../../support/servers/engines.ts';
import { startService } from '../../support/zukan/service.ts';

await forEachEngineInDepth(async (engine) => {
  const box = sandbox(engine);
  const IMAGES = 1200;
  await box.import([
    ...['even', 'odd', 'third', 'few'].map((name) => ({ type: 'category', name })),
    ...Array.from({ length: IMAGES }, (_, index) => {
      const categories = [index % 2 ? 'odd' : 'even'];
      if (index % 3 === 0) categories.push('third');
      if (index % 199 === 7) categories.push('few', 'even', 'odd');
      return keyed(index, { categories });
    }),
  ]);
  const service = await startService(box.config);
  const random = async (categories: string, limit = 25) =>
    service.get(`/api/image/random?limit=${limit}&categories=${categories}`);

  describe('images in every named category', () => {
    const cases: [string, (index: number) => boolean][] = [
      ['even,odd', (index) => index % 199 === 7],
      ['even,odd,few', (index) => index % 199 === 7],
      ['even,third,odd', (index) => index % 199 === 7 && index % 3 === 0],
    ];
    for (const [categories, qualifies] of cases) {
      test(`returns all images in ${categories}`, async () => {
        const expected = Array.from({ length: IMAGES }, (_, index) => index).filter(qualifies);
        for (let round = 0; round < 3; round++) {
          const { json } = await random(categories);
          const tags = json.data.map(({ meta }: { meta: { eTag: string } }) =>
            Number(meta.eTag.replace('tag-', '')),
          );
          assert.deepEqual(
            tags.sort((a: number, b: number) => a - b),
            expected,
          );
        }
      });
    }
  });

  test('treats many spellings of a name as one category', async () => {
    const spellings = Array.from({ length: 99 }, (_, index) =>
      [...'even']
        .map((letter, position) => ((index >> position) & 1 ? letter.toUpperCase() : letter))
        .join(''),
    );
    const { status, json } = await random(`odd,${spellings.join(',')}`);
    assert.equal(status, 200);
    assert.equal(json.data.length, 6);
  });

  test('reflects an import at once', async () => {
    assert.equal((await random('even,odd')).json.data.length, 6);
    await box.import([keyed(IMAGES, { categories: ['even', 'odd'] }), keyed(7, { categories: ['odd'] })]);
    const tags = (await random('even,odd')).json.data.map(
      ({ meta }: { meta: { eTag: string } }) => meta.eTag,
    );
    assert.equal(tags.length, 6);
    assert.ok(tags.includes(`tag-${IMAGES}`) && !tags.includes('tag-7'));
  });
});
