/** What /metrics counts. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { images, uuid } from '../support/catalogues/catalogue.ts';
import { parseMetrics, sampleIn } from '../support/checks/metrics.ts';
import { until } from '../support/until.ts';
import { makeToken, startKnownService } from '../support/zukan/service.ts';

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
