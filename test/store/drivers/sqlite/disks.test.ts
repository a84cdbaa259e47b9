/** Full and read-only disks, and the size of the write-ahead log. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Config } from '../../../../src/config/config.ts';
import { isFull, isNearlyFull, measureDisks } from '../../../../src/lib/file-system.ts';
import { openSnapshot, openStore } from '../../../../src/server/engines.ts';
import { uuid } from '../../../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../../../support/catalogues/import.ts';
import { testDeep } from '../../../support/depth.ts';
import { writeTiny } from '../../../support/pictures/tiny.ts';
import { fillDisk, makeReadOnly, mountSmallDisk, unlessMounting } from '../../../support/servers/mount.ts';
import { temporaryFolder } from '../../../support/workspace.ts';
import { runCommand } from '../../../support/zukan/program.ts';
import { configFor, databaseFile, startService } from '../../../support/zukan/service.ts';

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

// A catalogue on a read-only file system can be served and read.

const DISK_BYTES = 8 * 1024 * 1024;

async function filledDisk() {
  const disk = mountSmallDisk(DISK_BYTES);
  const environment = { DATA_DIR: join(disk, 'data'), LINK_KEYS: 'k'.repeat(32) };
  writeTiny(disk, 'pictures/1.png', 1);
  const run = (...command: string[]) => runCommand(command, environment);
  assert.equal((await run('import', join(disk, 'pictures'))).status, 0);
  return { disk, run, config: configFor(disk, environment) };
}

test('serves, counts, checks and exports a catalogue on a read-only disk', { skip }, async () => {
  const { disk, run, config } = await filledDisk();
  makeReadOnly(disk);
  assert.equal(JSON.parse((await run('stats', '--json')).output).images.count, 1);
  assert.equal((await run('check')).output, 'no problems found\n');
  assert.match((await run('export')).output, /"type":"image"/);
  const service = await startService(config);
  const random = await service.get('/api/image/random');
  assert.equal(random.status, 200);
  assert.equal((await service.get(random.json.data[0].url)).status, 200);
  assert.equal((await service.get('/health/ready')).status, 200);
  const refused = await service.get('/api/image/random', { authorization: 'Bearer unknown' });
  assert.equal(refused.status, 401);
});

test('serve says what to do if it cannot store a link key', { skip }, async () => {
  const { disk } = await filledDisk();
  makeReadOnly(disk);
  const { status, errors } = await runCommand(['serve'], { DATA_DIR: join(disk, 'data'), PORT: '0' });
  assert.equal(status, 1);
  assert.match(
    errors,
    /^zukan: cannot create .*link\.keys \(EROFS\); set LINK_KEYS or make DATA_DIR writable\n$/,
  );
});

test('a command that changes the catalogue says that the disk is read-only', { skip }, async () => {
  const { disk, run } = await filledDisk();
  assert.equal((await run('token', 'list')).status, 0);
  makeReadOnly(disk);
  assert.equal((await run('token', 'list')).status, 0);
  for (const command of [
    ['import', join(disk, 'pictures')],
    ['token', 'create', '--owner', 'me', '--purpose', 'x'],
  ]) {
    const { status, errors } = await run(...command);
    assert.equal(status, 1);
    assert.match(errors, /read-?only/);
  }
});

test('reads changes that are still in the log, or says that it cannot', { skip }, async () => {
  const { disk, run, config } = await filledDisk();
  /** Without the shared memory, as after a crash of the machine. */
  const copies = [true, false].map((hasSharedMemory) => ({
    hasSharedMemory,
    disk: mountSmallDisk(DISK_BYTES),
  }));
  {
    // The log keeps what somebody may still read without it.
    await using snapshot = await openSnapshot(config);
    await snapshot.imageNumbers();
    const input = '{"type":"artist","name":"In the log"}';
    await runCommand(['import', '-'], { DATA_DIR: join(disk, 'data') }, input);
    for (const copy of copies) {
      mkdirSync(join(copy.disk, 'data'));
      for (const end of ['', '-wal', ...(copy.hasSharedMemory ? ['-shm'] : [])])
        copyFileSync(join(disk, 'data', `zukan.db${end}`), join(copy.disk, 'data', `zukan.db${end}`));
    }
  }
  assert.equal((await run('stats')).status, 0);
  for (const copy of copies) {
    makeReadOnly(copy.disk);
    const environment = { DATA_DIR: join(copy.disk, 'data') };
    const { status, output, errors } = await runCommand(['stats', '--json'], environment);
    assert.equal(status, copy.hasSharedMemory ? 0 : 1, errors);
    if (copy.hasSharedMemory) assert.equal(JSON.parse(output).artists.count, 2, 'this one and "Unknown"');
    else assert.match(errors, /open it once on a writable one/);
  }
});

// The write-ahead log does not keep its size while a server has the catalogue open.

const MAX_LOG_BYTES = 4 * 1024 * 1024;
/** Each takes 10 kB. */
const characters = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    type: 'character',
    name: `Character ${index}`,
    description: 'x'.repeat(10_000),
  }));

async function opened() {
  const box = sandbox();
  await box.import([keyed(1)]);
  const store = await openStore(box.config);
  const readCount = async () => (await store.catalogue.statistics()).characters.count;
  assert.equal(await readCount(), 0);
  const logSize = () => statSync(`${databaseFile(box.config)}-wal`).size;
  return { ...box, store, readCount, logSize };
}

test('a failed import frees a full disk', { skip: unlessMounting() }, async () => {
  const disk = mountSmallDisk(8 * 1024 * 1024);
  const environment = { DATA_DIR: join(disk, 'data') };
  await runCommand(['import', '-'], environment, JSON.stringify(keyed(1)));
  await using _store = await openStore(configFor(disk, environment));
  const lines = characters(1200).map((line) => JSON.stringify(line));
  const { status, errors } = await runCommand(['import', '--quiet', '-'], environment, lines.join('\n'));
  assert.equal(status, 1, errors);
  assert.match(errors, /no space left on the disk/);
  const { bavail, blocks } = statfsSync(disk);
  assert.ok(bavail > 0.8 * blocks, `${bavail} of ${blocks} blocks are free`);
  const create = ['token', 'create', '--owner', 'me', '--purpose', 'x'];
  assert.equal((await runCommand(create, environment)).status, 0);
  const retry = await runCommand(['import', '--quiet', '-'], environment, lines.slice(0, 100).join('\n'));
  assert.equal(retry.status, 0, retry.errors);
});

// A full disk is another reason to roll back. This one takes long.
testDeep('an import that is rolled back leaves no log behind', async () => {
  const box = await opened();
  await using _store = box.store;
  const before = box.logSize();
  // More than the page cache of the writer, so that pages are written before the end.
  await assert.rejects(box.import([...characters(7500), 'no record']), /nothing was imported/);
  assert.ok(box.logSize() <= before, `${box.logSize()} bytes`);
  assert.equal(await box.readCount(), 0);
});

test('a large import leaves a small log', async () => {
  const box = await opened();
  await using _store = box.store;
  await box.import(characters(600));
  assert.ok(box.logSize() <= MAX_LOG_BYTES, `${box.logSize()} bytes`);
  assert.equal(await box.readCount(), 600);
});
