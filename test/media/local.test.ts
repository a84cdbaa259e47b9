/** Bytes in a folder. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFolder } from '../../src/media/local.ts';
import { temporaryFolder } from '../support/workspace.ts';

const facts = (content: string) => ({ hash: hash('sha256', content), mimetype: 'image/png' as const });

test('what is put has its hash for an entity tag, whether it was there or not', async () => {
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

test('what replaces bytes of another size is nothing new', async () => {
  const files = openFolder(temporaryFolder());
  const before = await files.beginUpload();
  await before.put('a', Buffer.from('old'), facts('old'));
  await before.finish();
  const upload = await files.beginUpload();
  for (const key of ['a', 'b']) await upload.put(key, Buffer.from('newer'), facts('newer'));
  assert.deepEqual(upload.newKeys(), ['b']);
  await upload.abandon();
  assert.deepEqual(await files.abandonedKeys(), ['b'], 'the next import is told');
});

test('a key that is put twice at once is noted once', async () => {
  const files = openFolder(temporaryFolder());
  const upload = await files.beginUpload();
  const put = () => upload.put('a', Buffer.from('a'), facts('a'));
  await Promise.all([put(), put(), put()]);
  assert.deepEqual(await files.abandonedKeys(), ['a']);
  await upload.finish();
  assert.deepEqual(await files.abandonedKeys(), []);
});

test('a rehearsal tells the entity tag and does not even make the folder', async () => {
  const folder = join(temporaryFolder(), 'files');
  const rehearsal = openFolder(folder).dryRunUpload();
  assert.equal(await rehearsal.put('a', Buffer.from('a'), facts('a')), facts('a').hash);
  await rehearsal.flush();
  assert.deepEqual(rehearsal.newKeys(), []);
  await rehearsal.finish();
  assert.ok(!existsSync(folder));
});
