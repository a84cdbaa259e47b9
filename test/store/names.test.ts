/** Names in any Unicode form and case: what is one entry, in which order lists are, and catalogues of older versions. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkCatalogue } from '../../src/catalogue/documents/check.ts';
import { readDocument } from '../../src/catalogue/documents/document.ts';
import type { Config } from '../../src/config/config.ts';
import { checkHistory, planItem } from '../../src/import/plan/history.ts';
import type { ItemLine } from '../../src/import/sources/history-lines.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { migrations } from '../../src/store/drivers/postgres/schema.ts';
import { catalogueSchema } from '../../src/store/drivers/sqlite/schema.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { WITHOUT_LATER_TABLES, WITHOUT_SIZES, WITHOUT_TITLE_WORDS } from '../support/catalogues/older.ts';
import { shelfProblems } from '../support/checks/dump.ts';
import { atDepth } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngine, rowsIn, tamper, testOnOneStore } from '../support/servers/engines.ts';
import { startService } from '../support/zukan/service.ts';

/** As a Mac writes them. */
const nfd = (text: string) => text.normalize('NFD');

async function assertConsistent(config: Config): Promise<void> {
  await using snapshot = await openSnapshot(config);
  assert.deepEqual(await Array.fromAsync(checkCatalogue(snapshot)), []);
  assert.deepEqual(shelfProblems(config), []);
}

test('the log of a backup that an older version made gets names in one form', () => {
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
    assert.match((await pipe(line, 'import', '-')).output, /^0 added, 1 updated/);
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

  describe('a catalogue of an older version', () => {
    test('gets names in one form and order, and entries that differ in form only become one', async () => {
      const box = openMaintained(engine);
      // Stand for names that this version would make one.
      const former = new Map([
        ['Cafe1', 'Café'],
        ['Cafe2', nfd('café')],
        ['Zoe1', nfd('Zoë')],
        ['Zoe2', 'Zoë'],
        ['Eve1', nfd('Ève')],
        ['Eve2', 'Ève'],
        ['Eve3', 'Ève'],
        ['Alias1', nfd('Thé')],
        ['Blocked1', nfd('Né')],
      ]);
      await box.import([
        { type: 'category', name: 'Cafe1', description: 'Coffee.', nsfw: true },
        ...['Cafe2', 'Zoo', 'apple'].map((name) => ({ type: 'category', name })),
        { type: 'category', name: 'tea', aliases: ['Alias1'], description: `${nfd('é')}\n\u0303` },
        ...['Zoe1', 'Zoe2', 'Eve1', 'Eve2', 'Eve3'].map((name) => ({ type: 'artist', name })),
        { type: 'character', name: 'Rei', source: 'one' },
        { type: 'character', name: 'Rei', source: 'two' },
        keyed(1, { artist: 'Zoe1', categories: ['Cafe1', 'Zoo', 'apple'] }),
        keyed(2, { artist: 'Zoe2', categories: ['Cafe2', 'Cafe1', 'tea'], nsfw: 'nsfw' }),
        keyed(3, { artist: 'Zoe1', categories: ['Cafe2'], nsfw: 'sfw' }),
        keyed(4, { artist: 'Zoe1', categories: ['Cafe2'] }),
        { type: 'blocked', kind: 'category', name: 'Blocked1' },
      ]);
      const oldest = (await box.find()).at(-1)?.id ?? '';
      await box.ok('edit', oldest, '--remove-category', 'Cafe1');
      await box.ok('entry', 'category', 'Zoo', '--description', 'x');
      makeOld(box.config, former);
      await box.ok('migrate');
      // What is damaged already stays as it is.
      tamper(box.config, `insert into change_item (change, kind, id, before) values (1, 'artist', 'x', '{')`);

      const exported = (await box.ok('export'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const namesOf = (type: string) => exported.filter((line) => line.type === type).map(({ name }) => name);
      assert.deepEqual(namesOf('category'), ['apple', 'café', 'tea', 'Zoo']);
      // Two artists shared a name on purpose, so nobody knows which of them the third one is.
      assert.deepEqual(namesOf('artist'), ['Zoë', 'Ève', 'Ève', 'Ève']);
      assert.deepEqual(namesOf('character'), ['Rei', 'Rei']);
      assert.deepEqual(namesOf('blocked'), ['Né']);
      assert.deepEqual(
        (await box.find()).map(({ artist, categories }) => [artist.name, categories]),
        [
          ['Zoë', ['café']],
          ['Zoë', ['café']],
          ['Zoë', ['café', 'tea']],
          ['Zoë', ['apple', 'Zoo']],
        ],
      );
      assert.equal((await box.find('--category', 'CAFÉ')).length, 3);
      const cafe = JSON.parse(await box.ok('entry', 'category', 'café', '--json'));
      assert.deepEqual([cafe.description, cafe.nsfw], ['Coffee.', true], 'what only the other one had');
      assert.equal((await box.find('--category', 'Thé')).length, 1);
      assert.equal(JSON.parse(await box.ok('entry', 'category', 'tea', '--json')).description, 'é\n\u0303');
      const text = JSON.stringify([
        rowsIn(box.config, 'select * from shelf'),
        rowsIn(box.config, 'select document from image'),
        rowsIn(box.config, 'select * from alias'),
        rowsIn(box.config, 'select * from change_item'),
      ]);
      assert.doesNotMatch(text, /e\u0301|e\u0308/);
      tamper(box.config, `delete from change_item where id = 'x'`);
      await assertConsistent(box.config);
      // The log still fits the catalogue.
      const [last, edit] = JSON.parse(await box.ok('history', '--json')) as { number: number }[];
      for (const change of [last, edit]) await box.ok('undo', String(change?.number), '--strict');
      assert.deepEqual((await box.find()).at(-1)?.categories, ['apple', 'café', 'Zoo']);
      await assertConsistent(box.config);
    });
  });
});

/** Makes a catalogue what older versions had: the names as they were given, in the order of their code points, and no sort key. */
function makeOld(config: Config, former: Map<string, string>): void {
  const rename = (text: string) => [...former].reduce((all, [name, old]) => all.replaceAll(name, old), text);
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const byBytes = (a: { name: string }, b: { name: string }) =>
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
  const update = (table: string, columns: string[], key: string[]) =>
    (rowsIn(config, `select * from ${table}`) as Record<string, string | number | null>[]).map((row) => {
      const value = (column: string) =>
        typeof row[column] === 'string' ? quote(rename(row[column])) : row[column];
      const raw = (column: string) => (typeof row[column] === 'string' ? quote(row[column]) : row[column]);
      return `update ${table} set ${columns.map((name) => `${name} = ${value(name)}`)} where ${key.map((name) => `${name} = ${raw(name)}`).join(' and ')};`;
    });
  const documents = (
    rowsIn(config, 'select number, document from image') as { number: number; document: string }[]
  ).map(({ number, document }) => {
    const old = rename(document).replace(/"categories":(\[.*?\]),"characters"/, (_, list) => {
      const entries = (JSON.parse(list) as { name: string }[]).sort(byBytes);
      return `"categories":${JSON.stringify(entries)},"characters"`;
    });
    return `update image set document = ${quote(old)} where number = ${number};`;
  });
  const isKeyStep = (step: unknown) => typeof step === 'string' && step.includes('sort_key');
  const version =
    config.database.engine === 'sqlite'
      ? `pragma user_version = ${catalogueSchema.steps.findIndex(isKeyStep)};`
      : `delete from migration where step >= ${migrations.findIndex(isKeyStep)};`;
  tamper(
    config,
    [
      // The folded names, too.
      ...update('shelf', ['name', 'document'], ['number']),
      `update shelf set category = case when name = ${quote(nfd('café'))} then name when name = 'Café' then 'café' else category end;`,
      ...update('alias', ['name'], ['kind', 'key']),
      ...update('blocked_name', ['name'], ['kind', 'key']),
      ...update('change_item', ['before', 'after'], ['change', 'kind', 'id']),
      ...documents,
      `update shelf set position = ordered.position
       from (select number, row_number() over (partition by kind order by name, id) - 1 as position from shelf
             where kind in ('artist', 'category', 'character')) as ordered where ordered.number = shelf.number;`,
      'alter table shelf drop column sort_key;',
      // What later steps add.
      'drop table source_folder;',
      WITHOUT_TITLE_WORDS,
      WITHOUT_SIZES,
      WITHOUT_LATER_TABLES,
      version,
    ].join('\n'),
  );
}
