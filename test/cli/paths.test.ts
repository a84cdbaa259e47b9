/** Errors name the path that they are about, and say what to do. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { explainError } from '../../src/cli/terminal/terminal.ts';
import { readConfig } from '../../src/config/config.ts';
import { tinyPicture } from '../support/pictures/tiny.ts';
import { mountSmallDisk, unlessMounting } from '../support/servers/mount.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';

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
