/** A catalogue on a read-only file system can be served and read. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSnapshot } from '../../../../src/server/engines.ts';
import { writeTiny } from '../../../support/pictures/tiny.ts';
import { makeReadOnly, mountSmallDisk, unlessMounting } from '../../../support/servers/mount.ts';
import { runCommand } from '../../../support/zukan/program.ts';
import { configFor, startService } from '../../../support/zukan/service.ts';

const skip = unlessMounting();
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
