/** Several instances on one Redis: one limit for all, and service goes on when Redis does not. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { writeKnownCatalogue } from '../support/catalogue.ts';
import { unless } from '../support/needs.ts';
import { type Running, serve, zukan } from '../support/program.ts';
import { findRedis, freePort, installRedis, type PrivateRedis, startRedis } from '../support/redis.ts';
import { send } from '../support/service.ts';
import { temporaryFolder } from '../support/workspace.ts';

const skip = unless(findRedis(), 'Redis', installRedis);
const folder = temporaryFolder();
const data = { DATA_DIR: join(folder, 'data') };
await zukan(['import', await writeKnownCatalogue(folder)], data);

let clients = 0;
const newClient = () => ({ 'X-Forwarded-For': `203.0.113.${clients++}` });

async function start(url: string): Promise<Running> {
  return serve({ ...data, RATE_LIMIT: 'on', REDIS_URL: url, TRUSTED_PROXIES: '127.0.0.1' });
}
const call = (server: Running, path: string, headers: Record<string, string>) =>
  send(new URL(path, server.origin), headers);

/** Within a few seconds. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries++) {
    assert.ok(tries < 100, 'it takes too long');
    await setTimeout(50);
  }
}

async function privateRedis(): Promise<PrivateRedis> {
  const redis = await startRedis();
  after(() => redis.kill());
  return redis;
}

test('a client that alternates between two instances gets one a second in all, and is blocked on both', {
  skip,
}, async () => {
  const { url } = await privateRedis();
  const instances = [await start(url), await start(url)];
  const client = newClient();
  const begun = Date.now();
  let allowed = 0;
  for (let request = 0; request < 9; request++) {
    const { status } = await call(instances[request % 2] as Running, '/api', client);
    if (status === 200) allowed++;
    await setTimeout(320);
  }
  assert.ok(allowed >= 2 && allowed <= Math.floor((Date.now() - begun + 100) / 1000) + 1, `${allowed}`);
  const answers = [];
  for (let request = 0; request < 12; request++)
    answers.push(await call(instances[request % 2] as Running, '/api', client));
  for (const instance of instances) {
    const { status, json } = await call(instance, '/api', client);
    assert.equal(status, 429);
    assert.match(json.message, /^You are blocked/);
  }
  for (const { child, ended } of instances) {
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
  }
});

test('Redis killed and started again under load: no 5xx, nobody waits, and it recovers by itself', {
  skip,
}, async () => {
  const redis = await privateRedis();
  const server = await start(redis.url);
  const health = async () => (await call(server, '/health/ready', {})).json;
  const ready = async () => (await health()).status;
  let isDone = false;
  const seen: { status: number; ms: number }[] = [];
  const load = async () => {
    while (!isDone) {
      const begun = performance.now();
      const { status } = await call(server, '/api/stats', {
        'X-Forwarded-For': `198.51.${(seen.length >> 8) & 255}.${seen.length & 255}`,
      });
      seen.push({ status, ms: performance.now() - begun });
      await setTimeout(5);
    }
  };
  const loading = Promise.all([load(), load(), load()]);
  await setTimeout(500);
  assert.equal(await ready(), 'ready');
  await redis.kill();
  await setTimeout(1000);
  assert.deepEqual(await health(), {
    status: 'degraded',
    parts: { limits: 'Redis is away: each instance limits on its own' },
  });
  assert.match((await call(server, '/metrics', {})).text, /^zukan_part_up\{part="limits"\} 0$/m);
  const client = newClient();
  assert.equal((await call(server, '/api', client)).status, 200);
  assert.equal((await call(server, '/api', client)).status, 429);
  await redis.start();
  await until(async () => (await ready()) === 'ready');
  isDone = true;
  await loading;
  assert.ok(seen.length > 300, `${seen.length} requests`);
  assert.deepEqual(
    seen.filter(({ status }) => status >= 500),
    [],
  );
  const longest = Math.max(...seen.map(({ ms }) => ms));
  assert.ok(longest < 100, `one request took ${longest} ms`);
  server.child.kill('SIGTERM');
  await server.ended;
  const told = server
    .output()
    .split('\n')
    .filter((line) => line.includes('Redis'));
  assert.equal(told.length, 2, told.join('\n'));
});

test('without any Redis at the address the service starts, serves and limits, and says so once', {
  skip,
}, async () => {
  const server = await start(`redis://127.0.0.1:${await freePort()}`);
  const client = newClient();
  const begun = performance.now();
  assert.equal((await call(server, '/api', client)).status, 200);
  assert.equal((await call(server, '/api', client)).status, 429);
  assert.ok(performance.now() - begun < 200);
  await until(async () => (await call(server, '/health/ready', {})).json.status === 'degraded');
  server.child.kill('SIGTERM');
  await server.ended;
  assert.equal(server.output().match(/Redis unavailable/g)?.length, 1);
});
