/** Image files in a local folder. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFolder } from '../../src/media/local.ts';
import { temporaryFolder } from '../support/workspace.ts';

const facts = (content: string) => ({ hash: hash('sha256', content), mimetype: 'image/png' as const });

test('uses the hash as the entity tag of new, existing and replaced files', async () => {
  const files = openFolder(temporaryFolder());
  const upload = await files.beginUpload();
  for (const content of ['new', 'new', 'longer']) {
    assert.equal(await upload.put('a', Buffer.from(content), facts(content)), facts(content).hash);
    const file = await files.open('a');
    assert.equal(file?.size, content.length);
    await file?.close();
  }
  assert.deepEqual(await files.abandonedKeys(), ['a']);
  assert.deepEqual(upload.newKeys(), ['a']);
  await upload.finish();
  assert.deepEqual(await files.abandonedKeys(), []);
});

test('does not count a replaced file as new', async () => {
  const files = openFolder(temporaryFolder());
  const before = await files.beginUpload();
  await before.put('a', Buffer.from('old'), facts('old'));
  await before.finish();
  const upload = await files.beginUpload();
  for (const key of ['a', 'b']) await upload.put(key, Buffer.from('newer'), facts('newer'));
  assert.deepEqual(upload.newKeys(), ['b']);
  await upload.abandon();
  assert.deepEqual(await files.abandonedKeys(), ['b'], 'left to the next import');
});

test('lists a key once that is put several times at once', async () => {
  const files = openFolder(temporaryFolder());
  const upload = await files.beginUpload();
  const put = () => upload.put('a', Buffer.from('a'), facts('a'));
  await Promise.all([put(), put(), put()]);
  assert.deepEqual(await files.abandonedKeys(), ['a']);
  await upload.finish();
  assert.deepEqual(await files.abandonedKeys(), []);
});

test('a dry run returns the entity tag and creates nothing', async () => {
  const folder = join(temporaryFolder(), 'files');
  const dryRun = openFolder(folder).dryRunUpload();
  assert.equal(await dryRun.put('a', Buffer.from('a'), facts('a')), facts('a').hash);
  await dryRun.flush();
  assert.deepEqual(dryRun.newKeys(), []);
  await dryRun.finish();
  assert.ok(!existsSync(folder));
});

test('finishes although another import has removed its journal', async () => {
  const files = openFolder(temporaryFolder());
  const upload = await files.beginUpload();
  await upload.put('ab/cd.png', Buffer.from('bytes'), facts('bytes'));
  await files.clearAbandoned();
  await upload.finish();
  assert.deepEqual(await Array.fromAsync(files.keys()), ['ab/cd.png']);
});
