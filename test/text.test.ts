import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { editDistance, listInEnglish } from '../src/lib/text.ts';

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
