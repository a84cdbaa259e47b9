import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LruCache } from '../../src/lib/lru-cache.ts';

test('evicts the least recently used entry', () => {
  const cache = new LruCache<string, { bytes: number }>(10_000);
  for (const key of ['a', 'b', 'c']) cache.set(key, { bytes: 2500 });
  assert.ok(cache.get('a'));
  cache.set('d', { bytes: 2500 });
  assert.equal(cache.get('b'), undefined);
  assert.ok(cache.get('a') && cache.get('c') && cache.get('d'));
});

test('counts the overhead of empty entries and the length of keys', () => {
  const empty = new LruCache<string, { bytes: number }>(1_000_000);
  for (let index = 0; index < 10_000; index++) empty.set(`key ${index}`, { bytes: 0 });
  assert.equal(empty.get('key 0'), undefined);
  assert.ok(empty.get('key 9999'));
  const long = new LruCache<string, { bytes: number }>(1_000_000);
  for (let index = 0; index < 200; index++) long.set(`${index} ${'x'.repeat(10_000)}`, { bytes: 0 });
  assert.equal(long.get(`0 ${'x'.repeat(10_000)}`), undefined);
});

test('stores an entry larger than the cache until the next one', () => {
  const cache = new LruCache<string, { bytes: number }>(10_000);
  cache.set('large', { bytes: 1_000_000 });
  assert.ok(cache.get('large'));
  cache.set('small', { bytes: 1 });
  assert.equal(cache.get('large'), undefined);
  assert.ok(cache.get('small'));
});
