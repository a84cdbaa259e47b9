// depth: all
/** A short run of `npm run torture`, always with the same seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { torture } from '../../torture/torture.ts';
import { atDepth } from '../support/depth.ts';

test('nothing fails when zukan is attacked, broken and killed', async (t) => {
  const size = atDepth(
    { requests: 200, kills: 1, attackMs: 40, names: 50, images: 20, searches: 3 },
    { requests: 1000, kills: 20, attackMs: 200, names: 300, images: 200, searches: 20 },
  );
  const short = atDepth(
    { everyShape: 101, floods: 1, pauseMs: 50, failovers: 1 },
    { everyShape: 19, floods: Number.POSITIVE_INFINITY, pauseMs: 0, failovers: 1 },
  );
  const report = await torture({ seed: 20, ...size, minutes: Number.POSITIVE_INFINITY, short });
  t.diagnostic(report.lines(20).join('\n'));
  assert.deepEqual(report.failures, []);
  // Which of the rarer requests are sent depends on what the servers responded before.
  const tried = [...report.rows.values()].filter((row) => row.tried > 0);
  assert.ok(tried.length > 10, `${tried.length} parts`);
});
