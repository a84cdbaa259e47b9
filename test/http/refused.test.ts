/** What the server does for a request that it refuses: before it knows, and how many token look-ups that costs. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, beforeEach, test } from 'node:test';
import { MemoryBudget, MemoryLimiter } from '../../src/access/limits/memory.ts';
import { Exemptions, tokenRule } from '../../src/access/rate.ts';
import { admit } from '../../src/api/call.ts';
import type { Services } from '../../src/api/endpoint.ts';
import { ApiError, type Exchange, LimiterCounters } from '../../src/http/exchange.ts';
import { MAX_PARAMETERS } from '../../src/http/request.ts';
import { createCatalogue, openStore } from '../../src/server/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { assertError, startMadeUpService } from '../support/zukan/api.ts';
import { configFor, makeToken } from '../support/zukan/service.ts';

// What the server does for a request before it knows whether to refuse it, and how much of a query it reads at all.

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

// How many token look-ups refused, blocked and exempt clients cost.

const config = configFor(temporaryFolder());
await createCatalogue(config);
const store = await openStore(config);
after(() => store[Symbol.asyncDispose]());
const exempt = await makeToken(config, ['api:ratelimit:disabled']);
const plain = await makeToken(config, ['image:list']);
const guess = (number: number) => `Bearer ${String(number).padStart(100, 'x')}`;

let now = 0;
let lookUps = 0;
let services: Services;
const clock = () => now;
beforeEach(() => {
  now = Date.parse('2026-05-01T00:00:00.000Z');
  lookUps = 0;
  services = {
    tokens: {
      ...store.tokens,
      find(hash: string) {
        lookUps++;
        return store.tokens.find(hash);
      },
    },
    limiter: new MemoryLimiter(1, clock),
    exemptions: new Exemptions(new MemoryBudget(tokenRule, clock)),
    isInExemptNetwork: ({ headers }: IncomingMessage) => headers.from === 'exempt network',
    noticeClient() {},
    decisions: new LimiterCounters(),
    clientOf: ({ headers }: IncomingMessage) => headers.from as string,
    clock,
  } as Partial<Services> as Services;
});

/** Returns the status: 200 if the call is admitted. */
async function call(from: string, authorization: string): Promise<number> {
  const exchange = { request: { headers: { from, authorization } }, headers() {} } as unknown as Exchange;
  const admitted = await admit(services, exchange);
  return admitted instanceof ApiError ? admitted.status : 200;
}

test('a blocked client costs no look-up for the tokens that it guesses', async () => {
  assert.equal(await call('guesser', guess(0)), 401);
  for (let number = 1; number <= 1000; number++) assert.equal(await call('guesser', guess(number)), 429);
  assert.equal(lookUps, 1);
});

test('a refused client costs no look-up for a valid token without the exemption', async () => {
  assert.equal(await call('fast', plain.headers.Authorization), 200);
  for (let count = 0; count < 5; count++) assert.equal(await call('fast', plain.headers.Authorization), 429);
  assert.equal(lookUps, 1);
});

test('a blocked client is heard again later, in case its token is exempt now', async () => {
  for (let number = 0; number < 20; number++) await call('office', guess(number));
  assert.equal(lookUps, 1);
  now += 10_000;
  assert.equal(await call('office', exempt.headers.Authorization), 200);
});

test('a known exempt token works from an address that others got blocked', async () => {
  assert.equal(await call('elsewhere', exempt.headers.Authorization), 200);
  for (let number = 0; number < 20; number++)
    assert.equal((await call('office', guess(number))) >= 401, true);
  for (let count = 0; count < 20; count++)
    assert.equal(await call('office', exempt.headers.Authorization), 200);
});

test('an exempt token never counts against its address', async () => {
  await Promise.all(
    Array.from({ length: 30 }, async () =>
      assert.equal(await call('bot', exempt.headers.Authorization), 200),
    ),
  );
  assert.equal(await call('bot', plain.headers.Authorization), 200);
});

test('a client in an exempt network is never refused, and its token is looked up once per call', async () => {
  for (let count = 1; count <= 20; count++) {
    assert.equal(await call('exempt network', plain.headers.Authorization), 200);
    assert.equal(lookUps, count);
  }
  assert.equal(await call('exempt network', guess(1)), 401);
});

test('an allowed call with an unknown token is 401, also right after another one', async () => {
  assert.equal(await call('client', guess(1)), 401);
  now += 1000;
  assert.equal(await call('client', guess(2)), 401);
  assert.equal(lookUps, 2);
});
