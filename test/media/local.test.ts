/** Image files in a local folder. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
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
  assert.deepEqual(await files.journaledKeys(), ['a']);
  assert.deepEqual(upload.newKeys(), ['a']);
  await upload.finish();
  assert.deepEqual(await files.journaledKeys(), []);
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
  assert.deepEqual(await files.journaledKeys(), ['b'], 'left to the next import');
});

test('lists a key once that is put several times at once', async () => {
  const files = openFolder(temporaryFolder());
  const upload = await files.beginUpload();
  const put = () => upload.put('a', Buffer.from('a'), facts('a'));
  await Promise.all([put(), put(), put()]);
  assert.deepEqual(await files.journaledKeys(), ['a']);
  await upload.finish();
  assert.deepEqual(await files.journaledKeys(), []);
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

test('leaves the files of a running upload alone, and passes on those of one that gave up', async () => {
  const folder = temporaryFolder();
  const files = openFolder(folder);
  const [running, abandoned] = [await files.beginUpload(), await files.beginUpload()];
  const put = (upload: typeof running, key: string) => upload.put(key, Buffer.from(key), facts(key));
  for (const key of ['a', 'b']) await put(abandoned, key);
  await files.remove(['b']);
  for (const key of ['b', 'c']) await put(running, key);
  const temporary = readdirSync(folder)
    .filter((name) => /^\.intake-[^.]*$/.test(name))
    .map((name) => `${name.replace('.intake-', '.aside-')}-1`);
  for (const name of [...temporary, '.aside-2'])
    writeFileSync(join(folder, name), 'a file that is being written');
  await abandoned.abandon();
  const handled: string[][] = [];
  const handle = () => files.handleAbandoned(async (keys) => void handled.push(keys), assert.fail);
  await handle();
  assert.deepEqual(handled, [['a']], 'b belongs to the running upload by now');
  assert.deepEqual(await files.journaledKeys(), ['b', 'c']);
  const left = readdirSync(folder).filter((name) => name.startsWith('.aside-'));
  assert.equal(left.length, 1, 'that of the running upload');
  assert.ok(existsSync(join(folder, (left[0] ?? '').replace(/^\.aside-(.*)-1$/, '.intake-$1'))));
  await running.abandon();
  await handle();
  assert.deepEqual(handled[1], ['b', 'c']);
  assert.deepEqual(readdirSync(folder).sort(), ['a', 'b', 'c']);
});

test('finds the files that are gone', async () => {
  const files = openFolder(temporaryFolder());
  const upload = await files.beginUpload();
  for (const key of ['a', 'b']) await upload.put(key, Buffer.from(key), facts(key));
  await files.remove(['b']);
  assert.deepEqual(await upload.findLost(['a', 'b']), ['b']);
  await upload.finish();
});

test('refuses keys that Windows would take for devices or streams', async () => {
  const upload = await openFolder(temporaryFolder(), Date.now, 'win32').beginUpload();
  const put = (key: string) => upload.put(key, Buffer.from('a'), facts('a'));
  for (const key of ['some/NUL.png', 'a:b', 'a./b']) await assert.rejects(put(key), /Windows has no files/);
  await put('some/console.png');
  await upload.finish();
});
