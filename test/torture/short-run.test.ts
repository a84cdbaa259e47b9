// depth: all
/** A short run of `npm run torture`, always with the same seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { torture } from '../../torture/torture.ts';
import { atDepth } from '../support/depth.ts';

test('nothing fails when zukan is attacked, broken and killed', async (t) => {
  const size = atDepth(
    {
      ...{ requests: 200, kills: 1, attackMs: 40, names: 50, images: 20, searches: 3 },
      ...{ everyShape: 101, floods: 1, pauseMs: 50 },
    },
    {
      ...{ requests: 1000, kills: 20, attackMs: 200, names: 300, images: 200, searches: 20 },
      ...{ everyShape: 19, floods: Number.POSITIVE_INFINITY, pauseMs: 0 },
    },
  );
  const rest = { seed: 20, minutes: Number.POSITIVE_INFINITY, failovers: 1, isShort: true };
  const report = await torture({ ...size, ...rest });
  t.diagnostic(report.lines().join('\n'));
  assert.deepEqual(report.failures, []);
  // Which of the rarer requests are sent depends on what the servers responded before.
  const tried = [...report.rows.values()].filter((row) => row.tried > 0);
  assert.ok(tried.length > 10, `${tried.length} parts`);
});
