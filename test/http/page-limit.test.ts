/** The limit of pages: no visitor meets it, and a client that does is neither blocked nor a burden. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileRule, pageRule } from '../../src/access/rate.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { assertError, NOW } from '../support/zukan/api.ts';
import { startKnownService } from '../support/zukan/service.ts';

let now = NOW;
const environment = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' };
const service = await startKnownService({ environment, clock: () => now });
const ask = (client: string, path: string, accept = 'text/html') =>
  service.get(path, { 'X-Forwarded-For': client, accept });

test('a flood gets a short page, is never blocked by it, and does not affect others', async () => {
  const client = '203.0.113.2';
  const statuses = new Map<number, number>();
  for (let page = 0; page < pageRule.burst + 20; page++) {
    const { status } = await ask(client, '/');
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assert.deepEqual(Object.fromEntries(statuses), { 200: pageRule.burst, 429: 20 });
  const refused = await ask(client, '/');
  assert.equal(refused.headers['content-type'], 'text/html; charset=utf-8');
  assert.deepEqual([refused.headers['retry-after'], refused.headers['cache-control']], ['1', 'no-store']);
  assert.match(refused.text, /<h1>Too many pages at once<\/h1>/);
  assert.ok(refused.bytes.length < 2000);
  const crawler = await ask(client, `/?image=${uuid(4, 1)}`, '*/*');
  assertError(crawler, 429, /Too many pages/);
  assert.equal(crawler.headers['retry-after'], '1');
  // A checkout packs it.
  assertError(await ask(client, '/client.tgz', '*/*'), 429, /Too many pages/);

  assert.equal((await ask('203.0.113.3', '/')).status, 200);
  const call = await ask(client, '/api/stats', '*/*');
  assert.equal(call.status, 200);
  assert.equal(call.headers['x-ratelimit-refusals-left'], undefined);
  now += 1000;
  for (let page = 0; page < 4; page++) assert.equal((await ask(client, '/')).status, 200);
  assert.equal((await ask(client, '/')).status, 429);
});

test('a client that the API has blocked still gets pages', async () => {
  const blocked = '203.0.113.4';
  for (let call = 0; call < 12; call++) await ask(blocked, '/api/stats', '*/*');
  assertError(await ask(blocked, '/api/stats', '*/*'), 429, /blocked/);
  assert.equal((await ask(blocked, '/')).status, 200);
});

test('a page with 25 pictures is below the limit of files', async () => {
  assert.ok(fileRule.burst > 25);
  for (let picture = 0; picture < 25; picture++)
    assert.equal((await ask('203.0.113.5', `/api/image/${uuid(4, 1)}/file`, 'image/*')).status, 302);
});
