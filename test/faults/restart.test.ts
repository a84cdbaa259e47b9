/** PostgreSQL restarts, hangs, or has no free connection: requests get a 503, never a wrong answer, and never hang. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Unavailable } from '../../src/lib/metrics.ts';
import { Servers, type ServersOptions } from '../../src/store/drivers/postgres/servers.ts';
import { images, uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { describeOnPostgres, openSession, startPostgres } from '../support/servers/postgres.ts';
import { startProxy } from '../support/servers/proxy.ts';
import { until } from '../support/until.ts';
import { assertError } from '../support/zukan/api.ts';
import { type Answer, makeToken, startKnownService } from '../support/zukan/service.ts';

describeOnPostgres('PostgreSQL restarts', async () => {
  const postgres = await startPostgres();
  after(() => postgres.discard());
  const url = postgres.newDatabase();
  const service = await startKnownService({
    environment: { DATABASE_URL: url, DATABASE_CONNECTIONS: '3' },
  });
  const token = await makeToken(service.config, ['image:list']);
  const calls: [path: string, isRight: (answer: Answer) => boolean][] = [
    ['/api/image/random?limit=25', ({ json }) => json.data.length === images.length],
    [`/api/image/${uuid(4, 1)}`, ({ json }) => json.data.id === uuid(4, 1)],
    ['/api/image?limit=2&offset=1', ({ json }) => json.data[0].id === uuid(4, 2)],
    ['/api/artist?search=%25a%25', ({ headers }) => headers['x-total-count'] === '2'],
    ['/api/stats', ({ json }) => json.data.images.count === images.length],
    ['/api/image/random?categories=nothing', ({ status }) => status === 400],
  ];
  const lockImages = () => openSession(url, 'begin; lock table zukan.image in access exclusive mode');
  const countLockWaits = () =>
    Number(postgres.query(`select count(*) from pg_stat_activity where wait_event_type = 'Lock'`));

  function openServers(options: Partial<ServersOptions>): Servers {
    const servers = new Servers({ url, readUrls: [], connections: 3, onChange: () => {}, ...options });
    after(() => servers.close());
    return servers;
  }
  const revision = { name: 'revision', text: 'select number from zukan.revision' };
  const countImages = {
    name: 'images',
    text: 'select number, (select count(*) from zukan.image) from zukan.revision',
  };

  async function assertUnavailable(reads: Promise<unknown>[]): Promise<void> {
    for (const outcome of await Promise.allSettled(reads))
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Unavailable);
  }

  /** Sends requests from several clients without a pause, and checks every response. */
  function startLoad() {
    let isDone = false;
    const statuses: number[] = [];
    const client = async (first: number) => {
      for (let turn = first; !isDone; turn++) {
        const [path, isRight] = calls[turn % calls.length] as (typeof calls)[number];
        const answer = await service.get(path, token.headers);
        statuses.push(answer.status);
        if (answer.status === 503) {
          assertError(answer, 503);
          assert.equal(answer.headers['retry-after'], '1');
          await setTimeout(10);
        } else {
          assert.ok(isRight(answer), `${path}: ${answer.status} ${answer.text}`);
        }
      }
    };
    const clients = Promise.all([0, 1, 2, 3, 4, 5].map(client));
    return {
      statuses,
      async stop() {
        isDone = true;
        await clients;
      },
    };
  }

  for (const how of atDepth(['kill'], ['fast', 'kill']) as ('fast' | 'kill')[]) {
    test(`a restart under load (${how}) gives 503 until PostgreSQL is back, and no wrong response`, async () => {
      const { statuses, stop } = startLoad();
      await until('requests are answered', () => statuses.length > 30);
      await postgres.stop(how);
      const stoppedAt = statuses.length;
      await until('requests get a 503', () => statuses.indexOf(503, stoppedAt) >= 0);
      await postgres.start();
      await until('requests are answered again', () => {
        const latest = statuses.slice(-30);
        return latest.length === 30 && !latest.includes(503);
      });
      await stop();
    });
  }

  test('requests beyond the connection limit fail, and those that have a connection are answered', async () => {
    const servers = openServers({ connectionTimeoutMs: 200, statementTimeoutMs: 600_000 });
    // Connecting may take longer than the timeout; this is not about that.
    await until('there are three connections', async () => {
      await Promise.allSettled([1, 2, 3].map(() => servers.read(revision, [])));
      const connections = servers.metrics().find(({ name }) => name === 'zukan_database_connections_idle');
      return connections?.samples[0]?.value === 3;
    });
    const lock = await lockImages();
    const [one, two, three, ...others] = Array.from({ length: 60 }, () => servers.read(countImages, []));
    await assertUnavailable(others);
    await until('three statements wait for the lock', () => countLockWaits() === 3);
    await lock.close();
    for (const read of [one, two, three]) assert.equal(Number((await read)?.rows[0]?.[1]), images.length);
  });

  test('a hung server makes reads fail, and they succeed once it responds again', async () => {
    const proxied = new URL(url);
    const proxy = await startProxy(Number(proxied.port));
    proxied.port = String(proxy.port);
    const servers = openServers({ url: proxied.href, statementTimeoutMs: 500 });
    const canRead = () =>
      servers.read(revision, []).then(
        () => true,
        () => false,
      );
    await until('reads succeed', canRead);
    proxy.isSilent = true;
    await assertUnavailable(Array.from({ length: 10 }, () => servers.read(revision, [])));
    proxy.cut();
    proxy.isSilent = false;
    await until('reads succeed again', canRead);
  });

  test('the URL says how long to wait for a connection', async () => {
    const proxied = new URL(url);
    const proxy = await startProxy(Number(proxied.port));
    proxied.port = String(proxy.port);
    proxied.searchParams.set('connect_timeout', '1');
    proxy.isSilent = true;
    await assertUnavailable([
      openServers({ url: proxied.href, connectionTimeoutMs: 600_000 }).read(revision, []),
    ]);
  });

  test('while a database is replaced and does not exist, reads fail as in other outages', async () => {
    await assertUnavailable([openServers({ url: postgres.url('replaced') }).read(revision, [])]);
  });

  test('/health/live needs no database, and requests that wait for a lock get a 503', async () => {
    const lock = await lockImages();
    // No cache has an image that does not exist.
    const requests = Array.from({ length: 10 }, () => service.get(`/api/image/${uuid(4, 999)}`));
    assert.equal((await service.get('/health/live')).status, 200);
    for (const request of requests) assertError(await request, 503);
    await lock.close();
    assert.equal((await service.get(`/api/image/${uuid(4, 1)}`)).status, 200);
  });

  test('a statement that the server cancels gives 503', async () => {
    const lock = await lockImages();
    const requests: ReturnType<typeof service.get>[] = [];
    let cancelled = 0;
    await until('a statement is cancelled', () => {
      // Looking may take so long that the statement of the request before has timed out.
      requests.push(service.get(`/api/image/${uuid(4, 999)}`));
      cancelled += postgres
        .query(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`)
        .trim().length;
      return cancelled > 0;
    });
    for (const request of requests) assertError(await request, 503);
    await lock.close();
  });

  test('readiness and metrics report that the database is down, and that it is back', async () => {
    await until(
      'the service is ready',
      async () => (await service.get('/health/ready')).json.status === 'ready',
    );
    await postgres.stop();
    const readHealth = () => service.get('/health/ready');
    await until('the service is not ready', async () => (await readHealth()).status === 503);
    const { json } = await readHealth();
    assert.equal(json.status, 'unavailable');
    assert.deepEqual(Object.keys(json.parts), ['catalogue', 'tokens']);
    const scrape = await service.get('/metrics');
    assert.equal(scrape.status, 200);
    assert.match(scrape.text, /^zukan_part_up\{part="catalogue"\} 0$/m);
    assert.match(scrape.text, /^zukan_database_up\{server="primary"\} 0$/m);
    assert.doesNotMatch(scrape.text, /zukan_catalogue_/);
    await postgres.start();
    await until('the service is ready', async () => (await service.get('/health/ready')).status === 200);
  });
});
