/** Journals of intakes: what they noted is found, and one that ends while others are looked at is no trouble. */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { journalled, startJournal } from '../../src/media/journal.ts';
import { temporaryFolder } from '../support/workspace.ts';

test('what was noted is found until the journal ends', async () => {
  const folder = temporaryFolder();
  const journal = await startJournal(folder);
  await journal.note('ab/cd.png');
  assert.deepEqual(await journalled(folder), ['ab/cd.png']);
  await journal.end();
  assert.deepEqual(await journalled(folder), []);
});

test('a journal that is gone by the time it is read belongs to an import that has ended', async () => {
  const folder = temporaryFolder();
  const journal = await startJournal(folder);
  await journal.note('ab/cd.png');
  // It is listed, and cannot be opened.
  symlinkSync(join(folder, 'nowhere'), join(folder, '.intake-gone'));
  assert.deepEqual(await journalled(folder), ['ab/cd.png']);
  await journal.end();
});
