/** Paths that earlier versions stored in the form that the disk gave. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import pg from 'pg';
import type { Config } from '../../src/config/config.ts';
import { openSnapshot } from '../../src/server/engines.ts';
import { normalisePaths, type Statement } from '../../src/store/migrations/migrations.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { forEachEngine, tamper } from '../support/servers/engines.ts';

async function migrate({ database }: Config): Promise<void> {
  const run = async (execute: (statement: Statement) => unknown[] | Promise<unknown[]>) => {
    const statements = normalisePaths();
    for (let next = statements.next(); !next.done; ) next = statements.next(await execute(next.value));
  };
  if (database.engine === 'sqlite') {
    using connection = new DatabaseSync(database.path);
    await run(({ text, values }) =>
      connection.prepare(text.replaceAll('$', '?')).all(...(values as (string | number)[])),
    );
  } else {
    const client = new pg.Client(database.url);
    await client.connect();
    await client.query('set search_path to zukan');
    await run(async ({ text, values }) => (await client.query(text, values as unknown[])).rows);
    await client.end();
  }
}

await forEachEngine((engine) => {
  test('paths get one form, and what differs in form only becomes one', async () => {
    const { config, import: importRecords } = sandbox(engine);
    await importRecords([]);
    const [nfc, nfd] = ['/é/', '/é/'.normalize('NFD')] as const;
    const files = Array.from({ length: 1200 }, (_, index) => [
      nfd,
      `${index} ä`.normalize('NFD'),
      uuid(4, 1),
    ]);
    files.push([nfc, '7 ä', uuid(4, 1)], [nfc, '7 ä', uuid(4, 2)], ['/plain', 'a', uuid(4, 3)]);
    tamper(
      config,
      `insert into source_file (folder, path, image, state, fingerprint) values
         ${files.map((file) => `('${file.join("', '")}', 'first', 'of ${file[1]?.normalize()}')`)};
       insert into source_folder values ('${nfc}', '{"defaultRating":"nsfw"}'), ('${nfd}', '{}'),
         ('${nfd}b', '{"albumsFrom":"folders"}')`,
    );
    await migrate(config);
    await using snapshot = await openSnapshot(config);
    const rows = await Array.fromAsync(snapshot.sourceFiles());
    assert.equal(rows.length, 1202);
    for (const { folder, path, fingerprint } of rows)
      assert.deepEqual([folder.normalize(), path.normalize(), `of ${path}`], [folder, path, fingerprint]);
    assert.equal(rows.filter(({ path, state }) => path === '7 ä' && state === 'first').length, 2);
    assert.deepEqual(await Array.fromAsync(snapshot.chosenFolders()), [
      { folder: nfc, choice: { defaultRating: 'nsfw' } },
      { folder: `${nfc}b`, choice: { albumsFrom: 'folders' } },
    ]);
  });
});
