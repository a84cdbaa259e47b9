/** The client caches artists. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cache } from '../../client/cache.ts';
import { Zukan } from '../../client/index.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { startKnownService } from '../support/zukan/service.ts';

const { origin } = await startKnownService();
let requests = 0;
const counting = new Zukan({
  origin,
  fetch: (url, init) => {
    requests++;
    return fetch(url, init);
  },
});

test('calls at once and later share a request', async () => {
  const [id, other] = [uuid(2, 1), uuid(2, 2)];
  const all = await Promise.all([id, id.toUpperCase(), other, id].map((each) => counting.artist(each)));
  assert.deepEqual(
    all.map(({ id }) => id),
    [id, id, other, id],
  );
  const again = await counting.artist(id);
  assert.deepEqual(again, all[0]);
  assert.equal(requests, 2);
  again.name = 'changed by the caller';
  assert.notEqual((await counting.artist(id)).name, again.name);
});

test('an artist with a cover is not cached, because its links expire', async () => {
  requests = 0;
  const id = uuid(2, 1);
  const covered = await counting.artist(id, { include: ['cover'] });
  assert.equal(covered.cover?.id, uuid(4, 6));
  await counting.artist(id, { include: ['cover', 'count'] });
  assert.equal(requests, 2);
  assert.equal((await counting.artist(id, { include: ['count'] })).cover, undefined);
  assert.equal(requests, 2, 'without a cover, the artist is still cached');
});

test('errors are not cached', async () => {
  requests = 0;
  for (let tries = 0; tries < 2; tries++) await assert.rejects(counting.artist(uuid(9, 9)), { status: 404 });
  assert.equal(requests, 2);
});

test('a call that is already aborted sends no request', async () => {
  requests = 0;
  const signal = AbortSignal.abort(new Error('too late'));
  await assert.rejects(counting.artist(uuid(2, 3), { signal }), { message: 'too late' });
  assert.equal(requests, 0);
});

test('old entries are loaded again, and the number of entries is bounded', async () => {
  let now = 0;
  const loaded: string[] = [];
  const cache = new Cache<string>(2, 1000, () => now);
  const get = (key: string) =>
    cache.get(key, async () => {
      loaded.push(key);
      return key;
    });
  for (const key of ['a', 'b', 'a', 'c', 'b', 'a']) await get(key);
  assert.deepEqual(loaded.splice(0), ['a', 'b', 'c', 'a']);
  now = 999;
  await get('a');
  assert.deepEqual(loaded, []);
  now = 1000;
  await get('a');
  assert.deepEqual(loaded, ['a']);
});
