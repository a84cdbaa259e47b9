/** Who may read /metrics and the details of /health/ready. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { assertError } from '../support/zukan/api.ts';
import { type Service, startKnownService } from '../support/zukan/service.ts';

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
