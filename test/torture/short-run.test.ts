// process: own
/** A short run of `npm run torture`, always with the same seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { torture } from '../../torture/torture.ts';

test('nothing fails when zukan is attacked, broken and killed', async (t) => {
  const size = { requests: 400, kills: 8, attackMs: 100, names: 300, images: 200, searches: 10 };
  const report = await torture({ seed: 20, ...size, minutes: Number.POSITIVE_INFINITY, isShort: true });
  t.diagnostic(report.lines(20).join('\n'));
  assert.deepEqual(report.failures, []);
  const rows = [...report.rows.values()];
  assert.ok(rows.length > 10 && rows.every(({ tried }) => tried > 0));
});
