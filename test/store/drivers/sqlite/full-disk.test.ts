/** A catalogue on a full disk can be read and served, because SQLite finds its side files there. */
import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Config } from '../../../../src/config/config.ts';
import { isFull, isNearlyFull, measureDisks } from '../../../../src/lib/file-system.ts';
import { openStore } from '../../../../src/server/engines.ts';
import { uuid } from '../../../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../../../support/catalogues/import.ts';
import { writeTiny } from '../../../support/pictures/tiny.ts';
import { fillDisk, mountSmallDisk, unlessMounting } from '../../../support/servers/mount.ts';
import { temporaryFolder } from '../../../support/workspace.ts';
import { runCommand } from '../../../support/zukan/program.ts';
import { configFor, startService } from '../../../support/zukan/service.ts';

const skip = unlessMounting();
const MEGABYTE = 2 ** 20;
const NO_SPACE = /no space left on the disk of .*zukan\.db; free some, then try again/;

/** As a server does. */
async function openAndClose(config: Config): Promise<void> {
  await using store = await openStore(config);
  await store.catalogue.statistics();
}

test('commands and servers leave what SQLite needs to open a database', async () => {
  const { config, environment, import: importRecords } = sandbox();
  const sideFiles = () =>
    ['zukan.db', 'zukan-tokens.db'].map((name) =>
      ['-shm', '-wal'].map((end) => statSync(join(config.dataDir, name + end)).size),
    );
  // The log is empty: the database is complete without it.
  const left = [
    [32_768, 0],
    [32_768, 0],
  ];
  await importRecords([keyed(1, { id: uuid(4, 1) })]);
  await openAndClose(config);
  assert.deepEqual(sideFiles(), left);
  for (const command of [
    ['edit', uuid(4, 1), '--rating', 'nsfw'],
    ['stats'],
    ['token', 'list'],
    ['migrate'],
  ]) {
    assert.equal((await runCommand(command, environment)).status, 0);
    assert.deepEqual(sideFiles(), left, command.join(' '));
  }
});

test('a full disk can be served, read and backed up, and is reported', { skip }, async () => {
  const disk = mountSmallDisk(8 * MEGABYTE);
  const environment = { DATA_DIR: join(disk, 'data'), THUMBNAILS: 'off', LINK_KEYS: 'k'.repeat(32) };
  const config = configFor(disk, environment);
  writeTiny(disk, 'p/1.png', 1);
  const run = (...command: string[]) => runCommand(command, environment);
  assert.equal((await run('import', '--quiet', join(disk, 'p'))).status, 0);
  await openAndClose(config);
  fillDisk(disk);
  const backup = join(temporaryFolder(), 'backup');
  for (const command of [['stats'], ['check'], ['find'], ['export'], ['backup', backup], ['migrate']]) {
    const { status, errors } = await run(...command);
    assert.equal(status, 0, `${command}: ${errors}`);
  }
  await openAndClose(config);
  const service = await startService(config);
  assert.equal((await service.get('/api/image/random')).status, 200);
  assert.equal((await service.get('/api/image/random', { authorization: 'Bearer unknown' })).status, 401);
  const { status, json } = await service.get('/health/ready');
  assert.deepEqual([status, json.status], [200, 'degraded']);
  assert.match(json.parts.disk, /^the disk is nearly full/);
  const { text } = await service.get('/metrics');
  assert.match(text, /^zukan_part_up\{part="disk"\} 0$/m);
  assert.match(text, /^zukan_disk_free_bytes\{folder="[^"]+"\} \d{1,5}$/m);
  assert.match(text, /^zukan_disk_size_bytes\{folder="[^"]+"\} 8388608$/m);
  const refused = await run('entry', 'artist', 'Ann', '--create');
  assert.equal(refused.status, 1);
  assert.match(refused.errors, NO_SPACE);
  rmSync(join(disk, 'filling'));
  assert.equal((await run('entry', 'artist', 'Ann', '--create')).status, 0);
  const { data } = (await service.get('/api/artist?search=Ann')).json;
  assert.equal(data.length, 1, 'the server reads what is written when there is space again');
});

test('without these files, a full disk is said to be the reason', { skip }, async () => {
  const disk = mountSmallDisk(8 * MEGABYTE);
  const environment = { DATA_DIR: join(disk, 'data') };
  await runCommand(['import', '-'], environment, '{"type":"artist","name":"Ann"}');
  for (const end of ['-shm', '-wal']) rmSync(join(disk, 'data', `zukan.db${end}`));
  fillDisk(disk);
  const { status, errors } = await runCommand(['stats'], environment);
  assert.equal(status, 1);
  assert.match(errors, NO_SPACE);
});

test('a disk is nearly full below a gigabyte or a twentieth of it', () => {
  const disk = (free: number, size: number) => ({ folder: '', free, size });
  assert.ok(isNearlyFull(disk(1023 * MEGABYTE, 2 ** 40)));
  assert.ok(!isNearlyFull(disk(1024 * MEGABYTE, 2 ** 40)));
  assert.ok(isNearlyFull(disk(49, 1000)) && !isNearlyFull(disk(50, 1000)));
  assert.ok(isFull(disk(128 * 1024 - 1, 2 ** 40)) && !isFull(disk(128 * 1024, 2 ** 40)));
  const folder = temporaryFolder();
  const [measured, ...others] = measureDisks([folder, join(folder, 'missing'), folder]);
  assert.equal(others.length, 0, 'two folders of one disk');
  assert.ok(measured && measured.folder === folder && measured.size >= measured.free);
});
