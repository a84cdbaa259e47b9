/** What /metrics counts, what the health check notices, and who may read them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { images, uuid } from '../support/catalogues/catalogue.ts';
import { parseMetrics, sampleIn } from '../support/checks/metrics.ts';
import { until } from '../support/until.ts';
import { assertError } from '../support/zukan/api.ts';
import {
  importKnownCatalogue,
  makeToken,
  type Service,
  startKnownService,
} from '../support/zukan/service.ts';
import { startWrapped } from '../support/zukan/wrapped-catalogue.ts';

let now = Date.parse('2026-05-01T00:00:00.000Z');
const environment = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' };
const service = await startKnownService({ clock: () => now, environment });
const exempt = await makeToken(service.config, ['api:ratelimit:disabled']);
const { headers } = exempt;

async function scrape() {
  const { status, headers, text } = await service.get('/metrics');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  return parseMetrics(text);
}

type Scrape = Awaited<ReturnType<typeof scrape>>;

/** The requests between two scrapes by "route status". Includes the first scrape, which is counted after its response. */
function requestsBetween(before: Scrape, after: Scrape): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const [key, { labels, value }] of after.get('zukan_http_requests_total')?.samples ?? []) {
    const more = value - sampleIn(before, key);
    if (more > 0) counted[`${labels.route} ${labels.status}`] = more;
  }
  return counted;
}

test('counts every request once, by route and status', async () => {
  const { json } = await service.get(`/api/image/${uuid(4, 1)}`, headers);
  const file = json.data.url as string;
  const before = await scrape();
  const calls: [path: string, headers?: Record<string, string>, method?: string][] = [
    ...[['/api'], ['/v1/'], ['/api', {}, 'HEAD'], ['/api', {}, 'OPTIONS'], ['/api', {}, 'POST']],
    ...[[`/api/image/${uuid(4, 1)}`], [`/v1/image/${uuid(4, 2)}`], ['/api/image/nonsense']],
    ...[['/api/image/random?limit=9', { 'Accept-Encoding': 'gzip' }], ['/api/token'], ['/api/nowhere']],
    ...[[file], [file, { Range: 'bytes=0-9' }], [`${file}x`], [file, {}, 'HEAD']],
    ...[['/nowhere'], ['/nowhere/else'], ['/', {}, 'PUT'], ['/health/live'], ['/openapi.json']],
  ] as typeof calls;
  for (const [path, more, method] of calls) await service.get(path, { ...headers, ...more }, method);
  const after = await scrape();
  assert.deepEqual(requestsBetween(before, after), {
    '/ 200': 3,
    '/ 204': 1,
    '/ 405': 1,
    '/image/{id} 200': 2,
    '/image/{id} 400': 1,
    '/image/random 200': 1,
    '/token 200': 1,
    'unknown 404': 3,
    '/gallery 405': 1,
    '/files/{name} 200': 2,
    '/files/{name} 206': 1,
    '/files/{name} 403': 1,
    '/health/live 200': 1,
    '/openapi.json 200': 1,
    '/metrics 200': 1,
  });
  for (const { labels, name, value } of after.get('zukan_http_request_duration_seconds')?.samples.values() ??
    []) {
    if (!name.endsWith('_count')) continue;
    const requests = [...(after.get('zukan_http_requests_total')?.samples.values() ?? [])];
    const own = requests.filter((sample) => sample.labels.route === labels.route);
    assert.equal(
      value,
      own.reduce((sum, sample) => sum + sample.value, 0),
      `of ${labels.route}`,
    );
  }
});

test('clients cannot add labels, and metrics contain no addresses, paths or secrets', async () => {
  const { length } = (await service.get('/metrics')).text.split('\n');
  for (let call = 0; call < 30; call++) {
    await service.get(`/api/image/${uuid(4, 900 + call)}?x="${call}`, headers);
    await service.get(`/made-up-${call}"}{%0a`);
    await service.get('/nowhere', { 'X-Forwarded-For': `203.0.113.${call}` }, 'GET');
  }
  const { text } = await service.get('/metrics');
  assert.ok(text.split('\n').length <= length + 2, 'at most one new status per route');
  for (const secret of ['203.0.113', '127.0.0.1', 'made-up', uuid(4, 900), exempt.secret])
    assert.ok(!text.includes(secret), secret);
});

test('counts rate limit decisions by outcome, and blocked clients until their block ends', async () => {
  const client = { 'X-Forwarded-For': '198.51.100.7' };
  const before = await scrape();
  await service.get('/api', headers);
  for (let call = 0; call < 13; call++) await service.get('/api', client);
  const after = await scrape();
  const more = (outcome: string) => {
    const key = `zukan_limiter_decisions_total{outcome="${outcome}"}`;
    return sampleIn(after, key) - sampleIn(before, key);
  };
  assert.deepEqual(['allowed', 'refused', 'blocked', 'exempt'].map(more), [1, 9, 3, 1]);
  assert.equal(sampleIn(after, 'zukan_limiter_blocked_clients'), 1);
  now += 3_599_000;
  assert.equal(sampleIn(await scrape(), 'zukan_limiter_blocked_clients'), 1);
  now += 2000;
  assert.equal(sampleIn(await scrape(), 'zukan_limiter_blocked_clients'), 0);
});

test('reports the same catalogue size as /stats', async () => {
  const { json } = await service.get('/api/stats', headers);
  const metrics = await scrape();
  for (const [kind, key] of Object.entries({ image: 'images', artist: 'artists', category: 'categories' }))
    assert.equal(sampleIn(metrics, `zukan_catalogue_records{kind="${kind}"}`), json.data[key].count);
  for (const [rating, count] of Object.entries(json.data.images.nsfw))
    assert.equal(sampleIn(metrics, `zukan_catalogue_images{rating="${rating}"}`), count);
});

test('images are in the cache soon after the start, and reading them counts hits', async () => {
  const fresh = await startKnownService();
  const cache = async () => {
    const metrics = parseMetrics((await fresh.get('/metrics')).text);
    return ['hits_total', 'misses_total', 'images', 'bytes'].map((name) =>
      sampleIn(metrics, `zukan_document_cache_${name}`),
    );
  };
  await until('the cache is filled', async () => (await cache())[2] === images.length);
  const sent = await fresh.get('/api/image/random?limit=25');
  const [hits, misses, , bytes = 0] = await cache();
  assert.deepEqual([hits, misses], [images.length, 0]);
  assert.ok(bytes > sent.bytes.length / 2 && bytes < sent.bytes.length * 4, `${bytes}`);
});

test('a blocked event loop shows as delay and as busy time', async () => {
  const delayed = (metrics: Scrape) =>
    sampleIn(metrics, 'zukan_event_loop_delay_seconds_count') -
    sampleIn(metrics, 'zukan_event_loop_delay_seconds_bucket{le="0.05"}');
  const active = (metrics: Scrape) => sampleIn(metrics, 'zukan_event_loop_active_seconds_total');
  const before = await scrape();
  // Longer than the interval of the samples and the bound of the bucket together.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
  await until('the delay is sampled', async () => delayed(await scrape()) > delayed(before));
  const after = await scrape();
  assert.ok(active(after) > active(before));
  assert.ok(sampleIn(after, 'process_start_time_seconds') < Date.now() / 1000);
});

test('counts malformed requests separately and gives them an id', async () => {
  const key = 'zukan_http_malformed_requests_total{status="400"}';
  const before = sampleIn(await scrape(), key);
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1').setEncoding('utf8');
  socket.write('nonsense\r\n\r\n');
  const [response] = await once(socket, 'data');
  assert.match(response, /^HTTP\/1\.1 400 [\s\S]*\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
  assert.equal(sampleIn(await scrape(), key), before + 1);
});

// What the health check notices, and how often it asks.

describe('/health/ready and /metrics share one check per second', async () => {
  const config = await importKnownCatalogue();
  let [calls, arrived, now] = [0, 0, 1_000_000];
  let respond = (statistics: () => Promise<unknown>) => statistics();
  const wrap = (catalogue: Catalogue): Catalogue =>
    new Proxy(catalogue, {
      get: (target, name) => {
        const method = Reflect.get(target, name).bind(target);
        if (name !== 'statistics') return method;
        calls++;
        return () => respond(method);
      },
    });
  const get = await startWrapped(config, wrap, () => {
    arrived++;
    return now;
  });
  const ask = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => get(n % 2 ? '/metrics' : '/health/ready')));

  test('one look for many requests, and another one a second later', async () => {
    for (const answer of [...(await ask(20)), ...(await ask(20))]) assert.equal(answer.status, 200);
    assert.equal(calls, 1);
    now += 1000;
    await ask(20);
    assert.equal(calls, 2);
  });

  test('looks again when the clock is set back', async () => {
    now -= 3_600_000;
    await ask(1);
    assert.equal(calls, 3);
  });

  test('never more than one at a time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    respond = (statistics) => promise.then(statistics);
    now += 1000;
    const first = ask(2);
    await until('the check runs', () => calls === 4);
    now += 5000;
    const before = arrived;
    const second = get('/health/ready');
    await until('the second request waits', () => arrived > before);
    resolve();
    await Promise.all([first, second]);
    assert.equal(calls, 4);
  });
});

// Who may read /metrics and the details of /health/ready.

/** A service whose tokens cannot be looked up. */
async function startDegraded(environment: Record<string, string>): Promise<Service> {
  const service = await startKnownService({ environment });
  const { tokensPath } = service.config.database as { tokensPath: string };
  using connection = new DatabaseSync(tokensPath);
  connection.exec('drop table token');
  return service;
}

async function assertAllowed(service: Service, headers = {}): Promise<void> {
  assert.equal((await service.get('/metrics', headers)).status, 200);
  const { status, json } = await service.get('/health/ready', headers);
  assert.deepEqual([status, json.status, Object.keys(json.parts)], [200, 'degraded', ['tokens']]);
}

async function assertHidden(service: Service, headers = {}): Promise<void> {
  const metrics = await service.get('/metrics', headers);
  assertError(metrics, 404);
  assert.equal(metrics.json.message, (await service.get('/nowhere', headers)).json.message);
  const { status, json } = await service.get('/health/ready', headers);
  assert.deepEqual([status, json], [200, { status: 'degraded' }]);
}

test('loopback only by default', async () => {
  await assertAllowed(await startDegraded({}));
});

test('METRICS_ALLOW replaces the default', async () => {
  await assertHidden(await startDegraded({ METRICS_ALLOW: '10.0.0.0/8' }));
});

test('behind a trusted proxy the address of the client counts', async () => {
  const service = await startDegraded({ TRUSTED_PROXIES: '127.0.0.1', METRICS_ALLOW: '10.0.0.5' });
  await assertAllowed(service, { 'X-Forwarded-For': '10.0.0.5' });
  await assertHidden(service, { 'X-Forwarded-For': '203.0.113.1' });
  await assertHidden(service, { 'X-Forwarded-For': '10.0.0.5, 203.0.113.1' });
  await assertHidden(service);
});

const byName = { Host: 'zukan.internal:3000' };
const browser = { 'Accept-Language': 'en' };

test('a page of another site gets nothing through the browser of an allowed client', async () => {
  const service = await startDegraded({ PUBLIC_URL: 'https://Pictures.example.org' });
  for (const headers of [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://example.org' },
    // A name that its owner has pointed at this machine.
    { Host: 'attacker.example', ...browser },
    { Host: 'attacker.example', 'Accept-Language': '' },
    { Host: 'attacker.example', 'Sec-Fetch-Site': 'same-origin' },
    { Host: '127.0.0.1.attacker.example', ...browser },
  ])
    await assertHidden(service, headers);
});

test('Prometheus may use any name, and people an address or PUBLIC_URL', async () => {
  const service = await startDegraded({ PUBLIC_URL: 'https://Pictures.example.org' });
  for (const headers of [
    byName,
    { Host: 'zukan:3000' },
    ...['127.0.0.1:3000', '[::1]', '10.0.0.5', 'localhost:80', 'pictures.example.org'].map((name) => ({
      Host: name,
      'Sec-Fetch-Site': 'none',
      ...browser,
    })),
  ])
    await assertAllowed(service, headers);
});

test('no CORS headers, not even for a preflight request', async () => {
  const service = await startDegraded({});
  for (const path of ['/metrics', '/health/live', '/health/ready', '/health/ready/'])
    for (const method of ['GET', 'OPTIONS', 'DELETE']) {
      const { headers } = await service.get(path, { Origin: 'https://example.org' }, method);
      const shared = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(shared, [], `${method} ${path}`);
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    }
});

test('a proxy on this machine that is not trusted does not open them', async () => {
  const service = await startDegraded({});
  await assertHidden(service, { 'X-Forwarded-For': '127.0.0.1' });
  await assertHidden(service, { 'X-Forwarded-For': '203.0.113.1' });
});
