/** How many token look-ups refused, blocked and exempt clients cost. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, beforeEach, test } from 'node:test';
import { MemoryBudget, MemoryLimiter } from '../../src/access/limits/memory.ts';
import { Exemptions, tokenRule } from '../../src/access/rate.ts';
import { admit } from '../../src/api/call.ts';
import type { Services } from '../../src/api/endpoint.ts';
import { ApiError, type Exchange, LimiterCounters } from '../../src/http/exchange.ts';
import { createCatalogue, openStore } from '../../src/server/engines.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { configFor, makeToken } from '../support/zukan/service.ts';

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
