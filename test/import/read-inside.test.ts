/** Reading files of a folder while another process changes it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { readInside } from '../../src/import/sources/files.ts';
import { atDepth } from '../support/depth.ts';
import { temporaryFolder } from '../support/workspace.ts';

const READS = atDepth(300, 2000);

/** Replaces the folder `inside` by a link to a folder outside and back, until it is terminated. */
const swapper = `
  const { renameSync } = require('node:fs');
  const { parentPort, workerData: folder } = require('node:worker_threads');
  parentPort.postMessage('started');
  for (;;) {
    renameSync(folder + '/root/inside', folder + '/real');
    renameSync(folder + '/link', folder + '/root/inside');
    renameSync(folder + '/root/inside', folder + '/link');
    renameSync(folder + '/real', folder + '/root/inside');
  }`;

test('never reads a file outside, even if a folder becomes a link after the check', async () => {
  const folder = temporaryFolder();
  for (const name of ['root', 'root/inside', 'outside']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'root/inside/a.json'), 'inside');
  writeFileSync(join(folder, 'outside/a.json'), 'outside');
  symlinkSync(join(folder, 'outside'), join(folder, 'link'));
  const worker = new Worker(swapper, { eval: true, workerData: folder });
  after(() => worker.terminate());
  await once(worker, 'message');
  for (let index = 0; index < READS; index++) {
    const text = await readInside(join(folder, 'root'), 'inside/a.json', 100).then(String, () => 'refused');
    assert.notEqual(text, 'outside');
  }
  await worker.terminate();
});

// Linux says that such a file has 4,096 bytes.
const online = '/sys/devices/system/cpu/online';

test('a file that is shorter than its size says is read to its end', {
  skip: !existsSync(online),
}, async () => {
  assert.match(String(await readInside('/sys/devices/system/cpu', 'online', 4096)), /^[\d,-]+\n$/);
});
