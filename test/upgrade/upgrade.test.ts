/**
 * Data that earlier releases made is still there after the upgrade. The folders have dumps of catalogues that those
 * releases imported, with their tokens, and what they exported; `files` has the pictures. Version 0.2.0 stored the same
 * as 0.1.0. From 0.4.0 on, operators could decide things: there an image and entries were edited, one was merged into another,
 * and `removed.png` was removed. Never change these files.
 */
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import description from '../../package.json' with { type: 'json' };
import { type Named, sortByName } from '../../src/catalogue/names.ts';
import { UNKNOWN_ARTIST } from '../../src/catalogue/unknown-artist.ts';
import { openStore } from '../../src/server/engines.ts';
import { succeed } from '../support/catalogues/backup.ts';
import { type Engine, forEachEngine, rowsIn } from '../support/servers/engines.ts';
import { psql } from '../support/servers/postgres.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { configFor, startService } from '../support/zukan/service.ts';

const home = import.meta.dirname;
type Line = Record<string, unknown>;

const parse = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The line of the artist of images without one, apart from its date: the migration or an import added it. */
const isUnknown = ({ type, id }: Line) => type === 'artist' && id === UNKNOWN_ARTIST.id;

/** What an export of this version has instead: every image has an artist and a source, and records have decisions. */
function expectedLine(line: Line): Line {
  if (line.type === 'removed') return line;
  if (line.type !== 'image') return { aliases: [], ...line };
  const { artist, source } = line;
  return {
    edited: [],
    ...line,
    artist: artist ?? UNKNOWN_ARTIST.id,
    source: source ?? { name: '', url: '' },
  };
}

/** This version sorts entries ignoring case, and so the lists of images. */
function inOrder(lines: Line[]): Line[] {
  const entries = lines.filter(({ type }) => type !== 'image' && type !== 'removed') as (Line & Named)[];
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const sortIds = (ids: unknown) =>
    sortByName((ids as string[]).map((id) => byId.get(id) as Named)).map(({ id }) => id);
  const images = lines
    .filter(({ type }) => type === 'image')
    .map((line) => ({ ...line, categories: sortIds(line.categories), characters: sortIds(line.characters) }));
  const kinds = Map.groupBy(entries, ({ type }) => type);
  const removed = lines.filter(({ type }) => type === 'removed');
  return [...[...kinds.values()].flatMap((ofKind) => sortByName(ofKind)), ...images, ...removed];
}

/** Thumbnails may differ, and the dumps of the two databases were made one after the other. */
function comparable(lines: Line[]): Line[] {
  return lines
    .filter((line) => !isUnknown(line))
    .map(({ thumbnails, ...line }) => (line.type === 'removed' ? { hash: line.hash } : line));
}

const versions = globSync('[0-9]*', { cwd: home }).sort();

test('every earlier release but 0.2.0 has a dump', () => {
  const changelog = readFileSync(join(home, '../../CHANGELOG.md'), 'utf8');
  const released = Array.from(
    changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm),
    ([, version]) => version as string,
  );
  const others = ['0.2.0', description.version, ...versions];
  assert.deepEqual(
    released.filter((version) => !others.includes(version)),
    [],
  );
});

function openOld(version: string, engine: Engine) {
  const data = temporaryFolder();
  const environment: Record<string, string> = { DATA_DIR: data, ...engine.withoutCatalogue() };
  const config = configFor(data, environment);
  const read = (name: string) => readFileSync(join(home, version, name), 'utf8');
  mkdirSync(data, { recursive: true });
  cpSync(join(home, 'files'), join(data, 'files'), { recursive: true });
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
  return { environment, config, read };
}

await forEachEngine((engine) => {
  test('commands that only read leave a catalogue of an older version alone', async () => {
    const { environment, config } = openOld('0.5.0', engine);
    const image = '40000000-0000-4000-8000-000000000003';
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
      ['edit', image, '--rating', 'nsfw', '--dry-run'],
      ['import', join(home, 'files'), '--dry-run'],
      ['remove', image, '--dry-run'],
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
    const { errors } = await succeed(['edit', image, '--rating', 'nsfw'], environment);
    assert.match(errors, /^migrating the catalogue of an older version, which cannot read it afterwards\n$/);
    assert.equal(
      (await succeed(['migrate'], environment)).output,
      'the catalogue is of this version already\n',
    );
    assert.equal((await succeed(['stats'], environment)).errors, '');
  });

  for (const version of versions)
    test(`opens a catalogue of ${version}`, async () => {
      const { environment, config, read } = openOld(version, engine);
      assert.deepEqual(await succeed(['migrate'], environment), {
        status: 0,
        output: 'migrated the catalogue\n',
        errors: 'migrating the catalogue of an older version, which cannot read it afterwards\n',
      });
      const exported = parse((await succeed(['export'], environment)).output);
      const expected = inOrder(parse(read('export.ndjson')).map(expectedLine));
      assert.equal(expected.filter(({ type }) => type === 'image').length, 3);
      const images = exported.filter(({ type }) => type === 'image');
      const hasThumbnails = images.every((line) => 'thumbnails' in line);
      assert.equal(hasThumbnails, version !== '0.1.0', 'version 0.1.0 had none');
      assert.deepEqual(comparable(exported), comparable(expected));
      const unknown = exported.filter(isUnknown);
      assert.equal(unknown.length, 1);
      assert.equal(unknown[0]?.name, 'Unknown');

      await succeed(['check', '--quiet'], environment);
      const imports = JSON.parse((await succeed(['imports', '--json'], environment)).output);
      assert.equal(imports.length, version === '0.5.0' ? 2 : 0, 'version 0.5.0 was the first to list them');
      await using store = await openStore(config);
      const [live, revoked] = await store.tokens.records();
      assert.deepEqual([live?.owner, live?.scopes, live?.revokedAt], ['a bot', ['image:list'], null]);
      assert.equal((await store.tokens.find(live?.hash ?? ''))?.id, live?.id);
      assert.equal(revoked?.purpose, 'revoked');
      assert.equal(await store.tokens.find(revoked?.hash ?? ''), undefined);

      if (exported.some(({ type }) => type === 'removed')) {
        const pictures = temporaryFolder();
        copyFileSync(join(home, 'removed.png'), join(pictures, 'again.png'));
        await succeed(['import', pictures], environment);
        const { images } = JSON.parse((await succeed(['stats', '--json'], environment)).output);
        assert.equal(images.count, 3, 'what was removed is not imported again');
      }

      // What this version adds works on the old data: new thumbnails, decisions, and a new picture.
      await succeed(['thumbnails', '--quiet'], environment);
      await succeed(['entry', 'category', 'catgirl', '--name', 'cat girl'], environment);
      await succeed(
        ['edit', '40000000-0000-4000-8000-000000000003', '--add-category', 'catgirl'],
        environment,
      );
      await succeed(['check', '--quiet'], environment);
      const service = await startService(config);
      const { json } = await service.get(
        '/api/image/random?categories=cat%20girl&limit=25&include=thumbnails',
      );
      assert.equal(json.data.length, 3);
      for (const { url, size } of json.data.map(({ url, meta }: { url: string; meta: { size: number } }) => ({
        url,
        size: meta.size,
      })))
        assert.equal((await service.get(url)).bytes.length, size);
    });
});
