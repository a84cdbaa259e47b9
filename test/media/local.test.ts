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
  const intake = await files.intake();
  for (const content of ['new', 'new', 'longer']) {
    assert.equal(await intake.put('a', Buffer.from(content), facts(content)), facts(content).hash);
    const file = await files.open('a');
    assert.equal(file?.size, content.length);
    await file?.close();
  }
  assert.deepEqual(await files.abandoned(), ['a']);
  await intake.discard();
  assert.deepEqual(await Array.fromAsync(files.keys()), []);
});

test('what replaces bytes of another size stays when the rest is discarded', async () => {
  const files = openFolder(temporaryFolder());
  const before = await files.intake();
  await before.put('a', Buffer.from('old'), facts('old'));
  await before.keep();
  const intake = await files.intake();
  for (const key of ['a', 'b']) await intake.put(key, Buffer.from('newer'), facts('newer'));
  await intake.discard();
  assert.deepEqual(await Array.fromAsync(files.keys()), ['a']);
});

test('a key that is put twice at once is noted once', async () => {
  const files = openFolder(temporaryFolder());
  const intake = await files.intake();
  const put = () => intake.put('a', Buffer.from('a'), facts('a'));
  await Promise.all([put(), put(), put()]);
  assert.deepEqual(await files.abandoned(), ['a']);
  await intake.keep();
  assert.deepEqual(await files.abandoned(), []);
});

test('a rehearsal tells the entity tag and does not even make the folder', async () => {
  const folder = join(temporaryFolder(), 'files');
  const rehearsal = openFolder(folder).rehearsal();
  assert.equal(await rehearsal.put('a', Buffer.from('a'), facts('a')), facts('a').hash);
  await rehearsal.settle();
  await rehearsal.discard();
  await rehearsal.keep();
  assert.ok(!existsSync(folder));
});
