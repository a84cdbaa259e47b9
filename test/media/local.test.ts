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
  assert.deepEqual(intake.taken(), ['a']);
  await intake.end();
  assert.deepEqual(await files.abandoned(), []);
});

test('what replaces bytes of another size is nothing new', async () => {
  const files = openFolder(temporaryFolder());
  const before = await files.intake();
  await before.put('a', Buffer.from('old'), facts('old'));
  await before.end();
  const intake = await files.intake();
  for (const key of ['a', 'b']) await intake.put(key, Buffer.from('newer'), facts('newer'));
  assert.deepEqual(intake.taken(), ['b']);
  await intake.leave();
  assert.deepEqual(await files.abandoned(), ['b'], 'the next import is told');
});

test('a key that is put twice at once is noted once', async () => {
  const files = openFolder(temporaryFolder());
  const intake = await files.intake();
  const put = () => intake.put('a', Buffer.from('a'), facts('a'));
  await Promise.all([put(), put(), put()]);
  assert.deepEqual(await files.abandoned(), ['a']);
  await intake.end();
  assert.deepEqual(await files.abandoned(), []);
});

test('a rehearsal tells the entity tag and does not even make the folder', async () => {
  const folder = join(temporaryFolder(), 'files');
  const rehearsal = openFolder(folder).rehearsal();
  assert.equal(await rehearsal.put('a', Buffer.from('a'), facts('a')), facts('a').hash);
  await rehearsal.settle();
  assert.deepEqual(rehearsal.taken(), []);
  await rehearsal.end();
  assert.ok(!existsSync(folder));
});
