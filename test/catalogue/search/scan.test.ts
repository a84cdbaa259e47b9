/** A scan counts its work, pauses when it is told to, and gives up when it has used its budget. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePattern } from '../../../src/catalogue/search/pattern.ts';
import { type NameList, SearchTooLong, scan } from '../../../src/catalogue/search/scan.ts';
import { hostileName } from './hostile-patterns.ts';

const hostile = parsePattern('%a%_{30}b%a_{20}b%');

function listOf(count: number, length: number): NameList {
  const distinct = Array.from({ length: 100 }, (_, number) => hostileName(number, length));
  const folded = Array.from({ length: count }, (_, index) => distinct[index % distinct.length] as string);
  return { kind: 'artist', version: 1, folded, aliases: new Map() };
}

/** Records the work of each step. */
function recordSteps(pause?: () => Promise<void>) {
  const steps: number[] = [];
  const spend = (work: number) => {
    steps.push(work);
    return pause?.();
  };
  return { steps, spend, total: () => steps.reduce((sum, work) => sum + work, 0) };
}

test('returns the positions of the matching names in order', async () => {
  const names: NameList = {
    kind: 'artist',
    version: 1,
    folded: ['mari', 'abe', 'maki', 'ama'],
    aliases: new Map([['mary', [0]]]),
  };
  assert.deepEqual(await scan(parsePattern('ma%'), names, recordSteps().spend), [0, 2]);
  assert.deepEqual(await scan(parsePattern('Mary'), names, recordSteps().spend), [0]);
  assert.deepEqual(await scan(parsePattern('mary%'), names, recordSteps().spend), []);
});

test('reports its work in small steps', async () => {
  const { steps, spend } = recordSteps();
  await scan(hostile, listOf(3000, 60), spend);
  assert.ok(steps.length > 5, `${steps.length} steps`);
  for (const work of steps) assert.ok(work >= 20_000 && work < 200_000, `${work} in a step`);
});

test('waits while it is paused', async () => {
  const resume: (() => void)[] = [];
  const { steps, spend } = recordSteps(() => new Promise((resolve) => resume.push(resolve)));
  const scanning = scan(hostile, listOf(3000, 60), spend);
  await new Promise(setImmediate);
  assert.equal(steps.length, 1);
  resume.pop()?.();
  await new Promise(setImmediate);
  assert.equal(steps.length, 2);
  let isDone = false;
  scanning.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    resume.pop()?.();
    await new Promise(setImmediate);
  }
});

test('gives up after the same work every time', async () => {
  const totals: number[] = [];
  for (let round = 0; round < 2; round++) {
    const { spend, total } = recordSteps();
    const names = listOf(100_000, 255);
    await assert.rejects(scan(parsePattern('%[ab]_{200}'), names, spend), SearchTooLong);
    totals.push(total());
  }
  assert.equal(totals[0], totals[1]);
  assert.ok((totals[0] as number) > 14_000_000 && (totals[0] as number) <= 15_000_000, `${totals[0]}`);
});

for (const pattern of ['%abc%', 'mar%', '%z', 'mariko', '%a%e%i%', '%', '%zz%(a|b)%'])
  test(`${pattern} is cheap, however many names there are`, async () => {
    const { spend, total } = recordSteps();
    await scan(parsePattern(pattern), listOf(100_000, 16), spend);
    assert.ok(total() < 1_500_000, `${total()}`);
  });
