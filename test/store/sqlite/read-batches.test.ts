/** Rounds: what is asked for together is answered from one moment, and a failure stays with whom it concerns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rounds } from '../../../src/store/sqlite/read-batches.ts';

/** Moments are numbered, and know whether they are still being read. */
function counted() {
  const seen = { begun: 0, ended: 0 };
  const rounds = new Rounds(
    () => ++seen.begun,
    () => {
      seen.ended++;
    },
  );
  return { seen, rounds };
}

test('what is asked for in one turn shares a moment, which begins when all have asked', async () => {
  const { seen, rounds } = counted();
  const together = Promise.all([rounds.read((moment) => moment), rounds.read((moment) => moment)]);
  assert.equal(seen.begun, 0);
  assert.deepEqual(await together, [1, 1]);
  assert.deepEqual(seen, { begun: 1, ended: 1 });
  assert.equal(await rounds.read((moment) => moment), 2);
});

test('what is asked for because of an answer gets a moment of its own', async () => {
  const { rounds } = counted();
  assert.equal(await rounds.read((moment) => moment).then(() => rounds.read((moment) => moment)), 2);
});

test('a read that fails is the only one to fail, and the moment ends', async () => {
  const { seen, rounds } = counted();
  const failing = rounds.read(() => {
    throw new Error('broken');
  });
  const fine = rounds.read((moment) => moment);
  await assert.rejects(failing, /broken/);
  assert.equal(await fine, 1);
  assert.equal(seen.ended, 1);
});

test('a moment that cannot begin fails all that were asked, and the next one may begin', async () => {
  let isBroken = true;
  const rounds = new Rounds(
    () => {
      if (isBroken) throw new Error('away');
      return 'here';
    },
    () => {},
  );
  const both = [rounds.read((moment) => moment), rounds.read((moment) => moment)];
  for (const result of await Promise.allSettled(both)) assert.equal(result.status, 'rejected');
  isBroken = false;
  assert.equal(await rounds.read((moment) => moment), 'here');
});
