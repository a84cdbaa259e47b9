/** Upload journals. */
import assert from 'node:assert/strict';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readJournals, removeJournals, startJournal } from '../../src/media/journal.ts';
import { temporaryFolder } from '../support/workspace.ts';

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
  await removeJournals(folder);
  assert.deepEqual(readdirSync(folder), []);
});
