/**
 * What earlier releases made is still there after the upgrade. The folders have a dump of each database as such a release left
 * it, what it exported from there, and its backup of the catalogue in SQLite. Images and entries were edited, one was
 * merged into another and one renamed, two images are an album, a name is blocked, `removed.png` was taken down, another
 * image is in the trash, a change was undone, and one of two tokens was revoked. Never change these files.
 */
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import description from '../../package.json' with { type: 'json' };
import type { Config } from '../../src/config/config.ts';
import { openStore } from '../../src/server/engines.ts';
import { schema } from '../../src/store/drivers/postgres/schema.ts';
import { catalogueSchema } from '../../src/store/drivers/sqlite/schema.ts';
import { succeed } from '../support/catalogues/backup.ts';
import { parseLines } from '../support/catalogues/lines.ts';
import { type Engine, forEachEngine, rowsIn, tamper } from '../support/servers/engines.ts';
import { psql } from '../support/servers/postgres.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { configFor, startService } from '../support/zukan/service.ts';

const home = import.meta.dirname;
const picture = '40000000-0000-4000-8000-000000000003';
const versions = globSync('[0-9]*', { cwd: home }).sort();
/** What was made is older on every day. */
const forEver = { HISTORY_DAYS: '100000', TRASH_DAYS: '100000' };

type Line = Record<string, unknown>;
const parse = (text: string): Line[] => parseLines(text);

test('every release since 1.0.0 has a dump', () => {
  const changelog = readFileSync(join(home, '../../CHANGELOG.md'), 'utf8');
  const released = Array.from(changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm), ([, version]) => String(version));
  const needed = released.filter((version) => !version.startsWith('0.') && version !== description.version);
  assert.deepEqual(
    needed.filter((version) => !versions.includes(version)),
    [],
  );
});

function openOld(version: string, engine: Engine) {
  const data = temporaryFolder();
  const environment: Record<string, string> = { DATA_DIR: data, ...forEver, ...engine.withoutCatalogue() };
  const config = configFor(data, environment);
  const read = (name: string) => readFileSync(join(home, version, name), 'utf8');
  mkdirSync(data, { recursive: true });
  cpSync(join(home, version, 'backup/files'), join(data, 'files'), { recursive: true });
  if (config.database.engine === 'postgres') psql(config.database.url, read('postgres.sql'));
  else
    for (const [path, dump] of [
      [config.database.path, 'sqlite.sql'],
      [config.database.tokensPath, 'sqlite-tokens.sql'],
    ] as const) {
      using database = new DatabaseSync(path);
      database.exec(read(dump));
      chmodSync(path, 0o600);
    }
  return { environment, config, exported: parse(read(`${config.database.engine}.ndjson`)) };
}

/** Summaries have no titles any more. */
const expectedLine = (line: Line): Line =>
  line.summary === 'title The title of a picture: 1 image'
    ? { ...line, summary: 'change the title: 1 image' }
    : line;

/** All columns, indexes, triggers and functions. */
function schemaOf(config: Config): unknown {
  const queries =
    config.database.engine === 'sqlite'
      ? [
          `select name, wr, strict from pragma_table_list where schema = 'main' order by name`,
          `select m.name as "table", c.* from sqlite_schema as m, pragma_table_xinfo(m.name) as c
           where m.type = 'table' order by m.name, c.cid`,
          `select m.name as "index", m.tbl_name, c.* from sqlite_schema as m, pragma_index_xinfo(m.name) as c
           where m.type = 'index' order by m.name, c.seqno`,
          `select sql from sqlite_schema where type = 'trigger' order by name`,
        ]
      : [
          `select table_name, ordinal_position, column_name, data_type, udt_name, column_default, is_nullable, collation_name
           from information_schema.columns where table_schema = 'zukan' order by 1, 2`,
          `select indexdef from pg_indexes where schemaname = 'zukan' order by indexname`,
          `select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by tgname`,
          `select pg_get_functiondef(oid) from pg_proc where pronamespace = 'zukan'::regnamespace order by proname`,
        ];
  return queries.map((query) => {
    const rows = rowsIn(config, query);
    assert.ok(rows.length > 1, query);
    return JSON.stringify(rows)
      .replaceAll(/(\\n| )+/g, ' ')
      .split('},');
  });
}

/** Decisions, tokens and new commands work. */
async function assertUsable(environment: Record<string, string>, config: Config): Promise<void> {
  await succeed(['check', '--quiet'], environment);
  {
    await using store = await openStore(config);
    const records = await store.tokens.records();
    const [live, revoked] = ['tests', 'revoked'].map((name) =>
      records.find(({ purpose }) => purpose === name),
    );
    assert.deepEqual([live?.owner, live?.scopes, live?.revokedAt], ['a bot', ['image:list'], null]);
    assert.equal((await store.tokens.find(live?.hash ?? ''))?.id, live?.id);
    assert.equal(await store.tokens.find(revoked?.hash ?? ''), undefined);
  }
  const pictures = temporaryFolder();
  copyFileSync(join(home, 'removed.png'), join(pictures, 'again.png'));
  await succeed(['import', pictures], environment);
  const { images } = JSON.parse((await succeed(['stats', '--json'], environment)).output);
  assert.equal(images.count, 3, 'what was taken down is not imported again');

  const [trashed] = JSON.parse((await succeed(['trash', '--json'], environment)).output);
  await succeed(['trash', '--restore', trashed.id], environment);
  await succeed(['undo', '2'], environment);
  const undone = JSON.parse(
    (await succeed(['find', '--album', 'Winter', '--rating', 'sfw', '--json'], environment)).output,
  );
  assert.equal(undone.length, 1);
  await succeed(['entry', 'category', 'catgirl', '--name', 'cat girl'], environment);
  await succeed(['edit', picture, '--add-category', 'catgirl'], environment);
  await succeed(['check', '--quiet'], environment);
  const service = await startService(config);
  const { json } = await service.get('/api/image/random?categories=cat%20girl&limit=25&include=thumbnails');
  assert.equal(json.data.length, 3);
  for (const { url, meta } of json.data)
    assert.equal((await service.get(url)).bytes.length, (meta as { size: number }).size);
}

await forEachEngine((engine) => {
  test('commands that only read leave a catalogue of an older version alone', async () => {
    const { environment, config } = openOld('1.0.0', engine);
    const version = () =>
      rowsIn(
        config,
        config.database.engine === 'sqlite' ? 'pragma user_version' : 'select count(*) from migration',
      );
    const before = version();
    for (const command of [
      ['find'],
      ['entries', 'artist'],
      ['entry', 'artist', 'Unknown', '--json'],
      ['stats'],
      ['history'],
      ['imports'],
      ['trash'],
      ['export'],
      ['check'],
      ['duplicates'],
      ['backup', join(temporaryFolder(), 'backup')],
      ['token', 'list'],
      ['edit', picture, '--rating', 'nsfw', '--dry-run'],
      ['import', join(home, '1.0.0/backup/files'), '--dry-run'],
      ['remove', picture, '--dry-run'],
      ['trash', '--empty', '--dry-run'],
      ['thumbnails', '--dry-run'],
    ]) {
      const { status, errors } = await runCommand(command, environment);
      assert.equal(status, 1, command.join(' '));
      assert.match(
        errors,
        /made by an older version of zukan; .* then run "zukan migrate"\n$/,
        command.join(' '),
      );
    }
    assert.deepEqual(version(), before);
    await assert.rejects(startService(config), /zukan migrate/, 'only the command migrates, not the server');
    const { errors } = await succeed(['edit', picture, '--rating', 'nsfw'], environment);
    assert.match(errors, /^migrating the catalogue of an older version, which cannot read it afterwards\n$/);
    assert.equal(
      (await succeed(['migrate'], environment)).output,
      'the catalogue is of this version already\n',
    );
    assert.equal((await succeed(['stats'], environment)).errors, '');
  });

  test('a catalogue from before 1.0 is refused and stays as it is', async () => {
    const { environment, config } = openOld('1.0.0', engine);
    tamper(
      config,
      config.database.engine === 'sqlite'
        ? `pragma user_version = ${catalogueSchema.base - 1}`
        : `delete from migration where step = ${schema.base - 1}`,
    );
    const before = rowsIn(config, 'select * from shelf');
    for (const command of [['migrate'], ['stats'], ['edit', picture, '--rating', 'sfw'], ['serve']]) {
      const { status, errors } = await runCommand(command, environment);
      assert.equal(status, 1);
      assert.match(errors, /made by a version of zukan before 1\.0; upgrade with zukan 1\.0\.0 first/);
    }
    assert.deepEqual(rowsIn(config, 'select * from shelf'), before);
  });

  for (const version of versions) {
    test(`opens a catalogue of ${version}`, async () => {
      const { environment, config, exported } = openOld(version, engine);
      assert.deepEqual(await succeed(['migrate'], environment), {
        status: 0,
        output: 'migrated the catalogue\n',
        errors: 'migrating the catalogue of an older version, which cannot read it afterwards\n',
      });
      assert.deepEqual(
        parse((await succeed(['export', '--history'], environment)).output),
        exported.map(expectedLine),
      );
      const created = configFor(temporaryFolder(), { ...engine.withoutCatalogue(), WORKERS: '1' });
      await startService(created);
      assert.deepEqual(schemaOf(config), schemaOf(created), 'a new catalogue has the same tables');
      await assertUsable(environment, config);
    });

    test(`restores a backup of ${version}`, async () => {
      const data = temporaryFolder();
      const environment = { DATA_DIR: data, ...forEver, ...engine.withoutCatalogue() };
      await succeed(['restore', '--quiet', join(home, version, 'backup')], environment);
      const exported = parse(readFileSync(join(home, version, 'sqlite.ndjson'), 'utf8'));
      assert.deepEqual(
        parse((await succeed(['export', '--history'], environment)).output),
        exported.map(expectedLine),
      );
      await assertUsable(environment, configFor(data, environment));
    });
  }
});

test('a backup from before 1.0 is refused', async () => {
  const folder = join(temporaryFolder(), 'backup');
  cpSync(join(home, '1.0.0/backup'), folder, { recursive: true });
  const path = join(folder, 'manifest.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"zukan": "1.0.0"', '"zukan": "0.5.0"'));
  const environment = { DATA_DIR: join(temporaryFolder(), 'data') };
  for (const command of [
    ['restore', folder],
    ['restore', '--check', folder],
  ])
    assert.match(
      (await runCommand(command, environment)).errors,
      /the backup was made by a version of zukan before 1\.0; upgrade with zukan 1\.0\.0 first/,
    );
});
