/** Read replicas: used in turn, skipped when they are away or behind, and nobody notices. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { images, uuid } from '../support/catalogue.ts';
import { keyed } from '../support/import.ts';
import { findPostgres, installPostgres, unless } from '../support/needs.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { zukan } from '../support/program.ts';
import { startKnownService } from '../support/service.ts';

const skip = unless(findPostgres(), 'PostgreSQL', installPostgres);
if (!skip) {
  const primary = await startPostgres();
  const replicas = [await primary.replica(), await primary.replica()] as [Postgres, Postgres];
  after(async () => {
    for (const server of [...replicas, primary]) await server.discard();
  });
  const url = primary.newDatabase();
  const name = url.split('/').at(-1) as string;
  const environment = {
    DATABASE_URL: url,
    DATABASE_READ_URLS: replicas.map((replica) => replica.url(name)).join(),
  };
  const service = await startKnownService({ environment });
  const get = (path: string) => service.get(`/api${path}`);
  const count = async () => (await get('/stats')).json.data.images.count;
  const importLines = (lines: object[]) =>
    zukan(
      ['import', '-'],
      { ...environment, DATA_DIR: service.config.dataDir },
      lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    );

  /** The value of a figure for each server: the primary, then the replicas. */
  async function metrics(metric: string): Promise<number[]> {
    const { text, headers } = await service.get('/metrics');
    assert.match(headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/);
    assert.ok(!text.includes('postgres@'), 'no address with a user in it');
    return [...text.matchAll(new RegExp(`^zukan_database_${metric}\\{server="[^"]+"\\} (\\d+)$`, 'gm'))].map(
      (match) => Number(match[1]),
    );
  }

  /** Several clients call without a pause; every call must be answered well. */
  async function wellWhile(work: () => Promise<void>): Promise<number> {
    let isDone = false;
    let calls = 0;
    const paths = ['/image/random?limit=3', `/image/${uuid(4, 1)}`, '/category?search=%25', '/artist'];
    const client = async () => {
      while (!isDone) {
        const path = paths[calls++ % paths.length] as string;
        const { status, text } = await get(path);
        assert.equal(status, 200, `${path}: ${text}`);
      }
    };
    const clients = Promise.all([client(), client(), client(), client()]);
    await work();
    isDone = true;
    await clients;
    return calls;
  }

  test('replicas are read in turn, and the primary is left alone', async () => {
    while ((await metrics('reads_total'))[2] === 0) await get('/stats');
    const before = await metrics('reads_total');
    for (let call = 0; call < 40; call++) assert.equal(await count(), images.length);
    const [primary, ...others] = (await metrics('reads_total')).map(
      (reads, index) => reads - (before[index] ?? 0),
    );
    // Looking at the figures reads too: a token of the primary, and the size of the catalogue of the next replica.
    assert.equal(primary, 1);
    assert.deepEqual(others.sort(), [20, 21]);
    assert.deepEqual(await metrics('up'), [1, 1, 1]);
  });

  test('one is killed: no error at all; it is tried again when it is back', async () => {
    await wellWhile(async () => {
      await setTimeout(300);
      await replicas[0].stop('kill');
      await setTimeout(1500);
      assert.deepEqual(await metrics('up'), [1, 0, 1]);
      assert.deepEqual((await service.get('/health/ready')).json, {
        status: 'degraded',
        parts: { replicas: 'replica 1 does not answer: other servers are read instead' },
      });
    });
    await wellWhile(async () => {
      await replicas[1].stop('kill');
      await setTimeout(1000);
      assert.deepEqual(await metrics('up'), [1, 0, 0], 'the primary alone');
      await Promise.all(replicas.map((replica) => replica.start()));
      await setTimeout(2500);
      assert.deepEqual(await metrics('up'), [1, 1, 1]);
      assert.deepEqual((await service.get('/health/ready')).json, { status: 'ready' });
    });
  });

  test('one hangs: those that wait for it are answered by another, the rest do not even wait', async () => {
    replicas[1].signal('SIGSTOP');
    const slow: number[] = [];
    const begun = performance.now();
    await wellWhile(async () => {
      await setTimeout(3500);
      for (let call = 0; call < 20; call++) {
        const at = performance.now();
        assert.equal((await get('/stats')).status, 200);
        slow.push(performance.now() - at);
      }
    });
    assert.ok(slow.filter((took) => took < 200).length >= 19, slow.join());
    assert.ok(performance.now() - begun < 15_000);
    replicas[1].signal('SIGCONT');
  });

  test('both are behind: an import shows within a second all the same, and no answer goes back in time', async () => {
    for (const replica of replicas) replica.query('select pg_wal_replay_pause()');
    assert.equal((await importLines([keyed(1), keyed(2)])).status, 0);
    const done = performance.now();
    while ((await count()) !== images.length + 2) assert.ok(performance.now() - done < 1000);
    for (let call = 0; call < 20; call++) assert.equal(await count(), images.length + 2);
    assert.ok((await metrics('behind_total')).some((behind) => behind > 0));
    for (const replica of replicas) replica.query('select pg_wal_replay_resume()');
    await setTimeout(1000);
    const before = (await metrics('reads_total'))[0];
    for (let call = 0; call < 10; call++) assert.equal(await count(), images.length + 2);
    const own = 1;
    assert.equal(
      (await metrics('reads_total'))[0],
      (before ?? 0) + own,
      'they have caught up and are used again',
    );
  });

  test('the primary is away: what is in the replicas is served all the same', async () => {
    await primary.stop('kill');
    await wellWhile(() => setTimeout(500));
    const { status, json } = await service.get('/health/ready');
    assert.deepEqual([status, json.status, Object.keys(json.parts)], [200, 'degraded', ['tokens']]);
    assert.match(json.parts.tokens, /cannot be looked up/);
    await primary.start();
  });

  test('every instance follows an import within a second, whichever server it reads', async () => {
    const alone = await startKnownService({ environment: { DATABASE_URL: url } });
    const before = await count();
    assert.equal((await importLines([keyed(3)])).status, 0);
    const done = performance.now();
    for (const instance of [service, alone]) {
      const now = async () => (await instance.get('/api/stats')).json.data.images.count;
      while ((await now()) !== before + 1) assert.ok(performance.now() - done < 1000);
      assert.equal((await instance.get('/api/image/random?limit=25')).json.data.length, before + 1);
    }
  });
} else {
  test('read replicas', { skip }, () => {});
}
