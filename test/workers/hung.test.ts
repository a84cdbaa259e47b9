/** A thread whose event loop hangs is reported and replaced; one that is only slow is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logger } from '../../src/http/logger.ts';
import { createCatalogue } from '../../src/server/engines.ts';
import { mergeReasons } from '../../src/server/pages/health.ts';
import { Heartbeat } from '../../src/server/workers/messages.ts';
import { WorkerPool } from '../../src/server/workers/pool.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { hangThread } from '../support/zukan/hang-thread.ts';
import { configFor, send } from '../support/zukan/service.ts';

/** A healthy thread runs at least once in ten of them, however busy the machine is. */
const BEAT_MS = 100;

test('a thread that hangs is reported as degraded, then replaced', async (t) => {
  const lines: string[] = [];
  const log = new Logger('info', (text, done) => {
    lines.push(text);
    done();
  });
  const config = configFor(temporaryFolder(), { WORKERS: '2', CACHE_MB: '1' });
  await createCatalogue(config);
  const pool = new WorkerPool(config, log, BEAT_MS);
  const origin = await pool.start();
  t.after(() => pool.close());
  const before = new Set(pool.workers);
  const isDegraded = async () => mergeReasons(await pool.collectReports(false)).workers !== undefined;
  assert.equal(await isDegraded(), false);
  await hangThread();
  await until('the health check notices', isDegraded);
  await until('all threads respond', async () => !(await isDegraded()));
  assert.deepEqual(
    [pool.workers.length, before.intersection(new Set(pool.workers)).size],
    [2, 1],
    'one is new',
  );
  for (let connection = 0; connection < 20; connection++)
    assert.equal((await send(new URL('/health/live', origin))).status, 200);
  await log.flush();
  assert.match(lines.join(''), /"the thread did not respond/);
  assert.match(lines.join(''), /worker failed; starting another one/);
});

test('a thread is hung after ten beats of the main thread without one of its own', () => {
  const heartbeat = new Heartbeat();
  const beats = new Int32Array(heartbeat.memory);
  const miss = (times: number) => Array.from({ length: times }, () => heartbeat.look());
  assert.ok(miss(9).every((isHung) => !isHung));
  assert.equal(heartbeat.isResponding, false);
  // However late it comes, as after a suspension of the machine or on a busy one.
  Atomics.add(beats, 0, 1);
  assert.deepEqual([heartbeat.look(), heartbeat.isResponding], [false, true]);
  assert.deepEqual([miss(2).includes(true), heartbeat.isResponding], [false, true]);
  assert.deepEqual(miss(10), [...Array(7).fill(false), true, false, false]);
});
