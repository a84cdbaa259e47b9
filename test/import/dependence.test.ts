/** Records of one file that depend on each other: the result is the same as with a file for each record. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseJsonBytes } from '../../src/lib/byte-string.ts';
import { openStore } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { contentOf, keyed, listed, type Sandbox, sandbox } from '../support/catalogues/import.ts';
import { shelfProblems } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngineInDepth, sqlite } from '../support/servers/engines.ts';
import { importFiles } from '../support/zukan/import-files.ts';

await forEachEngineInDepth((engine) => {
  /** The contents of the catalogue, without generated ids. */
  async function contents({ config }: Sandbox) {
    await using store = await openStore(config);
    const { catalogue } = store;
    const all = { offset: 0, limit: 1000 };
    const named = async (kind: 'artist' | 'category') =>
      (await catalogue.list(kind, all)).items.map(({ json }) => {
        const { id, name } = parseJsonBytes(json);
        return [name, id.startsWith('10000000') || id.startsWith('20000000') ? id : 'new'];
      });
    const images = (await listed(catalogue, {}, all)).map(contentOf);
    return {
      categories: await named('category'),
      artists: await named('artist'),
      images: images.map(({ id, meta, nsfw }) => [id.startsWith('40000000') ? id : 'new', meta.eTag, nsfw]),
    };
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
      [2, 3, 4].map((n) => ({ type: 'category', id: uuid(1, n), name: `name ${n}` })),
      [
        { type: 'category', id: uuid(1, 4), name: 'name 5' },
        { type: 'category', id: uuid(1, 3), name: 'name 4' },
        { type: 'category', id: uuid(1, 2), name: 'name 3' },
      ],
    ],
    [
      'an image gets new bytes and another takes its old ones',
      [keyed(1, { id: uuid(4, 1) })],
      [keyed(2, { id: uuid(4, 1) }), keyed(1, { nsfw: 'nsfw' })],
    ],
  ];
  describe('dependent records', { concurrency: 4 }, () => {
    const together: (typeof cases)[number] = [
      'all of this in one file',
      cases.flatMap(([, before]) => before),
      cases.flatMap(([, , lines]) => lines),
    ];
    const isBrief = atDepth(engine !== sqlite, false);
    for (const [what, before, lines] of isBrief ? [together] : [...cases, together]) {
      test(what, async () => {
        // The store makes no difference.
        const [together, apart] = [sandbox(engine), sandbox()];
        await together.import(before);
        await together.import(lines);
        await apart.import(before);
        for (const line of lines) await apart.import([line]);
        assert.deepEqual(await contents(together), await contents(apart));
        assert.deepEqual(shelfProblems(together.config), []);
        const { added, updated } = await together.import(lines.toReversed());
        assert.deepEqual([added, updated], [0, 0], 'importing again changes nothing');
      });
    }

    if (isBrief) return;
    test('each record takes the name of the one before', async () => {
      const box = sandbox(engine);
      const artist = (index: number, name: string) => ({ type: 'artist', id: uuid(2, index), name });
      await box.import(Array.from({ length: 300 }, (_, index) => artist(index, `name ${index}`)));
      const shifted = Array.from({ length: 300 }, (_, index) => artist(index, `name ${index - 1}`));
      assert.equal((await box.import(shifted)).updated, 300);
    });

    test('stores a picture once that is read under two names at the same time', async () => {
      const box = sandbox(engine);
      const records = Array.from({ length: 5 }, (_, index) => {
        const files = [`${index}-a.png`, `${index}-b.png`];
        for (const file of files) writeTiny(box.folder, file, index);
        return [...files, files[0]].map((file) => ({ type: 'image', file, nsfw: 'sfw' }));
      });
      assert.deepEqual(await box.import(records.flat()), { added: 5, updated: 0, unchanged: 10 });
    });

    test('updates the same record by name and then by id', async () => {
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
      const { items } = await store.catalogue.list('category', { offset: 0, limit: 9 });
      assert.equal(parseJsonBytes(items[0]?.json ?? '').createdAt, moved.createdAt);
    });

    test('imports many files in order', async () => {
      const box = sandbox(engine);
      const paths = Array.from({ length: 40 }, (_, index) => {
        const path = join(box.folder, `${index}.ndjson`);
        writeFileSync(path, `${JSON.stringify({ type: 'artist', name: `Artist ${index}` })}\n`);
        return path;
      });
      assert.equal((await importFiles(box.config, paths)).added, 40);
    });
  });
});
