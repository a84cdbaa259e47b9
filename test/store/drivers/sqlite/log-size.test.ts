/** The write-ahead log does not keep its size while a server has the catalogue open. */
import assert from 'node:assert/strict';
import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../../../src/server/engines.ts';
import { keyed, sandbox } from '../../../support/catalogues/import.ts';
import { testDeep } from '../../../support/depth.ts';
import { mountSmallDisk, unlessMounting } from '../../../support/servers/mount.ts';
import { runCommand } from '../../../support/zukan/program.ts';
import { configFor, databaseFile } from '../../../support/zukan/service.ts';

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
