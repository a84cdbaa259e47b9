/** Whatever is changed in the studio and undone leaves the catalogue as it was. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { openStudio, type TestStudio } from '../support/zukan/studio.ts';

const names = ['sea', 'city', 'new', 'Unknown'];
const name = fc.constantFrom(...names);
const rating = fc.constantFrom('sfw', 'questionable', 'nsfw');
const kind = fc.constantFrom('artist', 'category', 'character');
const edit = fc.record(
  {
    rating,
    artist: name,
    sourceName: fc.constantFrom('', 'A book'),
    sourceUrl: fc.constant(''),
    title: fc.constantFrom('', 'A title'),
    description: fc.constantFrom('', 'A text.'),
    takenAt: fc.constantFrom('', '2024-02-03'),
    addCategories: fc.array(name, { maxLength: 2 }),
    addCharacters: fc.array(name, { maxLength: 2 }),
    removeCategories: fc.array(fc.constantFrom('sea', 'city'), { maxLength: 2 }),
    reset: fc.subarray(['rating', 'artist', 'categories', 'title']),
  },
  { requiredKeys: [] },
);
const index = fc.nat(3);
const step = fc.oneof(
  fc.record({
    type: fc.constant('images' as const),
    images: fc.subarray([0, 1, 2, 3], { minLength: 1 }),
    edit,
  }),
  fc.record({
    type: fc.constant('rename' as const),
    kind,
    index,
    name: fc.constantFrom('sea', 'Sea', 'lake', 'hill'),
  }),
  fc.record({ type: fc.constant('alias' as const), kind, index, name: fc.constantFrom('pond', 'bay') }),
  fc.record({ type: fc.constant('merge' as const), kind, index, into: index }),
  fc.record({ type: fc.constant('remove' as const), kind, index, block: fc.boolean() }),
  fc.record({ type: fc.constant('create' as const), kind, name: fc.constantFrom('lake', 'fresh') }),
  fc.record({ type: fc.constant('add' as const), picture: index, category: name, rating }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Steps that the studio refuses, such as a name that is taken, are no steps. */
async function take(studio: TestStudio, step: Step): Promise<void> {
  if (step.type === 'images') {
    const all = await studio.ids();
    const ids = step.images.map((image) => all[image] as string);
    // Refused if the name was blocked by an earlier step.
    await studio.edit(ids, { ...step.edit, create: true });
    return;
  }
  if (step.type === 'add') {
    const headers = { ...(await studio.signIn()), 'Content-Type': 'application/octet-stream' };
    const query = new URLSearchParams({ name: 'x.png', rating: step.rating, category: step.category });
    const { status } = await studio.send(`/add/picture?${query}`, headers, tinyPicture(step.picture), 'POST');
    assert.equal(status, 200);
    return;
  }
  const { kind } = step;
  if (step.type === 'create') {
    await studio.post('/change/entry/create', { kind, name: step.name });
    return;
  }
  const { json: entries } = await studio.get(`/data/entries?kind=${kind}`);
  const { id, version } = entries[step.index % entries.length] ?? {};
  if (id === undefined) return;
  const base = { kind, id, version };
  if (step.type === 'rename')
    await studio.post('/change/entry', {
      ...base,
      fields: { name: step.name },
      addAliases: [],
      removeAliases: [],
    });
  if (step.type === 'alias')
    await studio.post('/change/entry', { ...base, fields: {}, addAliases: [step.name], removeAliases: [] });
  if (step.type === 'remove') await studio.post('/change/entry/remove', { ...base, block: step.block });
  if (step.type === 'merge') {
    const into = entries[step.into % entries.length].id;
    await studio.post('/change/entry/merge', { kind, from: id, version, into });
  }
}

await forEachEngineInDepth(async (engine) => {
  const box = sandbox(engine);
  const exported = async () => (await runCommand(['export'], box.environment)).output;

  test('any sequence of changes, undone, gives the same export', async () => {
    await box.import([
      ...['sea', 'city', 'moon'].map((name) => ({ type: 'category', name, aliases: [`old ${name}`] })),
      { type: 'artist', name: 'sea', url: 'https://example.org/sea', aliases: ['bay'] },
      { type: 'character', name: 'city', source: 'A book', ages: [1] },
      keyed(1, { artist: 'sea', categories: ['sea', 'city'], edited: [] }),
      keyed(2, { categories: ['moon'], characters: ['city'], nsfw: 'nsfw', edited: ['rating'] }),
      keyed(3, {
        artist: 'sea',
        categories: ['sea'],
        source: { name: 'A', url: 'https://example.org' },
        edited: [],
      }),
      keyed(4, { edited: [] }),
    ]);
    const studio = await openStudio(box.config);
    const before = await exported();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        for (const step of steps) await take(studio, step);
        for (;;) {
          const [last] = await studio.steps();
          if (!last) break;
          count++;
          const { kept } = await studio.undo(last.id);
          assert.deepEqual(kept.listed, [], last.label);
        }
        assert.equal(await exported(), before);
      }),
      { numRuns: engine.name === 'SQLite' ? atDepth(4, 100) : atDepth(3, 30), seed: 23, endOnFailure: true },
    );
    assert.ok(count > 5, `only ${count} steps were undone`);
    const { status, output } = await runCommand(['check', '--json'], box.environment);
    assert.ok(status === 0 || !/shelf|alias|misnumbered/.test(output), output);
  });
});
