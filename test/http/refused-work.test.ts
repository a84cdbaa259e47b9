/** What the server does for a request before it knows whether to refuse it, and how much of a query it reads at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_PARAMETERS } from '../../src/http/request.ts';
import { assertError, startMadeUpService } from '../support/zukan/api.ts';

const escaped = (count: number) => `?${'%41&'.repeat(count)}`;

/** How many of these names are decoded meanwhile: the server runs in this process. */
async function countDecoded(work: () => Promise<unknown>): Promise<number> {
  const { decodeURIComponent: decode } = globalThis;
  let count = 0;
  globalThis.decodeURIComponent = (text) => {
    if (text === '%41') count++;
    return decode(text);
  };
  try {
    await work();
    return count;
  } finally {
    globalThis.decodeURIComponent = decode;
  }
}

test('the query of a refused call is not read', async () => {
  const service = await startMadeUpService([], { environment: { RATE_LIMIT: 'on' } });
  await service.get('/api/stats');
  for (const path of ['/api/stats', '/api/image/random', '/v1/artist', '/api/nothing']) {
    const count = await countDecoded(async () => assertError(await service.get(path + escaped(100)), 429));
    assert.equal(count, 0, path);
  }
});

test('every query is read once, up to the bound', async () => {
  const service = await startMadeUpService([]);
  const calls = [
    ['/api/stats', {}],
    ['/', {}],
    ['/', { Accept: 'text/html' }],
    ['/', { Accept: 'application/json' }],
  ] as const;
  for (const [path, headers] of calls) {
    assert.equal(await countDecoded(() => service.get(path + escaped(7), headers)), 7, path);
    assert.equal(await countDecoded(() => service.get(path + escaped(3000), headers)), MAX_PARAMETERS, path);
  }
  // Links to files are compared as they are.
  const file = '/files/40000000-0000-4000-8000-000000000001.png';
  assert.equal(await countDecoded(() => service.get(file + escaped(3000))), 0);
});

test('a query with too many parameters is not read', async () => {
  const service = await startMadeUpService([]);
  for (const path of ['/api/artist', '/api/image/random', '/api/image/nothing']) {
    const tooMany = escaped(MAX_PARAMETERS);
    const count = await countDecoded(async () =>
      assertError(await service.get(path + tooMany), 400, /^Too many parameters/),
    );
    assert.equal(count, 0, path);
  }
});

test('too many parameters are 400 where an endpoint takes any, after 429 and 401', async () => {
  const service = await startMadeUpService([], { environment: { RATE_LIMIT: 'on' } });
  const many = `?${'a&'.repeat(MAX_PARAMETERS)}`;
  assertError(await service.get(`/api/artist${many}`), 400, /Too many parameters: at most 100 are allowed\./);
  assertError(await service.get(`/api/artist${many}`), 429);
  const open = await startMadeUpService([]);
  assertError(await open.get(`/api/artist${many}`, { Authorization: 'Bearer x' }), 401);
  assert.equal((await open.get(`/api/stats${many}`)).headers['x-ignored-parameters'], 'a');
  assert.equal((await open.get(`/api/artist?${'a&'.repeat(MAX_PARAMETERS - 1)}`)).status, 200);
});
