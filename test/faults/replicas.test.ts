/** Read replicas: used in turn, skipped while unavailable or behind, and used again. Every read is answered. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { Unavailable } from '../../src/lib/metrics.ts';
import { Servers } from '../../src/store/drivers/postgres/servers.ts';
import { images } from '../support/catalogues/catalogue.ts';
import { keyed } from '../support/catalogues/import.ts';
import { describeOnPostgres, type Postgres, psql, startPostgres } from '../support/servers/postgres.ts';
import { startProxy } from '../support/servers/proxy.ts';
import { until } from '../support/until.ts';
import { runCommand, serve } from '../support/zukan/program.ts';
import { send, startKnownService } from '../support/zukan/service.ts';

describeOnPostgres('read replicas', async () => {
  const primary = await startPostgres({ wal_retrieve_retry_interval: '100ms' });
  const replicas = [await primary.replica(), await primary.replica()] as const;
  after(async () => {
    for (const server of [...replicas, primary]) await server.discard();
  });
  const url = primary.newDatabase();
  const database = url.split('/').at(-1) as string;
  const secondReplica = new URL(replicas[1].url(database));
  const proxy = await startProxy(Number(secondReplica.port));
  secondReplica.port = String(proxy.port);
  const readUrls = [replicas[0].url(database), secondReplica.href];
  const environment = { DATABASE_URL: url, DATABASE_READ_URLS: readUrls.join() };
  const service = await startKnownService({ environment });

  const REVISION = 'select number from zukan.revision';
  const readRevision = (server: Postgres) => Number(psql(server.url(database), REVISION));
  const replicasCaughtUp = () =>
    until('the replicas have caught up', () =>
      replicas.every((replica) => readRevision(replica) === readRevision(primary)),
    );

  describe('reading', () => {
    let now = 0;
    let changes: string[] = [];
    beforeEach(async () => {
      await replicasCaughtUp();
      changes = [];
    });

    /** Time stands still unless a test moves it. */
    function openServers(timeout = 60_000) {
      const servers = new Servers({
        url,
        readUrls,
        connections: 10,
        clock: () => now,
        connectionTimeoutMs: timeout,
        statementTimeoutMs: timeout,
        skipFailedMs: 1000,
        skipStaleMs: 100,
        onChange: (server, isUnavailable) =>
          changes.push(`${server} ${isUnavailable ? 'unavailable' : 'available'}`),
      });
      after(() => servers.close());
      const read = async () => (await servers.read({ name: 'revision', text: REVISION }, [])).version;
      return {
        servers,
        read,
        readTimes: (count: number) => Promise.all(Array.from({ length: count }, read)),
        /** Of the primary and of each replica. */
        metric(name: string): number[] {
          const metric = servers.metrics().find((one) => one.name === `zukan_database_${name}`);
          return metric?.samples.map(({ value }) => value) ?? [];
        },
      };
    }

    test('uses the replicas in turn, and not the primary', async () => {
      const { readTimes, metric } = openServers();
      await readTimes(40);
      assert.deepEqual(metric('reads_total'), [0, 20, 20]);
      assert.deepEqual(metric('up'), [1, 1, 1]);
    });

    test('skips killed replicas, tries each with one request at a time, and uses them again', async () => {
      const { servers, read, readTimes, metric } = openServers();
      await readTimes(4);
      await replicas[0].stop('kill');
      for (let count = 0; count < 10; count++) await read();
      assert.deepEqual(metric('failures_total'), [0, 1, 0]);
      assert.deepEqual(metric('up'), [1, 0, 1]);
      assert.equal(servers.degradedReason(), 'replica 1 unavailable; reading from other servers');
      await replicas[1].stop('kill');
      for (let count = 0; count < 10; count++) await read();
      assert.deepEqual(metric('failures_total'), [0, 1, 1]);
      now += 1000;
      await readTimes(10);
      assert.deepEqual(metric('failures_total'), [0, 2, 2]);
      await Promise.all(replicas.map((replica) => replica.start()));
      await replicasCaughtUp();
      now += 1000;
      for (let count = 0; count < 4; count++) await read();
      assert.equal(servers.degradedReason(), undefined);
      assert.deepEqual(metric('up'), [1, 1, 1]);
      assert.deepEqual(changes.slice(0, 2), ['replica 1 unavailable', 'replica 2 unavailable']);
      assert.deepEqual(changes.slice(2).sort(), ['replica 1 available', 'replica 2 available']);
    });

    test('does not hang with a hung replica', async () => {
      const { servers, read, readTimes, metric } = openServers(2000);
      // Later, opening all connections at once could take longer than the timeout.
      await readTimes(20);
      proxy.isSilent = true;
      await readTimes(10);
      assert.equal(servers.degradedReason(), 'replica 2 unavailable; reading from other servers');
      const [, , failures = 0] = metric('failures_total');
      assert.ok(failures > 0);
      for (let count = 0; count < 10; count++) await read();
      assert.equal(metric('failures_total')[2], failures, 'skipped');
      now += 1000;
      await readTimes(10);
      assert.equal(metric('failures_total')[2], failures + 1, 'tried by one request');
      proxy.cut();
      proxy.isSilent = false;
      // One that is tried too early, or with a connection that was cut, is skipped once more.
      await until('the replica is used again', async () => {
        now += 1000;
        for (let count = 0; count < 2; count++) await read();
        return servers.degradedReason() === undefined;
      });
    });

    test('never goes back to an older revision when the replicas are behind', async () => {
      const { servers, read, metric } = openServers();
      const before = await read();
      for (const replica of replicas) replica.query('select pg_wal_replay_pause()');
      psql(url, 'update zukan.revision set number = number + 1');
      servers.noteRevision(before + 1);
      for (let count = 0; count < 10; count++) assert.equal(await read(), before + 1);
      assert.deepEqual(metric('behind_total'), [0, 1, 1]);
      assert.equal(metric('reads_total')[0], 10);
      for (const replica of replicas) replica.query('select pg_wal_replay_resume()');
      await replicasCaughtUp();
      now += 100;
      for (let count = 0; count < 10; count++) assert.equal(await read(), before + 1);
      assert.equal(metric('reads_total')[0], 10, 'the replicas are used again');
    });

    test('continues from the replicas while the primary is down', async () => {
      const { servers, readTimes } = openServers();
      await primary.stop('kill');
      await readTimes(10);
      await assert.rejects(servers.queryPrimary({ name: 'one', text: 'select 1' }, []), Unavailable);
      await until('the service reports that tokens are unavailable', async () => {
        const { status, json } = await service.get('/health/ready');
        return status === 200 && json.status === 'degraded' && Object.keys(json.parts).join() === 'tokens';
      });
      await primary.start();
      await replicasCaughtUp();
    });
  });

  test('the service reports an unavailable replica, and that it is available again', async () => {
    const readStatus = async () => JSON.stringify((await service.get('/health/ready')).json);
    const ready = JSON.stringify({ status: 'ready' });
    await until('the service is ready', async () => (await readStatus()) === ready);
    await replicas[0].stop('kill');
    const parts = { replicas: 'replica 1 unavailable; reading from other servers' };
    const degraded = JSON.stringify({ status: 'degraded', parts });
    await until('the service is degraded', async () => (await readStatus()) === degraded);
    const { text } = await service.get('/metrics');
    assert.match(text, /^zukan_database_up\{server="replica 1"\} 0$/m);
    assert.ok(!text.includes('postgres@'), 'the metrics do not contain user names');
    await replicas[0].start();
    await until('the service is ready again', async () => (await readStatus()) === ready);
  });

  test('every instance serves an import, whichever server it reads', async () => {
    const withoutReplicas = await startKnownService({ environment: { DATABASE_URL: url } });
    const DATA_DIR = service.config.dataDir;
    const { status } = await runCommand(
      ['import', '-'],
      { ...environment, DATA_DIR },
      JSON.stringify(keyed(3)),
    );
    assert.equal(status, 0);
    const expected = images.length + 1;
    for (const instance of [service, withoutReplicas]) {
      const readCount = async () => (await instance.get('/api/stats')).json.data.images.count;
      await until('the instance serves the import', async () => (await readCount()) === expected);
      const random = await instance.get('/api/image/random?limit=25');
      assert.equal(random.json.data.length, expected);
    }
  });

  test('a primary that is lost with a commit that no replica has is no outage', async () => {
    await replicasCaughtUp();
    const DATA_DIR = service.config.dataDir;
    const listen = { ...environment, DATA_DIR, PORT: '0', LOG_LEVEL: 'silent' };
    const statusOf = async (origin: string, path: string) => (await send(new URL(path, origin))).status;
    for (const replica of replicas) replica.query('select pg_wal_replay_pause()');
    const commit = await runCommand(['entry', 'category', 'catgirl', '--name', 'Lost'], {
      ...environment,
      DATA_DIR,
    });
    assert.equal(commit.status, 0, commit.errors);
    await until('the service knows of the commit', async () => {
      const { json } = await service.get('/api/category?search=Lost');
      return json.data.length === 1;
    });
    await primary.stop('kill');
    for (const path of ['/api/image/random', '/api/stats', '/api/category', '/', '/newest'])
      assert.equal((await service.get(path)).status, 200, path);
    assert.equal(
      (await service.get('/api/category?search=Lost')).json.data.length,
      0,
      'what the replicas have',
    );
    const { json } = await service.get('/health/ready');
    assert.equal(json.status, 'degraded');
    assert.match(json.parts.replicas, /^primary unavailable; serving what a replica has/);
    const restarted = await serve(listen);
    assert.equal(await statusOf(restarted.origin, '/api/image/random'), 200, 'an instance starts');
    assert.equal(await statusOf(restarted.origin, '/health/ready'), 200);

    for (const replica of replicas) replica.query('select pg_wal_replay_resume()');
    replicas[0].query('select pg_promote()');
    const promoted = await serve({ ...listen, DATABASE_URL: readUrls[0] as string, DATABASE_READ_URLS: '' });
    const tokens = await send(new URL('/api/token', promoted.origin), {
      authorization: `Bearer ${'x'.repeat(100)}`,
    });
    assert.equal(tokens.status, 401, 'tokens are looked up');
    assert.equal(await statusOf(promoted.origin, '/api/image/random'), 200);
    for (const server of [restarted, promoted]) assert.equal(await server.stop(), 0);
  });
});
