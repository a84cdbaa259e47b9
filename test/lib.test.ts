/** Small tools without a domain. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import fc from 'fast-check';
import TypeBox from 'typebox';
import { batchAtOnce, batchPerTick } from '../src/lib/concurrency.ts';
import * as Type from '../src/lib/json-schema.ts';
import { newRequestId, secureRandomInt } from '../src/lib/random.ts';
import { editDistance, listInEnglish } from '../src/lib/text.ts';

test('a batch has the items of one tick, and runs at its end', async () => {
  const batches: number[][] = [];
  const add = batchPerTick<number>((items) => batches.push(items));
  add(1);
  await null;
  add(2);
  process.nextTick(add, 3);
  assert.deepEqual(batches, []);
  await nextTick();
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test('the first batch of a tick runs at once, when everything that runs has added its items', async () => {
  const batches: number[][] = [];
  const add = batchAtOnce<number>((items) => batches.push(items));
  const { promise, resolve } = Promise.withResolvers<void>();
  // In a callback of the event loop, as requests are.
  setImmediate(() => {
    for (const item of [1, 2, 3]) add(item);
    assert.deepEqual(batches, []);
    process.nextTick(resolve);
  });
  await promise;
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test('calls that follow one another leave ticks to others', async () => {
  const add = batchAtOnce<() => void>((items) => {
    for (const item of items) item();
  });
  let ticks = 0;
  const counting = (async () => {
    for (; ticks < 20; ticks++) await nextTick();
  })();
  const seen: number[] = [];
  for (let call = 0; call < 5; call++)
    await new Promise<void>((resolve) =>
      add(() => {
        seen.push(ticks);
        resolve();
      }),
    );
  await counting;
  assert.ok(new Set(seen).size >= 4, seen.join());
});

// Random integers are uniform and within their range; ids differ.

const ROUNDS = 60_000;

for (const [below, bound] of [
  [2, 10.8],
  [3, 13.8],
  [10, 27.9],
  [16, 37.7],
] as const)
  test(`integers below ${below} are uniform`, () => {
    const counts = new Array<number>(below).fill(0);
    for (let round = 0; round < ROUNDS; round++) {
      const number = secureRandomInt(below);
      counts[number] = (counts[number] as number) + 1;
    }
    assert.equal(counts.length, below);
    const expected = ROUNDS / below;
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // One run in a thousand exceeds the bound itself; with three times as much, a false alarm takes an age.
    assert.ok(chiSquare < bound * 3, `${chiSquare} for ${below}`);
  });

test('the only integer below one is zero', () => {
  for (let round = 0; round < 100; round++) assert.equal(secureRandomInt(1), 0);
});

test('large ranges are used entirely', () => {
  for (const below of [1_000_000, 2 ** 31, 2 ** 31 + 1, 2 ** 32]) {
    const drawn = Array.from({ length: 3000 }, () => secureRandomInt(below));
    assert.ok(drawn.every((number) => Number.isInteger(number) && number >= 0 && number < below));
    assert.ok(Math.max(...drawn) > below * 0.99 && Math.min(...drawn) < below * 0.01);
    assert.ok(new Set(drawn).size > 2900);
  }
});

test('ids of requests are version 4 UUIDs, and never the same', () => {
  const ids = Array.from({ length: 1000 }, newRequestId);
  for (const id of ids) assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  assert.equal(new Set(ids).size, ids.length);
});

test('names are listed as by Intl', () => {
  const formats = {
    and: new Intl.ListFormat('en'),
    or: new Intl.ListFormat('en', { type: 'disjunction' }),
  };
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 5 }), fc.constantFrom('and', 'or'), (names, word) => {
      assert.equal(listInEnglish(names, word), formats[word].format(names));
    }),
  );
});

test('edit distances are exact up to the maximum, and above it any that is greater', () => {
  const text = fc.array(fc.constantFrom(...'abc'), { maxLength: 6 });
  fc.assert(
    fc.property(text, text, fc.nat(4), (a, b, max) => {
      const exact = editDistance(a, b, 99);
      const bounded = editDistance(a, b, max);
      if (exact <= max) assert.equal(bounded, exact);
      else assert.ok(bounded > max);
      assert.equal(exact, recursiveDistance(a, b));
    }),
  );
});

function recursiveDistance(a: string[], b: string[], from = 0, to = 0): number {
  if (from === a.length || to === b.length) return a.length - from + b.length - to;
  const isSwapped =
    a[from] === b[to + 1] && a[from + 1] === b[to] && to + 1 < b.length && from + 1 < a.length;
  const ways = [[1, 0, 1], [0, 1, 1], [1, 1, a[from] === b[to] ? 0 : 1], ...(isSwapped ? [[2, 2, 1]] : [])];
  return Math.min(
    ...ways.map(([x = 0, y = 0, cost = 0]) => cost + recursiveDistance(a, b, from + x, to + y)),
  );
}

// The schema builders make the same JSON as TypeBox's own, in the same order.

const options = { description: 'text', minimum: 1, default: [] };

function schemasOf(type: typeof Type) {
  const text = type.String();
  const builders = [type.String, type.Integer, type.Boolean, type.Null];
  return {
    plain: builders.flatMap((build) => [build(), build(options)]),
    literals: [type.Literal('a'), type.Literal(false, options), type.Literal(7)],
    array: [type.Array(text), type.Array(text, options)],
    union: [type.Union([text, type.Boolean()]), type.Union([text, type.Null()], options)],
    intersect: type.Intersect([type.Object({ a: text }), type.Object({ b: text })], options),
    object: type.Object({ a: text, b: type.Optional(text), c: type.Integer() }, options),
    optionalObject: type.Optional(type.Object({ a: text })),
    nothingRequired: [type.Object({}), type.Object({ a: type.Optional(text) })],
  };
}

test('makes the same schemas as TypeBox', () => {
  assert.equal(JSON.stringify(schemasOf(Type)), JSON.stringify(schemasOf(TypeBox as unknown as typeof Type)));
});

test('Optional leaves its parameter unchanged', () => {
  const text = Type.String();
  Type.Optional(text);
  assert.deepEqual(Type.Object({ text }), {
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string' } },
  });
});
