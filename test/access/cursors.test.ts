/** Pagination cursors: only those issued for the same scope are accepted. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Cursors, cursorScope } from '../../src/access/links.ts';
import type { Filter } from '../../src/catalogue/catalogue.ts';
import { packPosition, unpackPosition } from '../../src/catalogue/sets/orders.ts';

const [old, current] = ['a key of sixteen', 'another such key'];
const cursors = new Cursors([current]);
const seven = packPosition({ bits: 22, rank: 7 });

describe('a cursor', () => {
  test('gives back the position it was written with', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.constantFrom(22, 32), fc.string(), (rank, bits, scope) => {
        const read = cursors.read(cursors.write(packPosition({ bits, rank }), scope), scope);
        assert.deepEqual(read !== undefined && unpackPosition(read), { bits, rank });
      }),
    );
  });

  test('is rejected with any character changed, removed or added', () => {
    const cursor = cursors.write(packPosition({ bits: 22, rank: 123_456 }), 'scope');
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=.'];
    for (let at = 0; at <= cursor.length; at++) {
      const [before, after] = [cursor.slice(0, at), cursor.slice(at)];
      for (const character of alphabet) {
        assert.equal(cursors.read(before + character + after, 'scope'), undefined);
        const changed = before + character + after.slice(1);
        if (changed !== cursor) assert.equal(cursors.read(changed, 'scope'), undefined, changed);
      }
      if (at < cursor.length) assert.equal(cursors.read(before + after.slice(1), 'scope'), undefined);
    }
  });

  test('is rejected in another scope or by another service', () => {
    const cursor = cursors.write(seven, 'scope');
    assert.equal(cursors.read(cursor, 'another scope'), undefined);
    assert.equal(new Cursors([old]).read(cursor, 'scope'), undefined);
  });

  test('is accepted after its key was rotated', () => {
    const rotated = new Cursors([current, old]);
    assert.deepEqual(rotated.read(new Cursors([old]).write(seven, 'scope'), 'scope'), seven);
    assert.deepEqual(cursors.read(rotated.write(seven, 'scope'), 'scope'), seven);
  });
});

describe('a scope', () => {
  const filter: Filter = {
    ...{
      nsfw: ['sfw', 'nsfw'],
      orientation: ['square'],
      categories: ['Cat', 'dog'],
      exclude: ['x', 'Y'],
    },
    match: 'all',
    artist: ['a1'],
    character: ['c1'],
  };

  test('does not depend on the order or case of the filters', () => {
    const other: Filter = {
      nsfw: ['nsfw', 'sfw'],
      orientation: ['square'],
      categories: ['DOG', 'cat', 'dog'],
      exclude: ['y', 'X'],
      match: 'all',
      artist: ['a1'],
      character: ['c1'],
    };
    assert.equal(cursorScope('s', filter), cursorScope('s', other));
    for (const categories of [['a'], ['A', 'a']])
      assert.equal(cursorScope('s', { categories, match: 'any' }), cursorScope('s', { categories: ['a'] }));
  });

  test('is that of older versions, which took one artist and one character', () => {
    assert.equal(
      cursorScope('s', { artist: ['a1'], character: ['c1'] }),
      '["s",[["artist","a1"],["character","c1"]]]',
    );
  });

  test('differs for another seed or any other filter', () => {
    const { nsfw, ...anyRating } = filter;
    const others: [string | undefined, Filter][] = [
      ...[['S', filter] as [string, Filter], ['s', anyRating] as [string, Filter]],
      ...[[undefined, filter] as [undefined, Filter], ['', filter] as [string, Filter]],
      ...Object.entries<Filter>({
        a: { ...filter, nsfw: ['sfw'] },
        b: { ...filter, orientation: ['portrait'] },
        c: { ...filter, match: 'any' },
        d: { ...filter, categories: ['Cat'] },
        ...{
          e: { ...filter, exclude: [] },
          f: { ...filter, categories: ['x', 'Y'], exclude: ['Cat', 'dog'] },
        },
        g: { ...filter, artist: ['c1'], character: ['a1'] },
        h: { ...filter, artist: undefined },
        i: { ...filter, artist: ['a1', 'c1'] },
        j: { ...filter, excludeArtist: ['a1'] },
        k: { ...filter, animated: true },
        l: { ...filter, animated: false },
        ...{ m: { ...filter, minWidth: 2 }, n: { ...filter, minHeight: 2 } },
        o: { ...filter, aspectRatio: '16:9' },
      }).map(([, changed]): [string, Filter] => ['s', changed]),
    ];
    const scopes = others.map(([seed, changed]) => cursorScope(seed, changed));
    assert.equal(new Set([...scopes, cursorScope('s', filter)]).size, others.length + 1);
  });
});
