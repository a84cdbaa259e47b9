// depth: all
/** `npm run mutate` breaks conditions, and its list of mutations that nobody can notice is of today's code. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../scripts/imports.ts';
import { chooseMutations, listConditions } from '../scripts/mutations.ts';

const conditions = listConditions();

test('mutations replace a part of the code, in TypeScript and in SQL', () => {
  assert.ok(conditions.length > 5000, `only ${conditions.length} conditions`);
  for (const { file, start, end, replacement, name } of conditions.flat()) {
    const before = readFileSync(join(root, file), 'utf8').slice(start, end);
    assert.ok(before !== '' && before !== replacement, name);
  }
  const names = new Set(conditions.flat().map(({ name }) => name));
  for (const name of [
    'src/backup/picture-files.ts: again → !(again)',
    'src/backup/picture-files.ts: again → false && (again)',
  ])
    assert.ok(names.has(name), name);
  assert.ok([...names].some((name) => name.includes('order by listed.block desc') && name.includes('asc')));
});

test('the seed decides the order', () => {
  const chosen = (seed: string) => chooseMutations(conditions, seed).map(({ name }) => name);
  assert.deepEqual(chosen('20260131'), chosen('20260131'));
  assert.notDeepEqual(chosen('20260131').slice(0, 20), chosen('20260201').slice(0, 20));
});

test('what the list lets survive is still there, with a reason', () => {
  const names = new Set(conditions.flat().map(({ name }) => name));
  const listed = JSON.parse(readFileSync(join(root, 'scripts/mutations.json'), 'utf8'));
  for (const [name, reason] of Object.entries(listed)) {
    assert.ok(names.has(name), `no longer in src: ${name}`);
    assert.match(reason as string, /^(no difference|only speed|only a text): ./);
  }
});
