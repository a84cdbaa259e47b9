/** Names in any Unicode form and case: what is one entry, and in which order lists are. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkCatalogue } from '../../src/catalogue/documents/check.ts';
import { readDocument } from '../../src/catalogue/documents/document.ts';
import type { Config } from '../../src/config/config.ts';
import { checkHistory, type ItemLine, planItem } from '../../src/import/plan/history.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { succeed } from '../support/catalogues/backup.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { toLines } from '../support/catalogues/lines.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { shelfProblems } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngine, sqlite, testOnOneStore } from '../support/servers/engines.ts';
import { runCommand } from '../support/zukan/program.ts';
import { startService } from '../support/zukan/service.ts';

/** As a Mac writes them. */
const nfd = (text: string) => text.normalize('NFD');

async function assertConsistent(config: Config): Promise<void> {
  await using snapshot = await openSnapshot(config);
  assert.deepEqual(await Array.fromAsync(checkCatalogue(snapshot)), []);
  assert.deepEqual(shelfProblems(config), []);
}

test('names in a restored log get one form', () => {
  const entry = (name: string) => ({
    name,
    createdAt: '2026-01-01T00:00:00.000Z',
    document: JSON.stringify({ id: uuid(2, 1), name, url: '' }),
    aliases: [],
  });
  const item = { type: 'change-item', change: 1, undoneBy: null } as const;
  const artist = checkHistory({
    ...item,
    kind: 'artist',
    id: uuid(2, 1),
    before: null,
    after: entry(nfd('Zoë')),
  });
  assert.deepEqual(JSON.parse(planItem(artist as ItemLine).after ?? ''), entry('Zoë'));
  const blocked = { kind: 'category', name: nfd('Né'), blockedAt: '2026-01-01T00:00:00.000Z' };
  const id = JSON.stringify(['category', nfd('né')]);
  const planned = planItem(
    checkHistory({ ...item, kind: 'blocked', id, before: null, after: blocked }) as ItemLine,
  );
  assert.deepEqual([planned.id, JSON.parse(planned.after ?? '').name], ['["category","né"]', 'Né']);
});

test('an import says what to do with a category in two forms', async () => {
  const { environment } = sandbox(sqlite);
  const records = [
    { type: 'category', id: uuid(1, 1), name: nfd('café') },
    { type: 'category', id: uuid(1, 2), name: 'Café' },
  ];
  const { errors } = await runCommand(['import', '-'], environment, toLines(records));
  assert.match(
    errors,
    new RegExp(
      `already exists with the id ${uuid(1, 1)}; .* replace the id ${uuid(1, 2)} with that one in the whole file`,
    ),
  );
  await succeed(
    ['import', '--quiet', '-'],
    environment,
    toLines(records.map((one) => ({ ...one, id: uuid(1, 1) }))),
  );
});

await forEachEngine((engine) => {
  const testOnce = testOnOneStore(engine);
  testOnce('a folder of a Mac and a typed name are one category, wherever the name is used', async () => {
    const { pictures, ok, run, find, pipe, config } = openMaintained(engine);
    writeTiny(pictures, `${nfd('Café')}/1.png`, 1);
    mkdirSync(join(pictures, 'more'));
    writeTiny(pictures, 'more/2.png', 2);
    writeFileSync(
      join(pictures, 'more/2.json'),
      JSON.stringify({ artist: nfd('Zoë'), tags: ['CAFÉ'], characters: [nfd('Renée')] }),
    );
    const summary = await ok('import', pictures);
    assert.ok(summary.includes('created:\n  category Café\n'), summary);
    assert.match(await ok('import', pictures), /^0 added, 0 updated/);
    for (const form of ['café', nfd('CAFÉ')]) assert.equal((await find('--category', form)).length, 2, form);
    for (const form of ['Zoë', nfd('Zoë')]) assert.equal((await find('--artist', form)).length, 1, form);
    assert.deepEqual((await find('--character', 'Renée'))[0]?.characters, ['Renée']);

    const line = JSON.stringify({ type: 'category', name: nfd('café'), description: 'Coffee.' });
    assert.match((await pipe(line, 'import', '-')).output, /; entries: 0 added, 1 updated/);
    await ok('entry', 'artist', nfd('Zoë'), '--add-alias', nfd('Zö'));
    assert.match(await ok('entry', 'artist', 'Zö'), /aliases +Zö\n/);
    const [first] = await find();
    await ok('edit', first?.id ?? '', '--add-category', nfd('Thé'), '--create');
    assert.match((await run('entry', 'category', 'thé', '--create')).errors, /already exists/);
    await ok('entry', 'category', 'Thé', '--remove', '--block');
    assert.match((await run('entry', 'category', nfd('THÉ'), '--create')).errors, /is blocked/);
    assert.match(await ok('entry', 'category', nfd('thé'), '--unblock'), /unblocked/);
    assert.match(await ok('history', '--entry', nfd('Thé')), /Thé/);
    assert.equal((await ok('export')).normalize('NFC'), await ok('export'), 'what is stored is NFC');

    const service = await startService(config);
    const get = async (path: string) => (await service.get(path)).json;
    const wanted = encodeURIComponent(nfd('café'));
    assert.equal((await get(`/api/image/random?limit=25&categories=${wanted}`)).data.length, 2);
    assert.equal((await get(`/api/category?search=caf_`)).data.length, 1);
    assert.equal((await get(`/api/category?search=%25${encodeURIComponent(nfd('É'))}`)).data.length, 1);
    await assertConsistent(config);
  });

  test('lists are sorted ignoring case, then by code point, then by id, as a model says', async () => {
    const letter = fc.constantFrom('a', 'A', 'b', 'B', 'é', 'É', 'e\u0301', 'Z', '😀', 'ｱ');
    const names = fc.array(fc.string({ unit: letter, minLength: 1, maxLength: 3 }), {
      minLength: 2,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(names, async (given) => {
        const box = sandbox(engine);
        const artists = given.map((name, index) => ({ type: 'artist', id: uuid(2, index + 1), name }));
        const categories = [
          ...new Map(given.map((name) => [name.normalize('NFC').toLowerCase(), name])).values(),
        ];
        await box.import([
          ...artists,
          ...categories.map((name) => ({ type: 'category', name })),
          keyed(1, { categories }),
        ]);
        const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
        const inOrder = (list: { name: string; id: string }[]) =>
          list
            .map(({ name, id }) => ({ name: name.normalize('NFC'), id }))
            .sort(
              (a, b) =>
                compare(a.name.toLowerCase(), b.name.toLowerCase()) ||
                compare(a.name, b.name) ||
                compare(a.id, b.id),
            );
        await using snapshot = await openSnapshot(box.config);
        const listed = await Array.fromAsync(snapshot.entries('artist'));
        const ours = listed.filter(({ name }) => name !== 'Unknown').map(({ name, id }) => ({ name, id }));
        assert.deepEqual(ours, inOrder(artists));
        const [image] = await Array.fromAsync(snapshot.images());
        const inDocument = readDocument(image?.document ?? '').categories.map(({ name }) => name);
        assert.deepEqual(
          inDocument,
          inOrder(categories.map((name) => ({ name, id: '' }))).map(({ name }) => name),
        );
        assert.deepEqual(await Array.fromAsync(checkCatalogue(snapshot)), []);
      }),
      { numRuns: atDepth(3, 30), seed: 9 },
    );
  });
});
