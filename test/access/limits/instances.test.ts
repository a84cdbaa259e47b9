/** Several instances share one limit through Redis, and keep serving without it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { writeKnownCatalogue } from '../../support/catalogues/catalogue.ts';
import { unless } from '../../support/servers/needs.ts';
import { findRedis, installRedis, type PrivateRedis, startRedis } from '../../support/servers/redis.ts';
import { until } from '../../support/until.ts';
import { temporaryFolder } from '../../support/workspace.ts';
import { type Running, runCommand, serve } from '../../support/zukan/program.ts';
import { send } from '../../support/zukan/service.ts';

const skip = unless(findRedis(), 'Redis', installRedis);
const folder = temporaryFolder();
const data = { DATA_DIR: join(folder, 'data'), THUMBNAILS: 'off' };
await runCommand(['import', await writeKnownCatalogue(folder)], data);

/** Is not counted. */
const EXEMPT = '192.0.2.1';
let clients = 0;
const newClient = () => `203.0.113.${clients++}`;

async function startInstance(url: string, prefix = ''): Promise<Running> {
  const redis = { REDIS_URL: url, REDIS_PREFIX: prefix, RATE_LIMIT_EXEMPT: EXEMPT };
  return serve({ ...data, ...redis, RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' });
}

const get = (server: Running, path: string, client = newClient()) =>
  send(new URL(path, server.origin), { 'X-Forwarded-For': client });

const readHealth = async (server: Running) => (await send(new URL('/health/ready', server.origin))).json;

const readMetrics = async (server: Running) => (await send(new URL('/metrics', server.origin))).text;

async function stop({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
}

async function startPrivateRedis(): Promise<PrivateRedis> {
  const redis = await startRedis();
  after(() => redis.kill());
  return redis;
}

test('no request fails while Redis is missing at first, killed and started again under load', {
  skip,
}, async () => {
  const redis = await startPrivateRedis();
  await redis.kill();
  const server = await startInstance(redis.url);
  const healthIs = (expected: object) => async () => isDeepStrictEqual(await readHealth(server), expected);
  const parts = { limits: 'Redis unavailable; each instance limits on its own' };
  await until('the service is degraded', healthIs({ status: 'degraded', parts }));
  await assertLimited(server);
  assert.deepEqual(redisMessages(server), ['Redis unavailable; using the in-memory limiter']);
  await redis.start();
  await until('Redis is connected', healthIs({ status: 'ready' }));
  const statuses: number[] = [];
  let isDone = false;
  const load = async () => {
    while (!isDone)
      statuses.push(
        (await get(server, '/api/stats', `198.51.${statuses.length >> 8}.${statuses.length & 255}`)).status,
      );
  };
  const loading = Promise.all([load(), load(), load()]);
  const moreRequests = () => {
    const goal = statuses.length + 60;
    return until('more requests were answered', () => statuses.length > goal);
  };
  await moreRequests();
  await redis.kill();
  await until('the service is degraded', healthIs({ status: 'degraded', parts }));
  assert.match(await readMetrics(server), /^zukan_part_up\{part="limits"\} 0$/m);
  await moreRequests();
  await assertLimited(server);
  await redis.start();
  await until('the service is ready again', healthIs({ status: 'ready' }));
  await moreRequests();
  isDone = true;
  await loading;
  assert.deepEqual(
    statuses.filter((status) => status !== 200 && status !== 429),
    [],
  );
  await stop(server);
  const messages = redisMessages(server);
  assert.ok(messages.length >= 4, messages.join('\n'));
  for (const [index, message] of messages.entries())
    assert.match(message, index % 2 === 0 ? /^Redis unavailable/ : /^Redis available again/);
});

/** A client that never pauses is allowed at first and refused soon. */
async function assertLimited(server: Running): Promise<void> {
  const client = newClient();
  assert.equal((await get(server, '/api', client)).status, 200);
  await until('a request is refused', async () => (await get(server, '/api', client)).status === 429);
}

function redisMessages(server: Running): string[] {
  const lines = server.output().split('\n');
  return lines.filter((line) => line.includes('Redis')).map((line) => JSON.parse(line).msg);
}
