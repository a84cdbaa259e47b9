/** Upload journals. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { handleAbandoned, readJournals, sortJournals, startJournal } from '../../src/media/journal.ts';
import { openStaging } from '../../src/media/staging.ts';
import { temporaryFolder } from '../support/workspace.ts';

type Work = Parameters<typeof handleAbandoned>[2];

async function handle(folder: string, work: Work, onFailure: (error: Error) => void = assert.fail) {
  const staging = openStaging(join(folder, 'prepared.db'), Date.now);
  await handleAbandoned(await sortJournals(folder, staging), staging, work, onFailure);
}

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
