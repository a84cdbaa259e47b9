/** Nothing that a picture said stays when it is taken down, wherever it was. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { withoutTitle } from '../../src/catalogue/lines.ts';
import { planChange } from '../../src/import/plan/history.ts';
import { removeTitles } from '../../src/store/migrations/migrations.ts';
import { openMaintained } from '../support/catalogues/maintained.ts';
import { forgetSteps } from '../support/catalogues/older.ts';
import { shelfProblems } from '../support/checks/dump.ts';
import { forEachEngine, rowsIn, tablesIn, tamper } from '../support/servers/engines.ts';

await forEachEngine((engine) => {
  test('no text of a picture that was taken down stays in any table, the history or an export', async () => {
    const { ok, picture, pictures, find, config, folder } = openMaintained(engine);
    const secret = { title: 'Secret title', description: 'Secret story', source: 'https://secret.example/' };
    picture(1, { ...secret, rating: 's' });
    picture(2, { rating: 's', title: 'Public' });
    await ok('import', '--quiet', pictures);
    const [{ id } = { id: '' }] = await find('--title', 'Secret');
    await ok(
      'edit',
      id,
      '--title',
      'Secret garden',
      '--description',
      'Secret path',
      '--source-name',
      'Secret',
    );
    await ok('undo', '2');
    await ok('trash', id);
    await ok('undo', '4');
    await ok('remove', '--yes', id);
    const isSqlite = config.database.engine === 'sqlite';
    const tables = (
      rowsIn(
        config,
        isSqlite
          ? `select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`
          : `select tablename as name from pg_tables where schemaname = 'zukan'`,
      ) as { name: string }[]
    ).map(({ name }) => [name, `select * from ${name}`]);
    assert.ok(tables.length > 15);
    assert.doesNotMatch(JSON.stringify(tablesIn(config, Object.fromEntries(tables))), /secret/i);
    const exported = await ok('export', '--history');
    assert.doesNotMatch(exported, /secret/i);
    assert.match(exported, /Public/);
    await ok('backup', '--quiet', join(folder, 'backup'));
    await ok('check');
  });

  test('nothing with the bytes of a picture that is taken down stays public, whichever of its ids is named', async () => {
    const { ok, run, picture, pictures, find, config } = openMaintained(engine);
    picture(1, { rating: 's' });
    picture(2, { rating: 's' });
    await ok('import', '--quiet', pictures);
    const former = (await find()).map(({ id }) => id);
    await ok('undo', '1');
    await ok('import', '--quiet', pictures);
    const [one, two] = (await find()).map(({ id }) => id);
    assert.ok(![one, two].some((id) => former.includes(id as string)));
    const both = /2 images \(1 not named, with the same bytes\) would be removed:\n/;
    assert.match(await ok('remove', '--dry-run', former[0] as string), both);
    assert.match(await ok('remove', '--dry-run', one as string), both);
    assert.match((await run('remove', former[0] as string)).errors, /This removes 2 images for good/);
    assert.match((await run('remove', one as string)).errors, /This removes 2 images for good/);
    assert.equal(
      await ok('remove', '--yes', former[0] as string),
      'removed 2 images (1 not named, with the same bytes) and 1 file\n',
    );
    assert.equal((await find()).length, 1);
    assert.equal(
      await ok('remove', '--yes', two as string, ...former.slice(1)),
      'removed 2 images and 1 file\n',
    );
    assert.deepEqual(await find(), []);
    assert.match(await ok('import', '--quiet', pictures), /skipped \(removed/);
    assert.deepEqual(await find(), []);
    await ok('remove', '--allow-again', former[0] as string);
    assert.match(await ok('import', '--quiet', pictures), /^1 added/);
    assert.deepEqual(shelfProblems(config), []);
    await ok('check');
  });

  test('an older catalogue loses the titles in its history with the migration', async () => {
    const { ok, picture, pictures, config } = openMaintained(engine);
    picture(1);
    await ok('import', '--quiet', pictures);
    tamper(
      config,
      `update change set summary = 'undo 3: rate sfw, title Secret, of a: 2: 1 image'; drop table clock; ${forgetSteps(config, removeTitles)}`,
    );
    await ok('migrate');
    const [change] = rowsIn(config, 'select summary from change') as { summary: string }[];
    assert.equal(change?.summary, 'undo 3: rate sfw, change the title: 1 image');
  });
});

test('summaries of older versions lose titles, and nothing else that looks alike', () => {
  for (const [before, after] of [
    ['title A: 12 images', 'change the title: 12 images'],
    ['artist Kei, title A\nB, date 2024-01-01: 1 image', 'artist Kei, change the title: 1 image'],
    ['undo 12: undo 11: title x: 1 image', 'undo 12: undo 11: change the title: 1 image'],
    [`title ${'x'.repeat(994)}`, 'change the title'],
    ['add subtitle page, rate sfw: 1 image', 'add subtitle page, rate sfw: 1 image'],
    ['remove the title: 1 image', 'remove the title: 1 image'],
    ['import: 3 images added', 'import: 3 images added'],
  ] as const)
    assert.equal(withoutTitle(before), after);
  const line = { type: 'change', summary: 'title Secret: 1 image' } as Parameters<typeof planChange>[0];
  assert.equal(planChange(line).summary, 'change the title: 1 image', 'of a backup or an export');
});
