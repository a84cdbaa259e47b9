/** A scan shares the processor: it pauses after each time slice and gives up when it has used its budget. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsePattern } from '../../../src/catalogue/search/pattern.ts';
import { PatternTooExpensive } from '../../../src/catalogue/search/positions.ts';
import { type NameList, type ScanOptions, scan } from '../../../src/catalogue/search/scan.ts';
import { yieldToEventLoop } from '../../../src/event-loop.ts';
import { hostileName } from './hostile-patterns.ts';

const hostile = parsePattern('%a%a%a%a%a%a%a%b');

function listOf(count: number, length: number): NameList {
  const distinct = Array.from({ length: 100 }, (_, number) => hostileName(number, length));
  const folded = Array.from({ length: count }, (_, index) => distinct[index % distinct.length] as string);
  return { kind: 'artist', version: 1, folded, maxLength: length };
}

/** Time passes by one millisecond with each reading of the clock. */
function fakeTime(options: Partial<ScanOptions> = {}) {
  const events: string[] = [];
  let now = 0;
  const scanOptions: ScanOptions = {
    budget: Number.POSITIVE_INFINITY,
    slice: 5,
    clock: () => {
      events.push('clock');
      return now++;
    },
    pause: async () => {
      events.push('pause');
    },
    ...options,
  };
  return {
    options: scanOptions,
    count: (event: string) => events.filter((other) => other === event).length,
    /** How often the clock was read after each pause. */
    readingsPerSlice: () =>
      events
        .join(' ')
        .split('pause')
        .slice(1)
        .map((slice) => slice.split('clock').length - 1),
  };
}

test('returns the positions of the matching names in order', async () => {
  const names: NameList = {
    kind: 'artist',
    version: 1,
    folded: ['mari', 'abe', 'maki', 'ama'],
    maxLength: 4,
  };
  assert.deepEqual(await scan(parsePattern('ma%'), names, fakeTime().options), [0, 2]);
});

test('pauses before it starts and after each time slice', async () => {
  const time = fakeTime();
  await scan(hostile, listOf(3000, 255), time.options);
  const readings = time.readingsPerSlice();
  assert.ok(readings.length > 5, `${readings.length} slices`);
  // The first reading starts the slice.
  for (const count of readings.slice(0, -1)) assert.equal(count, 1 + 5);
});

test('reads the clock every thousand names that cheaper tests rule out', async () => {
  const time = fakeTime({ slice: Number.POSITIVE_INFINITY });
  await scan(parsePattern('%z%'), listOf(10_000, 16), time.options);
  assert.equal(time.count('clock'), 1 + 10);
});

describe('the time budget', () => {
  test('ends a scan that has used it', async () => {
    const time = fakeTime({ budget: 20 });
    await assert.rejects(scan(hostile, listOf(10_000, 255), time.options), PatternTooExpensive);
    // Four slices of five milliseconds, and the reading that exceeds the budget.
    assert.deepEqual(time.readingsPerSlice(), [6, 6, 6, 6, 2]);
  });

  test('does not include pauses', async () => {
    let now = 0;
    const clock = () => now++;
    const pause = async () => {
      now += 3_600_000;
    };
    await scan(hostile, listOf(3000, 255), { budget: 1000, slice: 5, clock, pause });
  });
});

test('twenty concurrent scans compute one slice per turn of the event loop', async () => {
  let [turn, isDone] = [0, false];
  const countTurns = () => {
    turn++;
    if (!isDone) setImmediate(countTurns);
  };
  countTurns();
  const names = listOf(300, 255);
  const slices: number[] = [];
  const pause = async () => {
    await yieldToEventLoop();
    slices.push(turn);
  };
  const scans = Array.from({ length: 20 }, () => {
    let now = 0;
    return scan(hostile, names, { budget: 1000, slice: 1, clock: () => now++, pause });
  });
  await Promise.all(scans);
  isDone = true;
  assert.ok(slices.length > 3 * scans.length, `${slices.length} slices`);
  assert.equal(new Set(slices).size, slices.length);
});
