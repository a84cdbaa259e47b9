/** Paths: errors name the one that they are about, catalogues that are missing, and permissions. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { explainError } from '../../src/cli/terminal/terminal.ts';
import { readConfig } from '../../src/config/config.ts';
import { openStore } from '../../src/server/engines.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { tinyPicture, writeTiny } from '../support/pictures/tiny.ts';
import { forEachEngine, forEachEngineInDepth } from '../support/servers/engines.ts';
import { mountSmallDisk, unlessMounting } from '../support/servers/mount.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, serve } from '../support/zukan/program.ts';
import { configFor, startService } from '../support/zukan/service.ts';

async function failure(parameters: string[], environment: Record<string, string>): Promise<string> {
  const { status, output, errors } = await runCommand(parameters, environment);
  assert.deepEqual([status, output], [1, '']);
  assert.match(errors, /^zukan: .+\n$/);
  return errors;
}

test('a DATA_DIR that cannot be a folder', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  assert.match(
    await failure(['import', '-'], { DATA_DIR: file }),
    new RegExp(`${file} exists, but is not a folder`),
  );
  const below = join(file, 'data');
  for (const command of [['import', '-'], ['stats']])
    assert.match(
      await failure(command, { DATA_DIR: below }),
      new RegExp(`${below}\\S* cannot exist, because`),
    );
});

const proc = { skip: !existsSync('/proc/self') && 'there is no /proc' };
test('a DATA_DIR where the system creates no folders', proc, async () => {
  for (const path of ['/proc/zukan', '/proc/zukan/data'])
    for (const command of [['import', '-'], ['serve']])
      assert.equal(
        await failure(command, { DATA_DIR: path }),
        'zukan: /proc/zukan cannot be created; choose another place\n',
      );
  const other = { DATA_DIR: temporaryFolder(), FILES_URL: '/proc/zukan' };
  assert.equal((await runCommand(['import', '-'], { DATA_DIR: other.DATA_DIR })).status, 0);
  const pictures = temporaryFolder();
  writeFileSync(join(pictures, 'one.png'), tinyPicture(1));
  assert.match(
    await failure(['import', '--quiet', pictures], other),
    /zukan: \/proc\/zukan cannot be created/,
  );
  assert.match(
    await failure(['backup', '/proc/backup'], other),
    /zukan: .*: \/proc\/backup cannot be created/,
  );
});

test('a DATA_DIR that is a link to nowhere', async () => {
  const folder = temporaryFolder();
  symlinkSync(join(folder, 'missing/data'), join(folder, 'link'));
  assert.match(
    await failure(['import', '-'], { DATA_DIR: join(folder, 'link/data') }),
    new RegExp(`${join(folder, 'link')} exists, but is not a folder`),
  );
});

test('a database file that is a folder', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'zukan.db');
  mkdirSync(path);
  assert.match(await failure(['stats'], { DATA_DIR: folder }), new RegExp(`cannot open ${path}; make sure`));
});

test('a file that is not a database', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'zukan.db');
  writeFileSync(path, 'This is text. '.repeat(100));
  assert.match(await failure(['stats'], { DATA_DIR: folder }), new RegExp(`${path}: file is not a database`));
});

test('folders to import that do not exist', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'missing');
  assert.match(
    await failure(['import', path], { DATA_DIR: folder }),
    new RegExp(`${path}: no such file or folder`),
  );
  // What Node makes of an argument that is not UTF-8.
  assert.match(
    await failure(['import', join(folder, 'caf\u{fffd}')], { DATA_DIR: folder }),
    /the name is not UTF-8; rename it/,
  );
});

test('a full disk', { skip: unlessMounting() }, async () => {
  const DATA_DIR = mountSmallDisk(400_000);
  const environment = { DATA_DIR, THUMBNAILS: 'off' };
  assert.equal((await runCommand(['import', '-'], environment)).status, 0);
  const pictures = temporaryFolder();
  writeFileSync(join(pictures, 'large.png'), Buffer.concat([tinyPicture(1), Buffer.alloc(500_000)]));
  const message = await failure(['import', '--quiet', pictures], environment);
  assert.match(message, new RegExp(`no space left on the disk of ${join(DATA_DIR, 'files')}; free some`));
});

// Root may do everything, and tests often run as root.
test('missing permissions, with the user who lacks them', () => {
  const config = readConfig({ DATA_DIR: '/srv/zukan' });
  const denied = Object.assign(new Error('EACCES: permission denied, mkdir'), {
    code: 'EACCES',
    path: '/srv',
  });
  assert.match(
    explainError(denied, config),
    /^no permission for \/srv; let (the user with the id \d+|this user)/,
  );
});

test('SQLite, whose errors name no path', () => {
  const config = readConfig({ DATABASE_URL: 'sqlite:/srv/other.db' });
  // Extended codes: disk full, and read-only because the folder is.
  const explain = (errcode: number) => explainError(Object.assign(new Error('failed'), { errcode }), config);
  assert.match(explain(13), /^no space left on the disk of \/srv\/other\.db/);
  assert.match(explain(1544), /^\/srv\/other\.db is read-only/);
  assert.equal(explain(1), '/srv/other.db: failed');
  // Reading and syncing fail on broken disks, too.
  assert.equal(explain(266), '/srv/other.db: failed');
  // The locking protocol, a lock, and shared memory: what network shares lack.
  for (const errcode of [15, 3850, 5386])
    assert.match(
      explain(errcode),
      /^\/srv\/other\.db: failed; SQLite needs a local disk, .* set DATA_DIR to .* FILES_URL .* or use PostgreSQL$/,
    );
});

// A mistyped DATA_DIR or DATABASE_URL: only `serve`, `import` and `restore` create a catalogue, and say so.

const original = sandbox();
const backup = join(original.folder, 'backup');
await runCommand(['import', '-'], original.environment, '{"type":"artist","name":"Ann"}');
await runCommand(['backup', '--quiet', backup], original.environment);

await forEachEngineInDepth(async (engine) => {
  test('commands that need a catalogue say that there is none, and create nothing', async () => {
    const { environment, folder } = sandbox({ environment: engine.withoutCatalogue });
    const commands = [
      ['backup', join(folder, 'backup')],
      ['find'],
      ['entry', 'artist', 'Ann', '--create'],
      ['stats'],
      ['migrate'],
      ['export'],
      ['check'],
      ['check', '--repair'],
      ['duplicates'],
      ['thumbnails'],
      ['remove', '--yes', uuid(4, 1)],
      ['token', 'list'],
      ['token', 'revoke', uuid(4, 1)],
      ['token', 'create', '--owner', 'me', '--purpose', 'x'],
    ];
    for (const command of commands) {
      const { status, output, errors } = await runCommand(command, environment);
      assert.equal(status, 1, command.join(' '));
      assert.equal(output, '', command.join(' '));
      assert.match(
        errors,
        /^zukan: .*there is no catalogue (at|in) .*; check .*DATABASE_URL, or create one with/,
      );
      assert.deepEqual(readdirSync(folder), [], command.join(' '));
    }
  });

  test('an import creates one and says so, but not for a path that does not exist', async () => {
    const { environment, folder } = sandbox({ environment: engine.withoutCatalogue });
    const failed = await runCommand(['import', join(folder, 'nothing')], environment);
    assert.match(failed.errors, /^zukan: .*nothing: no such file or folder\n$/);
    assert.ok(!existsSync(environment.DATA_DIR as string));
    const first = await runCommand(['import', '-'], environment, '{"type":"artist","name":"Ann"}');
    assert.match(first.errors, /^created a new catalogue: .*(zukan\.db|PostgreSQL at \S+)\n$/);
    const second = await runCommand(['import', '-'], environment, '{"type":"artist","name":"Bob"}');
    assert.equal(second.errors, '');
  });

  test('a restore creates one and says so', async () => {
    const { environment } = sandbox({ environment: engine.withoutCatalogue });
    const { errors } = await runCommand(['restore', '--quiet', backup], environment);
    assert.match(errors, /^created a new catalogue: .*(zukan\.db|PostgreSQL at \S+)\n$/);
  });
});

await forEachEngine((engine) => {
  test('a dry run of the first import shows what it would do, and leaves nothing behind', async () => {
    const { environment, folder } = sandbox({ environment: engine.withoutCatalogue });
    for (const index of [1, 2]) writeTiny(join(folder, 'pictures'), `cats/${index}.png`, 1);
    writeTiny(join(folder, 'pictures'), 'cats/3.png', 3);
    const command = ['import', '--quiet', '--dry-run', '--prune', join(folder, 'pictures')];
    const { TMPDIR } = process.env;
    process.env.TMPDIR = folder;
    const { status, output, errors } = await runCommand(command, environment);
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    assert.equal(status, 0, errors);
    assert.match(output, /^dry run.*\n2 added, 0 updated, 0 unchanged, 0 removed; entries: 1 added, .*\n/m);
    assert.equal(errors, '');
    assert.deepEqual(readdirSync(folder), ['pictures']);
    // It did not create a catalogue either, whose place is not a folder.
    assert.match((await runCommand(['stats'], environment)).errors, /there is no catalogue/);
  });
});

test('serve creates one and says so', async () => {
  const { environment } = sandbox();
  for (const expected of [/^created a new catalogue: .*zukan\.db\n$/, /^$/]) {
    const server = await serve({ ...environment, LOG_LEVEL: 'silent' });
    server.child.kill('SIGTERM');
    assert.equal(await server.ended, 0);
    assert.match(server.errors(), expected);
  }
});

// What zukan creates is for its own user; what the operator made keeps its permissions.

const mode = (path: string) => statSync(path).mode & 0o777;

test('new folders and databases are private, and so are their logs', async () => {
  const [folder, pictures] = [temporaryFolder(), temporaryFolder()];
  const data = join(folder, 'data');
  const environment = { DATA_DIR: data, THUMBNAILS: 'off' };
  writeTiny(pictures, '1.png', 1);
  assert.equal((await runCommand(['import', '--quiet', pictures], environment)).status, 0);
  assert.deepEqual([mode(data), mode(join(data, 'files'))], [0o700, 0o700]);
  const config = configFor(folder, environment);
  await using store = await openStore(config);
  await store.tokens.records();
  for (const name of ['zukan.db', 'zukan-tokens.db', 'zukan-tokens.db-wal', 'zukan-tokens.db-shm'])
    assert.equal(mode(join(data, name)), 0o600, name);
  for (const name of ['zukan.db-wal', 'zukan.db-shm'])
    if (existsSync(join(data, name))) assert.equal(mode(join(data, name)), 0o600, name);
});

test('a folder that exists keeps its mode', async () => {
  const folder = join(temporaryFolder(), 'data');
  mkdirSync(folder, { mode: 0o755 });
  const environment = { DATA_DIR: folder, THUMBNAILS: 'off' };
  assert.equal((await runCommand(['import', '-'], environment)).status, 0);
  assert.equal(mode(folder), 0o755);
});

test('a catalogue that cannot be reached is not taken for a missing one', async () => {
  const [folder, pictures] = [temporaryFolder(), temporaryFolder()];
  writeTiny(pictures, '1.png', 1);
  // Nobody can follow it. Root has every permission.
  symlinkSync('zukan.db', join(folder, 'zukan.db'));
  const environment = { DATA_DIR: folder, THUMBNAILS: 'off' };
  const { status, output } = await runCommand(['import', '--dry-run', '--quiet', pictures], environment);
  assert.deepEqual([status, output], [1, '']);
});

test('check reports secrets that every user of the machine can read', async () => {
  const folder = temporaryFolder();
  const environment = { DATA_DIR: folder, THUMBNAILS: 'off' };
  await startService(configFor(folder, environment));
  const secrets = ['zukan-tokens.db', 'link.keys'].map((name) => join(folder, name));
  assert.equal((await runCommand(['check', '--quiet'], environment)).status, 0);
  for (const path of secrets) chmodSync(path, 0o644);
  const { status, output } = await runCommand(['check', '--quiet'], environment);
  assert.equal(status, 1);
  assert.equal(
    output,
    secrets
      .map((path) => `${path}: every user of this machine can read it; run "chmod 600 ${path}"\n`)
      .join(''),
  );
});
