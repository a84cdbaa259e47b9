/** A lost catalogue: nothing takes its files or its backup for those of an empty one, and it can be restored. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { cpSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { pictureKey } from '../../src/import/files.ts';
import { openBucket } from '../../src/media/s3/files.ts';
import { addIdentity } from '../../src/store/migrations/migrations.ts';
import { contentsOf, type Environment, succeed } from '../support/catalogues/backup.ts';
import { forgetSteps } from '../support/catalogues/older.ts';
import { filesIn } from '../support/checks/dump.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { type Engine, forEachEngineInDepth, rowsIn, sqlite, tamper } from '../support/servers/engines.ts';
import { psql } from '../support/servers/postgres.ts';
import { startS3 } from '../support/servers/s3.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { configFor } from '../support/zukan/service.ts';

/** Few, but more than twenty can be lost. */
const PICTURES = 24;
const pictures = join(temporaryFolder(), 'pictures');
for (let index = 0; index < PICTURES; index++) writeTiny(pictures, `${index}.png`, index);

/** A catalogue with its pictures, and a backup of it. */
async function backedUp(engine: Engine) {
  const folder = temporaryFolder();
  const environment: Environment = {
    DATA_DIR: join(folder, 'data'),
    THUMBNAILS: 'off',
    ...engine.withoutCatalogue(),
  };
  await succeed(['import', '--quiet', pictures], environment);
  await succeed(['token', 'create', '--owner', 'me', '--purpose', 'tests'], environment);
  writeFileSync(join(folder, 'data/link.keys'), `${'a'.repeat(32)}\n`, { mode: 0o600 });
  const backup = join(folder, 'backup');
  await succeed(['backup', '--quiet', backup], environment);
  return { folder, environment, config: configFor(folder, environment), backup };
}

type BackedUp = Awaited<ReturnType<typeof backedUp>>;

const identityIn = ({ config }: Pick<BackedUp, 'config'>) =>
  (rowsIn(config, 'select id from identity') as { id: string }[])[0]?.id;
const ownerIn = (folder: string) => readFileSync(join(folder, 'data/files/.catalogue'), 'utf8').trim();

const changing = (backup: string) => [
  ['backup', backup],
  ['backup', '--keep', '3', backup],
  ['check', '--repair'],
  ['import', '--quiet', pictures],
  ['serve', '--port', '0'],
];

/** Nothing changes, whatever the operator tries. */
async function assertRefused(
  { folder, environment, backup }: BackedUp,
  reason: RegExp,
  commands: string[][],
) {
  const stored = () => [...filesIn(join(folder, 'data/files')), ...filesIn(backup)];
  const before = stored();
  for (const command of commands) {
    const { status, output, errors } = await runCommand(command, environment);
    assert.deepEqual([status, output], [1, ''], command.join(' '));
    assert.match(errors, reason, command.join(' '));
    assert.deepEqual(stored(), before, command.join(' '));
  }
}

const urlOf = ({ database }: Config) => (database as { url: string }).url;
const DROP_SCHEMA = 'drop schema zukan cascade';
const EMPTY_TABLES = `do $$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = 'zukan' loop
    execute format('truncate zukan.%I cascade', name);
  end loop; end $$`;

/** How a catalogue is lost. */
const losses = (engine: Engine): Record<string, (catalogue: BackedUp) => void> =>
  engine === sqlite
    ? {
        emptied: ({ folder }) => truncateSync(join(folder, 'data/zukan.db')),
        removed: ({ folder }) => rmSync(join(folder, 'data/zukan.db')),
      }
    : {
        emptied: ({ config }) => psql(urlOf(config), EMPTY_TABLES),
        dropped: ({ config }) => psql(urlOf(config), DROP_SCHEMA),
      };

await forEachEngineInDepth((engine) => {
  for (const [loss, lose] of Object.entries(losses(engine)))
    test(`a catalogue that was ${loss} harms neither its files nor its backup, and can be restored`, async () => {
      const catalogue = await backedUp(engine);
      const { folder, environment, backup, config } = catalogue;
      const [contents, identity] = [await contentsOf(environment), identityIn(catalogue)];
      assert.equal(ownerIn(folder), identity);
      assert.equal(JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')).catalogue, identity);
      lose(catalogue);
      await assertRefused(catalogue, /"zukan restore <folder>"/, [
        ...changing(backup),
        ['import', '--dry-run', '--quiet', pictures],
      ]);
      if (loss === 'emptied' && engine === sqlite) rmSync(join(folder, 'data/zukan.db'));
      else if (loss === 'emptied') {
        await assertRefused(catalogue, new RegExp(`Remove it with "${DROP_SCHEMA}"`), [['restore', backup]]);
        psql(urlOf(config), DROP_SCHEMA);
      }
      const other = await backedUp(engine);
      await assertRefused(catalogue, /there is no catalogue .* belong to the catalogue/, [
        ['restore', other.backup],
      ]);
      await succeed(['restore', '--quiet', backup], environment);
      assert.equal(await contentsOf(environment), contents);
      assert.equal(identityIn(catalogue), identity, 'it is the same catalogue');
      assert.match(
        (await succeed(['backup', '--quiet', backup], environment)).output,
        /\(0 new files, 0 removed\)/,
      );
      assert.equal((await succeed(['check', '--quiet'], environment)).output, 'no problems found\n');
    });

  test('commands refuse files and backups of another catalogue, and say what they found', async () => {
    const [catalogue, other] = [await backedUp(engine), await backedUp(engine)];
    const { folder, environment, backup } = catalogue;
    renameSync(join(folder, 'data/files'), join(folder, 'own files'));
    renameSync(join(other.folder, 'data/files'), join(folder, 'data/files'));
    const [own, found] = [identityIn(catalogue), identityIn(other)];
    assert.notEqual(own, found);
    await assertRefused(
      catalogue,
      new RegExp(`the files in .*files belong to the catalogue ${found}, but .* ${own}\\..*"zukan adopt"`),
      [...changing(backup), ['entry', 'artist', 'Ann', '--create'], ['studio']],
    );
    await assertRefused(catalogue, /belong to the catalogue/, [['restore', backup]]);
    assert.match(
      (await succeed(['adopt'], environment)).output,
      /^the files in .* belong to this catalogue\n$/,
    );
    assert.equal(ownerIn(folder), own);
    await succeed(['check', '--quiet'], environment);
    await assertRefused(catalogue, new RegExp(`is a backup of the catalogue ${found}, and this is ${own}`), [
      ['backup', other.backup],
    ]);
  });

  test('a restore makes an empty catalogue the one of the backup', async () => {
    const { backup, config, folder: lost } = await backedUp(engine);
    const folder = temporaryFolder();
    const environment = { DATA_DIR: join(folder, 'data'), THUMBNAILS: 'off', ...engine.withoutCatalogue() };
    await succeed(['import', '-'], environment);
    // Those of the backup may be there still.
    cpSync(join(lost, 'data/files'), join(folder, 'data/files'), { recursive: true });
    await succeed(['token', 'list'], environment);
    await succeed(['restore', '--quiet', backup], environment);
    const restored = configFor(folder, environment);
    assert.equal(identityIn({ config: restored }), identityIn({ config }));
    assert.equal(ownerIn(folder), identityIn({ config }));
    assert.equal(JSON.parse((await succeed(['token', 'list', '--json'], environment)).output).length, 1);
    await succeed(['backup', '--quiet', backup], environment);
  });

  test('a catalogue of an older version gets an identity with its first change', async () => {
    const catalogue = await backedUp(engine);
    const { folder, environment, config } = catalogue;
    rmSync(join(folder, 'data/files/.catalogue'));
    tamper(config, `drop table identity; ${forgetSteps(config, addIdentity)}`);
    await succeed(['entry', 'artist', 'Ann', '--create'], environment);
    assert.match(identityIn(catalogue) ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(ownerIn(folder), identityIn(catalogue));
  });
});

test('a bucket shows that its catalogue was lost, too', async () => {
  const s3 = await startS3();
  const { requests } = s3;
  const folder = temporaryFolder();
  const environment = {
    DATA_DIR: join(folder, 'data'),
    THUMBNAILS: 'off',
    ...s3.environment('some/'),
  };
  await succeed(['import', '--quiet', pictures], environment);
  await succeed(['check', '--quiet'], environment);
  rmSync(join(folder, 'data'), { recursive: true });
  requests.length = 0;
  for (const command of [
    ['import', '--quiet', pictures],
    ['serve', '--port', '0'],
  ]) {
    const { status, errors } = await runCommand(command, environment);
    assert.equal(status, 1);
    assert.match(errors, /the files in s3:\S+ belong to the catalogue .*"zukan restore <folder>"/);
  }
  assert.deepEqual(
    requests.filter((request) => !request.startsWith('GET')),
    [],
  );
});

test('a database that was killed when it began is not a lost one', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'zukan.db'), '');
  await succeed(['import', '-'], { DATA_DIR: folder }, '{"type":"artist","name":"Ann"}');
});

test('tokens that were emptied, replaced or damaged are named', async () => {
  const [catalogue, other] = [await backedUp(sqlite), await backedUp(sqlite)];
  const { folder, environment, backup } = catalogue;
  const [tokens, away] = [join(folder, 'data/zukan-tokens.db'), join(folder, 'tokens.db')];
  renameSync(tokens, away);
  const refuse = (reason: RegExp) =>
    assertRefused(catalogue, reason, [
      ['backup', backup],
      ['token', 'list'],
      ['serve', '--port', '0'],
    ]);
  writeFileSync(tokens, '');
  await refuse(
    /the tokens in \S+-tokens\.db are damaged: it is empty; put a copy of the file back, or delete it/,
  );
  const { status, output } = await runCommand(['check', '--quiet'], environment);
  assert.equal(status, 1);
  assert.match(output, /^the tokens in \S+ are damaged: it is empty;/);
  writeFileSync(tokens, readFileSync(join(other.folder, 'data/zukan-tokens.db')));
  await refuse(
    new RegExp(
      `the tokens in \\S+ belong to the catalogue ${identityIn(other)}, but .* ${identityIn(catalogue)};`,
    ),
  );
  const bytes = readFileSync(away);
  writeFileSync(tokens, bytes.fill(1, 0, 64));
  await refuse(/the tokens in \S+-tokens\.db are damaged: file is not a database;/);
  rmSync(tokens);
  assert.match(
    (await runCommand(['backup', backup], environment)).errors,
    /has 1 of the tokens, and the catalogue has 0; use --yes/,
  );
});

test('an import on another machine keeps the files that it has stored in a shared bucket', async () => {
  const s3 = await startS3();
  const { location } = s3;
  const folder = temporaryFolder();
  const environment = {
    DATA_DIR: join(folder, 'data'),
    THUMBNAILS: 'off',
    ...s3.environment(),
  };
  await succeed(['import', '--quiet', pictures], environment);
  const files = openBucket(location, join(folder, 'another machine'));
  const upload = await files.beginUpload();
  const bytes = Buffer.from('a picture that is being imported');
  const key = pictureKey(hash('sha256', bytes), 'png');
  await upload.put(key, bytes, { hash: hash('sha256', bytes), mimetype: 'image/png' });
  const check = await succeed(['check', '--repair', '--quiet'], environment);
  assert.equal(check.output, 'no problems found\n');
  assert.match(
    check.errors,
    /^kept 1 unused file less than a day old: an import on another machine may be storing it/,
  );
  assert.ok(await files.open(key));
  await upload.finish();
  // By the clock of the bucket, which need not be that of this machine.
  s3.fault = (method) =>
    method === 'HEAD'
      ? { added: { date: 'Tue, 03 Feb 2099 00:00:00 GMT', 'last-modified': 'Mon, 02 Feb 2099 00:00:00 GMT' } }
      : undefined;
  assert.match(
    (await succeed(['check', '--repair', '--quiet'], environment)).errors,
    /removed 1 unused file/,
  );
});

await forEachEngineInDepth((engine) => {
  test('what removes more than a tenth of the pictures has to be confirmed', async () => {
    const { folder, environment, config, backup } = await backedUp(engine);
    const stored = () => filesIn(join(folder, 'data/files'));
    const before = [stored(), filesIn(backup)];
    tamper(config, 'delete from image where number > 3');
    await runCommand(['check', '--quiet', '--repair'], environment);
    const refused = await runCommand(['check', '--quiet', '--repair'], environment);
    assert.equal(refused.status, 1);
    assert.match(
      refused.output,
      /^removed no file: no image uses 21 of 24 stored pictures, more than a tenth; use --yes/m,
    );
    for (const more of [[], ['--quiet']]) {
      const { status, output, errors } = await runCommand(['backup', ...more, backup], environment);
      assert.deepEqual([status, output], [1, '']);
      assert.match(
        errors,
        /cannot back up to .*: 21 of the 24 pictures in the backup of 20\S+ are gone, more than a tenth; use --yes/,
      );
    }
    assert.deepEqual([stored(), filesIn(backup)], before);
    for (let generations = 2; generations <= 4; generations++) {
      const { status, output, errors } = await runCommand(
        ['backup', '--quiet', '--keep', '3', backup],
        environment,
      );
      assert.deepEqual([status, errors === ''], generations < 4 ? [0, true] : [1, false], errors);
      assert.match(
        output,
        new RegExp(`^backed up 3 images .*, 0 removed\\)\nthe folder has ${generations} generations\n$`),
      );
      if (generations === 4)
        assert.match(errors, /removed nothing from .*: 21 of the 24 pictures .*; use --yes/);
    }
    const confirmed = await succeed(['backup', '--quiet', '--yes', backup], environment);
    assert.match(confirmed.output, /, 21 removed\)\nthe folder has 3 generations\n$/);
    assert.match(
      (await succeed(['check', '--quiet', '--repair', '--yes'], environment)).errors,
      /removed 21 unused files/,
    );
  });
});
