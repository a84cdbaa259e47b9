/** Lines of one file that depend on each other: one file gives what the same lines would as files of their own. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { importFiles } from '../../src/commands/import.ts';
import { openStore } from '../../src/engines.ts';
import { uuid } from '../support/catalogue.ts';
import { shelfProblems } from '../support/dump.ts';
import { forEachEngine, sqlite } from '../support/engines.ts';
import { contentOf, keyed, listed, type Sandbox, sandbox } from '../support/import.ts';

await forEachEngine(async (engine) => {
  /** What the catalogue says, without the ids that were made up. */
  async function contents({ config }: Sandbox) {
    await using store = await openStore(config);
    const { catalogue } = store;
    const all = { offset: 0, limit: 1000 };
    const named = async (kind: 'artist' | 'category') =>
      (await catalogue.list(kind, all)).items.map((text) => {
        const { id, name } = JSON.parse(text);
        return [name, id.startsWith('10000000') || id.startsWith('20000000') ? id : 'new'];
      });
    const images = (await listed(catalogue, {}, all)).map(contentOf);
    const result = {
      categories: await named('category'),
      artists: await named('artist'),
      images: images.map(({ id, meta, nsfw }) => [id.startsWith('40000000') ? id : 'new', meta.eTag, nsfw]),
    };
    return result;
  }

  const cases: [string, object[], object[]][] = [
    [
      'a category is renamed and another takes its old name',
      [{ type: 'category', id: uuid(1, 1), name: 'a' }],
      [
        { type: 'category', id: uuid(1, 1), name: 'c' },
        { type: 'category', name: 'A' },
      ],
    ],
    [
      'an artist is renamed and another takes its old name',
      [{ type: 'artist', id: uuid(2, 1), name: 'a' }],
      [
        { type: 'artist', id: uuid(2, 1), name: 'c' },
        { type: 'artist', name: 'a' },
      ],
    ],
    [
      'a chain of renames',
      [1, 2, 3].map((n) => ({ type: 'category', id: uuid(1, n), name: `name ${n}` })),
      [
        { type: 'category', id: uuid(1, 3), name: 'name 4' },
        { type: 'category', id: uuid(1, 2), name: 'name 3' },
        { type: 'category', id: uuid(1, 1), name: 'name 2' },
      ],
    ],
    [
      'an image gets other bytes and another takes its old ones',
      [keyed(1, { id: uuid(4, 1) })],
      [keyed(2, { id: uuid(4, 1) }), keyed(1, { nsfw: 'nsfw' })],
    ],
  ];
  describe('one file is as good as a file for each line', () => {
    for (const [what, before, lines] of cases) {
      test(what, async () => {
        const [together, apart] = [sandbox(engine), sandbox(engine)];
        await together.import(before);
        await together.import(lines);
        await apart.import(before);
        for (const line of lines) await apart.import([line]);
        assert.deepEqual(await contents(together), await contents(apart));
        assert.deepEqual(shelfProblems(together.config), []);
        const { added, updated } = await together.import(lines.toReversed());
        assert.deepEqual([added, updated], [0, 0], 'and again changes nothing');
      });
    }
  });

  test('the same picture may come twice, under two names, read at the same time', async () => {
    const box = sandbox(engine);
    const { draw } = await import('../support/pictures.ts');
    const bytes = await draw({ file: '', format: 'png', width: 900, height: 900, colour: '#102030' });
    for (const name of ['a.png', 'b.png']) writeFileSync(join(box.folder, name), bytes);
    const image = (file: string) => ({ type: 'image', file, nsfw: 'sfw' });
    for (let round = 0; round < 5; round++) {
      const own = sandbox(engine);
      for (const name of ['a.png', 'b.png']) writeFileSync(join(own.folder, name), bytes);
      assert.deepEqual(await own.import([image('a.png'), image('b.png'), image('a.png')]), {
        added: 1,
        updated: 0,
        unchanged: 2,
      });
    }
  });

  test('a record that is met by name and then by its id is the same one', async () => {
    const box = sandbox(engine);
    await box.import([
      { type: 'category', id: uuid(1, 1), name: 'a', createdAt: '2020-01-01T00:00:00.000Z' },
    ]);
    const moved = { createdAt: '2001-01-01T00:00:00.000Z' };
    await box.import([
      { type: 'category', name: 'a', ...moved },
      { type: 'category', id: uuid(1, 1), name: 'b' },
    ]);
    await using store = await openStore(box.config);
    const { catalogue } = store;
    const { items } = await catalogue.list('category', { offset: 0, limit: 9 });
    assert.equal(JSON.parse(items[0] ?? '').createdAt, moved.createdAt);
  });

  test('a file in which each record takes the name of the one before is no slower than it must be', async () => {
    const box = sandbox(engine);
    const artist = (index: number, name: string) => ({ type: 'artist', id: uuid(2, index), name });
    await box.import(Array.from({ length: 3000 }, (_, index) => artist(index, `name ${index}`)));
    const begun = performance.now();
    const shifted = Array.from({ length: 3000 }, (_, index) => artist(index, `name ${index - 1}`));
    assert.equal((await box.import(shifted)).updated, 3000);
    // Each has to be looked up and saved on its own, which takes a server some round trips.
    const limit = engine === sqlite ? 4000 : 15_000;
    assert.ok(performance.now() - begun < limit, `${performance.now() - begun} ms`);
  });

  test('several files are read one after the other, each when its turn comes', async () => {
    const box = sandbox(engine);
    const paths = Array.from({ length: 40 }, (_, index) => {
      const path = join(box.folder, `${index}.ndjson`);
      writeFileSync(path, `${JSON.stringify({ type: 'artist', name: `Artist ${index}` })}\n`);
      return path;
    });
    assert.equal((await importFiles(box.config, paths)).added, 40);
  });
});
