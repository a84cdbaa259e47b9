/** Long jobs share the processor: cheap ones and those of modest clients come first, and the queue is bounded. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { Unavailable } from '../../src/lib/metrics.ts';
import { FairQueue } from '../../src/store/read/slices.ts';

const SLICE_MS = 5;
const WORK_PER_SLICE = 500_000;

let now = 0;
let queue: FairQueue;
/** The names of the jobs, one for each slice that they computed. */
let slices: string[] = [];
beforeEach(() => {
  now = 0;
  slices = [];
  queue = new FairQueue({
    clock: () => now,
    nextTick: () => new Promise((resolve) => setImmediate(resolve)),
  });
});

interface Options {
  name?: string;
  expected?: number;
  signal?: AbortSignal;
}

/** A job that computes for so many slices. */
function run(
  client: string,
  count: number,
  { name = client, expected = 0, signal = new AbortController().signal }: Options = {},
) {
  return queue.run({ client, signal }, expected, async (spend) => {
    for (let slice = 0; slice < count; slice++) {
      slices.push(name);
      now += SLICE_MS;
      const pause = spend(WORK_PER_SLICE);
      if (pause && slice < count - 1) await pause;
    }
    return name;
  });
}

const runMany = (clients: number, count: number, prefix = 'hostile', expected = 0) =>
  Array.from({ length: clients }, (_, number) => run(`${prefix} ${number}`, count, { expected }));

describe('the order of jobs', () => {
  test('a cheap job overtakes jobs that have worked longer', async () => {
    const hostile = runMany(30, 10);
    while (slices.length < 60) await new Promise(setImmediate);
    const before = slices.length;
    await run('other', 1);
    assert.equal(slices.indexOf('other'), before);
    await Promise.all(hostile);
  });

  test('a cheap job waits for one slice of each new client at most', async () => {
    const hostile = runMany(30, 10);
    await run('other', 1);
    assert.equal(slices.length, 31);
    await Promise.all(hostile);
  });

  test('among new jobs, the client that used less comes first, also after a while', async () => {
    await Promise.all(runMany(30, 5));
    now += 10_000;
    slices = [];
    const hostile = runMany(30, 5);
    await run('other', 2);
    assert.equal(slices[0], 'other');
    assert.equal(slices[1], 'other');
    await Promise.all(hostile);
  });

  test('a job that is expected to be expensive comes last', async () => {
    const expensive = run('first', 1, { expected: 10 * WORK_PER_SLICE });
    await Promise.all([expensive, run('second', 1)]);
    assert.deepEqual(slices, ['second', 'first']);
  });

  test('work of long ago does not count', async () => {
    await run('first', 20);
    now += 3_600_000;
    await run('second', 1);
    slices = [];
    await Promise.all([run('second', 1), run('first', 1)]);
    assert.deepEqual(slices, ['first', 'second']);
  });

  test('a client runs one job at a time', async () => {
    const jobs = ['a', 'b', 'c'].map((name) => run('client', 3, { name }));
    await Promise.all([...jobs, run('other', 3)]);
    assert.equal(slices.filter((name) => name !== 'other').join(''), 'aaabbbccc');
  });
});

describe('a full queue', () => {
  const outcomes = async (jobs: Promise<string>[]) =>
    (await Promise.allSettled(jobs)).map((job) => {
      if (job.status === 'rejected') assert.ok(job.reason instanceof Unavailable);
      return job.status;
    });

  test('rejects the newest jobs of the client that has most', async () => {
    const greedy = outcomes(Array.from({ length: 70 }, () => run('greedy', 1)));
    const others = runMany(10, 1, 'other');
    assert.deepEqual(await outcomes(others), Array(10).fill('fulfilled'));
    const greedyOutcomes = await greedy;
    assert.deepEqual(greedyOutcomes.slice(0, 22), Array(22).fill('fulfilled'));
    assert.deepEqual(greedyOutcomes.slice(22), Array(48).fill('rejected'));
  });

  test('rejects a job that is expected to be expensive rather than a cheap one', async () => {
    const hostile = outcomes(runMany(32, 10, 'hostile', 10 * WORK_PER_SLICE));
    while (slices.length < 100) await new Promise(setImmediate);
    const others = runMany(10, 1, 'other');
    assert.deepEqual(await outcomes(others), Array(10).fill('fulfilled'));
    assert.equal((await hostile).filter((outcome) => outcome === 'rejected').length, 10);
  });

  test('a job that cannot finish in time is rejected', async () => {
    const slow = assert.rejects(run('slow', 100_000), Unavailable);
    await new Promise(setImmediate);
    now += 11_000;
    await slow;
    assert.equal(await run('slow', 1), 'slow');
  });
});

describe('a client that disconnects', () => {
  const gone = new Error('gone');

  test('ends its job, and the next one starts', async () => {
    const controller = new AbortController();
    const job = run('client', 100_000, { signal: controller.signal });
    const next = run('client', 1, { name: 'next' });
    while (slices.length < 10) await new Promise(setImmediate);
    controller.abort(gone);
    await assert.rejects(job, gone);
    await next;
    assert.ok(slices.length <= 12, `${slices.length} slices`);
  });

  test('before its job starts, computes nothing', async () => {
    const controller = new AbortController();
    const job = run('client', 1, { signal: controller.signal });
    controller.abort(gone);
    await assert.rejects(job, gone);
    await assert.rejects(run('client', 1, { signal: controller.signal }), gone);
    await run('other', 1);
    assert.deepEqual(slices, ['other']);
  });
});

test('a job that fails does not stop the others', async () => {
  const failing = queue.run({ client: 'client', signal: new AbortController().signal }, 0, () => {
    throw new Error('broken');
  });
  const other = run('client', 2, { name: 'other' });
  await assert.rejects(failing, /broken/);
  assert.equal(await other, 'other');
});
