/** The index of hashes and the groups of images that look alike, against naive comparisons of all pairs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  chooseBest,
  groupLookAlikes,
  HashIndex,
  MAX_COPY_DISTANCE,
  Nearest,
} from '../../src/catalogue/sets/look-alikes.ts';

const toHex = (hash: bigint) => hash.toString(16).padStart(32, '0');
const distance = (one: bigint, other: bigint) => (one ^ other).toString(2).replaceAll('0', '').length;

/** Hashes around a few centres, at distances close to the limit of copies. */
const hashes = fc
  .record({
    centres: fc.array(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), { minLength: 1, maxLength: 3 }),
    changes: fc.array(
      fc.record({
        centre: fc.nat(),
        bits: fc.uniqueArray(fc.nat(127), { maxLength: MAX_COPY_DISTANCE + 2 }),
      }),
      { maxLength: 30 },
    ),
  })
  .map(({ centres, changes }) =>
    changes.map(({ centre, bits }) =>
      bits.reduce((hash, bit) => hash ^ (1n << BigInt(bit)), centres[centre % centres.length] as bigint),
    ),
  );

function indexOf(all: bigint[]): HashIndex {
  const index = new HashIndex();
  for (const [position, hash] of all.entries()) index.add(position * 3 + 1, toHex(hash));
  return index;
}

/** Joins every pair that is close enough, until nothing changes. */
function naiveGroups(all: bigint[]): number[][] {
  const group = all.map((_, position) => position);
  for (const [a, one] of all.entries())
    for (const [b, other] of all.entries()) {
      if (distance(one, other) > MAX_COPY_DISTANCE) continue;
      const [from, to] = [group[a], group[b]];
      for (const [position, value] of group.entries()) if (value === from) group[position] = to as number;
    }
  const members = Map.groupBy(all.keys(), (position) => group[position]);
  return [...members.values()].filter(({ length }) => length > 1);
}

test('groups are those that comparing all pairs finds, the largest first', () => {
  fc.assert(
    fc.property(hashes, (all) => {
      const groups = groupLookAlikes(indexOf(all));
      const sizes = groups.map(({ length }) => length);
      assert.deepEqual(
        sizes,
        sizes.toSorted((a, b) => b - a),
      );
      const inOrder = (list: number[][]) => list.toSorted((a, b) => (a[0] as number) - (b[0] as number));
      assert.deepEqual(inOrder(groups), inOrder(naiveGroups(all)));
    }),
    { numRuns: 15 },
  );
});

test('hashes at the limit are found wherever their bits are', () => {
  for (let shift = 0; shift < 128; shift++) {
    let other = 0n;
    for (let bit = 0; bit < MAX_COPY_DISTANCE; bit++) other |= 1n << BigInt((shift + bit * 9) % 128);
    const index = indexOf([0n, other]);
    assert.ok(index.areWithin(MAX_COPY_DISTANCE, 0, 1) && !index.areWithin(MAX_COPY_DISTANCE - 1, 0, 1));
    if (shift % 16 === 0) assert.deepEqual(groupLookAlikes(index), [[0, 1]]);
  }
});

test('a scan finds the nearest, in any number of steps', () => {
  fc.assert(
    fc.property(
      hashes,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 8 }),
      (all, step, limit) => {
        const index = indexOf(all);
        for (const [target, hash] of all.entries()) {
          const nearest = new Nearest(limit);
          const found = index.hashOf(target * 3 + 1);
          assert.ok(found);
          for (let from = 0; from < index.size; from += step)
            index.scan(found, MAX_COPY_DISTANCE, from, from + step, (position, bits) =>
              nearest.add(position, bits),
            );
          const expected = all
            .map((other, position) => ({
              position,
              bits: distance(hash, other),
              first: distance(hash >> 96n, other >> 96n),
            }))
            .filter(({ bits, first }) => bits <= MAX_COPY_DISTANCE && first <= 8)
            .sort((a, b) => a.bits - b.bits || a.position - b.position)
            .slice(0, limit)
            .map(({ position }) => position);
          assert.deepEqual(nearest.positions(), expected);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('the index grows, finds images by number, and leaves out those with too little detail', () => {
  const index = new HashIndex();
  for (let image = 1; image <= 5000; image++) index.add(image, image % 2 ? toHex(BigInt(image)) : '');
  assert.equal(index.size, 2500);
  for (const image of [1, 1023, 1025, 4999]) {
    assert.deepEqual(index.hashOf(image), new Int32Array([0, 0, 0, image]));
    assert.equal(index.hashOf(image + 1), undefined);
  }
});

test('what is not kept looks like the one that is, which is better; those that are kept differ', () => {
  fc.assert(
    fc.property(hashes, (all) => {
      const index = indexOf(all);
      const at = (position: number) => all[position] as bigint;
      const areAlike = (one: number, other: number) => distance(at(one), at(other)) <= MAX_COPY_DISTANCE;
      for (const group of groupLookAlikes(index)) {
        // The last one is the best.
        const choices = chooseBest(index, group, (one, other) => other - one);
        const members = choices.flatMap(({ best, others }) => [best, ...others]);
        assert.equal(new Set(members).size, members.length);
        for (const { best, others } of choices)
          for (const other of others) assert.ok(other < best && areAlike(best, other));
        const stay = group.filter((position) => !choices.some(({ others }) => others.includes(position)));
        for (const one of stay) for (const other of stay) assert.ok(one === other || !areAlike(one, other));
      }
    }),
    { numRuns: 15 },
  );
});
