/** Files in a folder: journals, and pictures that are damaged. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Files } from '../../src/media/files.ts';
import { startJournal } from '../../src/media/journal.ts';
import { openFolder } from '../../src/media/local.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { filesIn } from '../support/checks/dump.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand } from '../support/zukan/program.ts';
import { filesFolder } from '../support/zukan/service.ts';

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

// Upload journals.

type Work = Parameters<Files['handleAbandoned']>[0];

const readJournals = (folder: string) => openFolder(folder).journaledKeys();
const handle = (folder: string, work: Work, onFailure: (error: Error) => void = assert.fail) =>
  openFolder(folder).handleAbandoned(work, onFailure);

test('lists the added keys until the journal finishes', async () => {
  const folder = temporaryFolder();
  const journal = await startJournal(folder);
  await journal.add('ab/cd.png');
  assert.deepEqual(await readJournals(folder), ['ab/cd.png']);
  await journal.finish();
  assert.deepEqual(await readJournals(folder), []);
});

test('ignores a journal that disappears while journals are read', async () => {
  const folder = temporaryFolder();
  const journal = await startJournal(folder);
  await journal.add('ab/cd.png');
  // A dangling link is listed and cannot be opened.
  symlinkSync(join(folder, 'nowhere'), join(folder, '.intake-gone'));
  assert.deepEqual(await readJournals(folder), ['ab/cd.png']);
  await journal.finish();
});

test('finds and removes journals of earlier versions', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.intake-0f9619ff'), 'ab/cd.png\n');
  assert.deepEqual(await readJournals(folder), ['ab/cd.png']);
  await handle(folder, async (keys) => assert.deepEqual(keys, ['ab/cd.png']));
  assert.deepEqual(readdirSync(folder), []);
});

test('passes on the keys of a killed process, and not those of a running one', async () => {
  const folder = temporaryFolder();
  const journal = join(import.meta.dirname, '../../src/media/journal.ts');
  const script = `const { startJournal } = await import(process.argv[1]);
    const journal = await startJournal(process.argv[2]);
    await journal.add('ab/cd.png');
    console.log('added');
    // A journal that nothing refers to is collected, and its lock ends.
    setInterval(() => journal, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, journal, folder]);
  after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const handled: string[][] = [];
  const handleAll = () => handle(folder, async (keys) => void handled.push(keys));
  await handleAll();
  assert.equal(readdirSync(folder).length, 2);
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
  await handleAll();
  assert.deepEqual(handled, [['ab/cd.png']]);
  assert.deepEqual(readdirSync(folder), []);
});

// Importing a picture again repairs its damaged bytes.

const damages: [string, (path: string) => void][] = [
  [
    'at equal size',
    (path) => {
      const bytes = readFileSync(path);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      writeFileSync(path, bytes);
    },
  ],
  ['by a truncation', (path) => truncateSync(path, 5)],
];

for (const [how, damage] of damages) {
  test(`repairs bytes damaged ${how}`, async () => {
    const box = sandbox();
    writeTiny(box.folder, '1.png', 1);
    const records = [{ type: 'image', file: '1.png', nsfw: 'sfw' }];
    await box.import(records);
    const before = filesIn(filesFolder(box.config));
    damage(join(filesFolder(box.config), before[0]?.split(' ')[0] ?? ''));
    assert.notDeepEqual(filesIn(filesFolder(box.config)), before);
    assert.equal((await runCommand(['check'], box.environment)).status, 1);
    await box.import(records);
    assert.deepEqual(filesIn(filesFolder(box.config)), before);
    assert.equal((await runCommand(['check'], box.environment)).status, 0);
  });
}
