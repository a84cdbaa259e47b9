/** Imports: all or nothing, idempotent, and shelves and documents that follow every change. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { parseJsonBytes } from '../../src/lib/byte-string.ts';
import { openStore, openWriter } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { contentOf, keyed, listed, type Sandbox, sandbox } from '../support/catalogues/import.ts';
import { shelfProblems, snapshot } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngine, sqlite, testOnOneStore } from '../support/servers/engines.ts';

await forEachEngine(async (engine) => {
  const testOnce = testOnOneStore(engine);
  const entries = [
    { type: 'category', name: 'Cats', description: 'one' },
    { type: 'category', name: 'dogs' },
    { type: 'artist', name: 'Ann', url: 'https://example.org/ann' },
    { type: 'artist', name: 'Bob' },
    { type: 'character', name: 'Cleo', source: 'A' },
  ];

  async function read<T>({ config }: Sandbox, work: (catalogue: Catalogue) => Promise<T>) {
    await using store = await openStore(config);
    return await work(store.catalogue);
  }

  const allImages = (box: Sandbox) =>
    read(box, async (catalogue) => (await listed(catalogue, {}, { offset: 0, limit: 1000 })).map(contentOf));

  async function imagesOf(box: Sandbox, artistName: string) {
    return read(box, async (catalogue) => {
      const artists = (await catalogue.list('artist', { offset: 0, limit: 100 })).items.map(({ json }) =>
        parseJsonBytes(json),
      );
      const { id } = artists.find(({ name }) => name === artistName);
      const images = await listed(catalogue, { artist: [id] }, { offset: 0, limit: 100 });
      return images.map((image) => contentOf(image).meta.eTag);
    });
  }

  describe('import', { concurrency: 4 }, () => {
    test('identifies records without ids by name, name and source, or bytes', async () => {
      const box = sandbox(engine);
      const records = [...entries, keyed(1, { artist: 'Ann', categories: ['cats'], characters: ['Cleo'] })];
      assert.equal((await box.import(records)).added, 6);
      const before = snapshot(box.config);
      assert.deepEqual(await box.import(records), { added: 0, updated: 0, unchanged: 6 });
      assert.equal(snapshot(box.config), before);
      const others = [
        { type: 'category', name: 'CATS', description: 'one' },
        { type: 'artist', name: 'Ann', url: 'https://example.org/other-ann' },
        { type: 'character', name: 'Cleo', source: 'B' },
      ];
      assert.deepEqual(await box.import(others), { added: 1, updated: 2, unchanged: 0 });
    });

    test('one invalid line anywhere leaves the catalogue unchanged', async () => {
      const box = sandbox(engine);
      for (const picture of [1, 2]) writeTiny(box.folder, `${picture}.png`, picture);
      const category = { type: 'category', id: uuid(1, 1), name: 'a name' };
      await box.import([category, { type: 'image', file: '1.png', nsfw: 'sfw' }]);
      const before = snapshot(box.config);
      const good = Array.from({ length: 1200 }, (_, index) => keyed(index));
      const changed = { ...category, name: 'renamed', description: 'changed' };
      const files = [1, 2].map((picture) => ({ type: 'image', file: `${picture}.png`, nsfw: 'nsfw' }));
      await assert.rejects(
        box.import([changed, ...files, ...good, '{"type":"image"', ...good]),
        /catalogue\.ndjson:1204: not valid JSON/,
      );
      assert.equal(snapshot(box.config), before);
      await assert.rejects(
        box.import([changed, ...good, keyed(9000, { artist: 'Nobody' })]),
        /:1202: there is no artist "Nobody"/,
      );
      assert.equal(snapshot(box.config), before);
    });

    testOnce('updates changed categories and characters in the documents of their images', async () => {
      const box = sandbox(engine);
      const image = keyed(1, { categories: ['Cats', 'dogs'], characters: ['Cleo'] });
      await box.import([...entries, image, keyed(2, { categories: ['dogs'] })]);
      const changed = { type: 'category', name: 'cats', description: 'two', nsfw: true };
      assert.deepEqual(await box.import([changed, { ...entries[4], gender: 'female' }]), {
        added: 0,
        updated: 2,
        unchanged: 0,
      });
      const [first, second] = await allImages(box);
      assert.deepEqual(
        first?.categories.map(({ name, description, nsfw }) => [name, description, nsfw]),
        [
          ['cats', 'two', true],
          ['dogs', '', false],
        ],
      );
      assert.equal(first?.characters[0]?.gender, 'female');
      assert.deepEqual(
        second?.categories.map(({ name }) => name),
        ['dogs'],
      );
      assert.deepEqual(shelfProblems(box.config), []);
    });

    testOnce('an image that moves to another artist keeps its position in the order of adding', async () => {
      const box = sandbox(engine);
      const images = [1, 2, 3, 4, 5].map((index) =>
        keyed(index, { artist: index % 2 ? 'Ann' : 'Bob', categories: ['dogs'] }),
      );
      await box.import([...entries, ...images]);
      assert.deepEqual(await box.import([keyed(3, { artist: 'Bob', nsfw: 'nsfw' })]), {
        added: 0,
        updated: 1,
        unchanged: 0,
      });
      assert.deepEqual(await imagesOf(box, 'Bob'), ['tag-2', 'tag-3', 'tag-4']);
      assert.deepEqual(await imagesOf(box, 'Ann'), ['tag-1', 'tag-5']);
      const statistics = await read(box, (catalogue) => catalogue.statistics());
      assert.deepEqual(statistics.images.nsfw, { nsfw: 1, questionable: 0, sfw: 4 });
      assert.deepEqual(shelfProblems(box.config), []);
    });

    testOnce('sorts artists by name after every import', async () => {
      const box = sandbox(engine);
      await box.import(['m', 'é', 'Z'].map((name) => ({ type: 'artist', name })));
      await box.import(['a', '😀', 'ｱ', 'Zz'].map((name) => ({ type: 'artist', name })));
      const { items, total } = await read(box, (catalogue) =>
        catalogue.list('artist', { offset: 1, limit: 5 }),
      );
      assert.equal(total, 7);
      assert.deepEqual(
        items.map(({ json }) => parseJsonBytes(json).name),
        ['m', 'Z', 'Zz', 'é', 'ｱ'],
      );
    });

    test('a second import waits for the first or gives up, and readers continue', async () => {
      const box = sandbox(engine);
      await box.import(entries);
      await using first = await openWriter(box.config);
      await assert.rejects(
        openWriter(box.config, { timeoutMs: 0 }),
        /^Error: another command is changing the catalogue; try again when it has finished$/,
      );
      const isWaiting = Promise.withResolvers<void>();
      const second = openWriter(box.config, { onWait: isWaiting.resolve });
      await isWaiting.promise;
      assert.equal((await read(box, (catalogue) => catalogue.statistics())).artists.count, 2);
      await first.commit();
      await (await second).commit();
      assert.equal((await box.import([keyed(1)])).added, 1);
    });

    if (atDepth(engine !== sqlite, false)) return;
    test('lists every invalid line with its number, up to a hundred', async () => {
      const box = sandbox(engine);
      const lines = ['{', keyed(1, { categories: ['nowhere'] }), keyed(2), '', { type: 'artist' }];
      await assert.rejects(box.import(lines), (error: Error) => {
        assert.match(error.message, /^nothing was imported\n/);
        const problems = error.message.split('\n').slice(1, -1);
        assert.deepEqual(
          problems.map((line) => line.match(/:(\d+): /)?.[1]),
          ['1', '2', '5'],
        );
        return true;
      });
      await assert.rejects(box.import(Array.from({ length: 500 }, () => '{')), (error: Error) => {
        return error.message.split('\n').length === 102;
      });
    });

    test('asks for the id if two artists have the name', async () => {
      const box = sandbox(engine);
      const twins = [1, 2].map((n) => ({
        type: 'artist',
        id: uuid(2, n),
        name: 'Ann',
        url: `https://example.org/${n}`,
      }));
      await box.import(twins);
      await assert.rejects(
        box.import([keyed(1, { artist: 'Ann' })]),
        /2 artists are called "Ann"; refer to one by its id/,
      );
      assert.equal((await box.import([keyed(1, { artist: uuid(2, 2).toUpperCase() })])).added, 1);
      assert.deepEqual(
        (await allImages(box)).map(({ artist }) => artist),
        [uuid(2, 2)],
      );
    });

    test('rejects a second category with the same name, ignoring case', async () => {
      const box = sandbox(engine);
      await box.import([{ type: 'category', id: uuid(1, 1), name: 'Cats' }]);
      const second = { type: 'category', id: uuid(1, 2), name: 'cATS' };
      await assert.rejects(box.import([second]), /the category "cATS" already exists with the id 1/);
    });

    test('applies the last of two records for the same thing in one file', async () => {
      const box = sandbox(engine);
      const records = [
        ...entries,
        keyed(1),
        { ...entries[0], description: 'later' },
        keyed(1, { categories: ['cats'], nsfw: 'nsfw' }),
      ];
      assert.deepEqual(await box.import(records), { added: 6, updated: 2, unchanged: 0 });
      const [image] = await allImages(box);
      assert.equal(image?.nsfw, 'nsfw');
      assert.equal(image?.categories[0]?.description, 'later');
      assert.deepEqual(shelfProblems(box.config), []);
    });

    test('two images may have the same bytes; then a record needs the id', async () => {
      const box = sandbox(engine);
      await box.import([keyed(1, { id: uuid(4, 1) }), keyed(1, { id: uuid(4, 2) })]);
      assert.equal((await allImages(box)).length, 2);
      await assert.rejects(box.import([keyed(1)]), /2 images have these bytes; add the "id" of one of them/);
    });
  });
});

test('decisions without a time keep the one that they have, when they are imported again', async () => {
  const box = sandbox();
  const decisions = [
    { type: 'blocked', kind: 'category', name: 'spam' },
    { type: 'removed', hash: '0'.repeat(64), image: uuid(4, 1) },
  ];
  assert.deepEqual(await box.import(decisions), { added: 2, updated: 0, unchanged: 0 });
  assert.deepEqual(await box.import(decisions), { added: 0, updated: 0, unchanged: 2 });
});
