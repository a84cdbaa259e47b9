/** What zukan creates is for its own user; what the operator made keeps its permissions. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../src/server/engines.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { configFor, startService } from '../support/zukan/service.ts';

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
  await store.tokens.list();
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
