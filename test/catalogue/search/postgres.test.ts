/** The reference is a real PostgreSQL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPostgres, installPostgres, unless } from '../../support/needs.ts';
import { startPostgres } from '../../support/postgres.ts';
import { comparedNames, differences, generatePatterns, ourAnswer } from './compare.ts';

const PATTERNS = 6000;
const SEED = 20_261_115;
const skip = unless(findPostgres(), 'PostgreSQL', installPostgres);

test('generated patterns are errors in both or match the same names', { skip }, async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.discard());
  const patterns = generatePatterns(PATTERNS, SEED);
  assert.deepEqual(differences(postgres, patterns), []);
  const answers = patterns.map(ourAnswer);
  const errors = answers.filter((answer) => answer === 'error').length;
  const matching = answers.filter((answer) => answer.includes('1')).length;
  t.diagnostic(
    `${patterns.length} patterns, ${comparedNames.length} names: ${errors} errors, ${matching} that match`,
  );
  assert.ok(errors > PATTERNS / 10 && matching > PATTERNS / 5, 'the generator makes both kinds');
});
