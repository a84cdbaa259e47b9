/** Compares our matcher with `SIMILAR TO` on a real PostgreSQL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atDepth } from '../../support/depth.ts';
import { findPostgres, installPostgres, unless } from '../../support/servers/needs.ts';
import { sharedPostgres } from '../../support/servers/postgres.ts';
import { comparedNames, differences, generatePatterns, ourResult } from './compare.ts';

const PATTERNS = atDepth(400, 12_000);
const SEED = 20_261_115;
const skip = unless(findPostgres(), 'PostgreSQL', installPostgres);

test('agrees with PostgreSQL on generated patterns', { skip }, async (t) => {
  const postgres = await sharedPostgres();
  const patterns = generatePatterns(PATTERNS, SEED);
  assert.deepEqual(differences(postgres, patterns), []);
  const results = patterns.map(ourResult);
  const errors = results.filter((result) => result === 'error').length;
  const matching = results.filter((result) => result.includes('1')).length;
  t.diagnostic(
    `${patterns.length} patterns, ${comparedNames.length} names: ${errors} errors, ${matching} that match`,
  );
  assert.ok(errors > PATTERNS / 10 && matching > PATTERNS / 5, 'the generator should produce enough of both');
});
