/** The limits over HTTP: of calls, files and pages. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { pageRule } from '../../src/access/rate.ts';
import { createApp } from '../../src/server/app.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { assertError } from '../support/zukan/api.ts';
import {
  type Answer,
  importKnownCatalogue,
  makeToken,
  type Service,
  send,
  startKnownService,
} from '../support/zukan/service.ts';

let now = Date.parse('2026-05-01T00:00:00.000Z');
const clock = () => now;
const environment = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' };
const service = await startKnownService({ clock, environment });

let clients = 0;
/** The headers of a new client. */
const newClient = () => ({ 'X-Forwarded-For': `203.0.${clients >> 8}.${clients++ & 255}` });

function assertRate(answer: Answer, remaining: string, seconds: string, limit = '1') {
  assert.equal(answer.headers['x-ratelimit-limit'], limit);
  assert.equal(answer.headers['x-ratelimit-remaining'], remaining);
  assert.equal(answer.headers['x-ratelimit-reset'], seconds);
  assert.equal(answer.headers['ratelimit-policy'], `"default";q=${limit};w=1`);
  assert.equal(answer.headers.ratelimit, `"default";r=${remaining};t=${seconds}`);
  for (const name of [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit',
    'X-RateLimit-Refusals-Left',
    'RateLimit-Policy',
    'Retry-After',
  ])
    assert.ok(answer.headers['access-control-expose-headers']?.includes(name), name);
}

test('rejects the second request within a second, and sends the time to wait', async () => {
  const client = newClient();
  const first = await service.get('/api/stats', client);
  assert.equal(first.status, 200);
  assertRate(first, '0', '1');
  assert.equal(first.headers['retry-after'], undefined);
  assert.equal(first.headers['x-ratelimit-refusals-left'], undefined);
  now += 300;
  const second = await service.get('/v1', client);
  assert.equal(second.status, 429);
  assertRate(second, '0', '1');
  assert.equal(second.headers['retry-after'], '1');
  assert.deepEqual(second.json, {
    code: 429,
    message:
      'Too many requests: the limit is one per second. Try again in 1 s. ' +
      '9 more refusals within this hour will block you for an hour.',
    success: false,
  });
  now += 600;
  const third = await service.get('/api/stats', client);
  const left = [second, third].map(({ headers }) => headers['x-ratelimit-refusals-left']);
  assert.deepEqual([third.status, ...left], [200, '9', '9']);
  now += 3_600_000;
  const later = await service.get('/api/stats', client);
  assert.equal(later.headers['x-ratelimit-refusals-left'], undefined);
});

test('redirects to files have a limit of their own, which blocks nobody', async () => {
  const client = newClient();
  const paths = ['/api/image/random/file', `/v1/image/${uuid(4, 1)}/file`];
  const take = (turn: number, headers = {}) => service.get(paths[turn % 2] ?? '', { ...client, ...headers });
  for (let turn = 0; turn < 30; turn++) {
    const { status, headers } = await take(turn);
    assert.equal(status, 302);
    const [left, wait] = [29 - turn, turn === 29 ? 1 : 0];
    assert.equal(headers['x-ratelimit-limit'], '30');
    assert.equal(headers['ratelimit-policy'], '"file";q=30;w=30');
    assert.equal(headers.ratelimit, `"file";r=${left};t=${wait}`);
  }
  const picture = { Accept: 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8' };
  for (let turn = 0; turn < 30; turn++) {
    const shown = await take(turn, picture);
    assert.equal(shown.status, 429);
    assert.equal(shown.headers['content-type'], 'image/svg+xml');
    assert.match(shown.text, /^<svg .*Try again in a moment\./);
  }
  const page = { Accept: 'text/html,image/avif,image/svg+xml,*/*;q=0.8' };
  for (const headers of [{}, page]) {
    const refused = await take(0, headers);
    assert.equal(refused.headers['retry-after'], '1');
    assert.match(refused.json.message, /^Too many pictures at once/);
  }
  assert.equal((await service.get('/api/stats', client)).status, 200);
  now += 1000;
  assert.deepEqual([(await take(0)).status, (await take(1)).status], [302, 429]);
});

test('the tenth violation blocks for an hour', async () => {
  const client = newClient();
  await service.get('/api', client);
  for (let violation = 1; violation <= 9; violation++) {
    const { headers, json } = await service.get('/api', client);
    assert.equal(headers['x-ratelimit-refusals-left'], String(10 - violation));
    assert.match(json.message, violation < 9 ? /^Too many requests.*refusals/ : /One more refusal within/);
  }
  const blocked = await service.get('/api', client);
  assert.deepEqual([blocked.status, blocked.headers['retry-after']], [429, '3600']);
  assert.equal(blocked.headers['x-ratelimit-refusals-left'], undefined);
  assert.match(blocked.json.message, /^You are blocked .* Try again in 3600 s\.$/);
  now += 1_800_000;
  const still = await service.get('/api', client);
  assert.deepEqual(
    [still.status, still.headers['retry-after'], still.headers['x-ratelimit-reset']],
    [429, '1800', '1800'],
  );
  now += 1_800_000;
  assert.equal((await service.get('/api', client)).status, 200);
});

describe('RATE_LIMIT=5', async () => {
  const exemptNetworks = '198.51.100.0/24, 2001:db8:5::/48';
  const fast = await startKnownService({
    clock,
    environment: { ...environment, RATE_LIMIT: '5', RATE_LIMIT_EXEMPT: exemptNetworks },
  });

  test('allows five requests at once and then one each 200 ms, and announces that', async () => {
    const client = newClient();
    for (const remaining of ['4', '3', '2', '1'])
      assertRate(await fast.get('/api', client), remaining, '0', '5');
    assertRate(await fast.get('/api', client), '0', '1', '5');
    const refused = await fast.get('/api', client);
    assert.equal(refused.status, 429);
    assertRate(refused, '0', '1', '5');
    assert.equal(refused.headers['retry-after'], '1');
    assert.match(refused.json.message, /^Too many requests: the limit is 5 per second\. Try again in 1 s\. /);
    for (let count = 0; count < 10; count++) {
      now += 200;
      assertRate(await fast.get('/api', client), '0', '1', '5');
    }
    now += 1000;
    assertRate(await fast.get('/api', client), '4', '0', '5');
  });

  test('exempts tokens and networks, with the headers of a client that has all requests left', async () => {
    const exempt = await makeToken(fast.config, ['api:ratelimit:disabled']);
    const clients = [
      { ...newClient(), ...exempt.headers },
      { 'X-Forwarded-For': '198.51.100.7' },
      { 'X-Forwarded-For': '2001:db8:5:1::7' },
    ];
    for (const client of clients) {
      for (let call = 0; call < 20; call++) {
        const answer = await fast.get('/api', client);
        assert.equal(answer.status, 200);
        assertRate(answer, '5', '0', '5');
      }
    }
    const { text } = await fast.get('/metrics', { 'X-Forwarded-For': '127.0.0.1' });
    assert.match(text, /^zukan_limiter_decisions_total\{outcome="exempt"\} 60$/m);
  });

  test('an exempt network needs valid tokens all the same', async () => {
    const client = { 'X-Forwarded-For': '198.51.100.8', Authorization: `Bearer ${'x'.repeat(100)}` };
    assert.equal((await fast.get('/api', client)).status, 401);
  });
});

test('an exempt network is not one that an unknown proxy hides', async () => {
  const own = await startKnownService({
    clock,
    environment: { RATE_LIMIT: 'on', RATE_LIMIT_EXEMPT: '127.0.0.1' },
  });
  for (let call = 0; call < 3; call++) assert.equal((await own.get('/api')).status, 200);
  assert.equal((await own.get('/api', newClient())).status, 200);
  assert.equal((await own.get('/api', newClient())).status, 429);
});

describe('the requests that count', () => {
  const counts: [string, string, string?][] = [
    ['an endpoint', '/api/stats'],
    ['HEAD', '/api/stats', 'HEAD'],
    ['a 400', '/api/image/42'],
    ['a 401', '/api/token'],
    ['a 404', `/api/image/${uuid(9, 9)}`],
    ['an unknown path', '/api/nowhere'],
    ['another method', '/v1/stats', 'POST'],
    ['an unknown path with an escaped prefix', '/%61pi/nowhere'],
  ];
  for (const [what, path, method] of counts) {
    test(`${what} counts, and has the rate-limit headers`, async () => {
      const client = newClient();
      assertRate(await service.get(path, client, method), '0', '1');
      assert.equal((await service.get(path, client, method)).status, 429);
    });
  }

  const free: [string, string, string?][] = [
    ['a preflight', '/api/stats', 'OPTIONS'],
    ['health', '/health/live'],
    ['an unknown path outside the prefixes', '/nowhere'],
  ];
  for (const [what, path, method] of free) {
    test(`${what} does not count`, async () => {
      const client = newClient();
      for (let call = 0; call < 3; call++) {
        const answer = await service.get(path, client, method);
        assert.notEqual(answer.status, 429);
        assert.equal(answer.headers['x-ratelimit-limit'], undefined);
      }
      assert.equal((await service.get('/api', client)).status, 200);
    });
  }

  test('files do not count', async () => {
    const client = newClient();
    const { json } = await service.get('/api/image/random?limit=1', client);
    for (let call = 0; call < 3; call++)
      assert.equal((await service.get(json.data[0].url, client)).status, 200);
  });
});

test('a block covers what SECURITY.md says: the API and the feeds', async () => {
  const client = newClient();
  const images = await service.get('/api/image/random?limit=1', client);
  const file = new URL(images.json.data[0].url).pathname + new URL(images.json.data[0].url).search;
  for (let refusal = 0; refusal < 10; refusal++) await service.get('/api/stats', client);
  const statusOf = async (path: string, headers = {}) =>
    (await service.get(path, { ...client, ...headers })).status;
  now += 1000;
  for (const path of ['/api', '/v1/stats', '/api/nothing', '/feed.xml', '/feed.json'])
    assert.equal(await statusOf(path), 429, path);
  const html = { Accept: 'text/html' };
  for (const path of [
    '/',
    '/docs',
    '/docs.css',
    '/docs.js',
    '/openapi.json',
    '/sitemap.xml',
    '/favicon.ico',
    file,
  ])
    assert.equal(await statusOf(path, html), 200, path);
  assert.equal(await statusOf('/api/image/random/file'), 302);
});

test('logs that a proxy hides its clients', async () => {
  const config = await importKnownCatalogue({ environment: { RATE_LIMIT: 'on' } });
  const app = await createApp(config, { clock });
  after(() => app.close());
  const warnings: string[] = [];
  app.log.warn = (fields, message) => warnings.push(`${(fields as { address: string }).address}: ${message}`);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  for (let minute = 0; minute < 3; minute++) {
    for (let call = 0; call < 20; call++) await send(new URL('/api', origin), newClient());
    now += 60_000;
  }
  assert.match(warnings.join('\n'), /^127\.0\.0\.1: most requests .*TRUSTED_PROXIES.*X-Forwarded-For$/);
});

test('exempts tokens with the scope only, and limits guessing of tokens', async () => {
  const exempt = await makeToken(service.config, ['api:ratelimit:disabled']);
  const client = newClient();
  for (let call = 0; call < 5; call++) {
    const answer = await service.get('/api/token', { ...client, ...exempt.headers });
    assert.equal(answer.status, 200);
    assertRate(answer, '1', '0');
  }
  const plain = await makeToken(service.config, ['image:list']);
  const second = newClient();
  assert.equal((await service.get('/api/token', { ...second, ...plain.headers })).status, 200);
  assert.equal((await service.get('/api/token', { ...second, ...plain.headers })).status, 429);
  const guesser = { ...newClient(), Authorization: `Bearer ${'x'.repeat(100)}` };
  const guess = async (s: Service = service) => (await s.get('/api/token', guesser)).status;
  assert.equal(await guess(), 401);
  assert.equal(await guess(), 429);
});

test('RATE_LIMIT=off limits nobody and sends no headers', async () => {
  const free = await startKnownService({ clock });
  for (let call = 0; call < 3; call++) {
    const answer = await free.get('/api');
    assert.equal(answer.status, 200);
    for (const name of ['x-ratelimit-limit', 'ratelimit', 'ratelimit-policy'])
      assert.equal(answer.headers[name], undefined);
  }
});

// The limit of pages: no visitor meets it, and a client that does is neither blocked nor a burden.

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
