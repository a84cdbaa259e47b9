/** PostgreSQL goes away and comes back, is slow, or is used up: 503 at most, soon, and never a wrong answer. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { assertError } from '../support/api.ts';
import { images, uuid } from '../support/catalogue.ts';
import { findPostgres, installPostgres, unless } from '../support/needs.ts';
import { psqlProgram, startPostgres } from '../support/postgres.ts';
import { type Answer, makeToken, startKnownService } from '../support/service.ts';

const skip = unless(findPostgres(), 'PostgreSQL', installPostgres);
if (!skip) {
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

  /** Calls without a pause, from several sides, until told to stop; a status for each. */
  function load() {
    let isDone = false;
    const seen: { at: number; status: number; took: number }[] = [];
    const client = async (first: number) => {
      for (let turn = first; !isDone; turn++) {
        const [path, isRight] = calls[turn % calls.length] as (typeof calls)[number];
        const at = performance.now();
        const answer = await service.get(path, token.headers);
        seen.push({ at, status: answer.status, took: performance.now() - at });
        if (answer.status === 503) {
          assertError(answer, 503);
          assert.equal(answer.headers['retry-after'], '1');
          await setTimeout(10);
        } else {
          assert.ok(isRight(answer), `${path} is answered with ${answer.status} ${answer.text}`);
        }
      }
    };
    const clients = Promise.all([0, 1, 2, 3, 4, 5].map(client));
    return async () => {
      isDone = true;
      await clients;
      return seen;
    };
  }

  for (const how of ['fast', 'kill'] as const) {
    test(`restarted under load (${how}): 503 while it is away, and back within two seconds`, async (t) => {
      const finish = load();
      await setTimeout(500);
      await postgres.stop(how);
      await setTimeout(700);
      await postgres.start();
      const back = performance.now();
      await setTimeout(2500);
      const seen = await finish();
      const failed = seen.filter(({ status }) => status === 503);
      const last = Math.max(...failed.map(({ at, took }) => at + took));
      t.diagnostic(
        `${failed.length} of ${seen.length} calls were 503, the last ${Math.round(last - back)} ms after it was back`,
      );
      assert.ok(failed.length > 0);
      assert.ok(last - back < 2000);
      assert.ok(seen.filter(({ at }) => at > back + 2000).length > 10);
      assert.ok(Math.max(...seen.map(({ took }) => took)) < 1000, 'nobody waits long');
    });
  }

  test('a pool that slow statements have used up: a soon 503, nothing piles up, and then all is well', async () => {
    const lock = spawn(psqlProgram(), ['-d', url, '-q']);
    lock.stdin.write('begin; lock table zukan.image in access exclusive mode; select 1;\n');
    await once(lock.stdout, 'data');
    const begun = performance.now();
    const asked = Array.from({ length: 60 }, async () => {
      const answer = await service.get(`/api/image/${uuid(4, 1)}`);
      return { status: answer.status, took: performance.now() - begun };
    });
    const live = await service.get('/health/live');
    assert.equal(live.status, 200);
    assert.ok(performance.now() - begun < 300, 'what needs no database is answered at once');
    const answers = await Promise.all(asked);
    assert.ok(answers.every(({ status }) => status === 503));
    // Three wait for their statement; the others only for a connection.
    const took = answers.map((answer) => answer.took).sort((a, b) => a - b);
    assert.ok((took[56] ?? 0) < 1000, `${took[56]} ms`);
    assert.ok((took[59] ?? 0) < 2600, `${took[59]} ms`);
    lock.stdin.end('commit;\n');
    await once(lock, 'close');
    assert.equal((await service.get(`/api/image/${uuid(4, 1)}`)).status, 200);
  });

  test('a statement that the server cancels is 503', async () => {
    const lock = spawn(psqlProgram(), ['-d', url, '-q']);
    lock.stdin.write('begin; lock table zukan.image in access exclusive mode; select 1;\n');
    await once(lock.stdout, 'data');
    const answer = service.get(`/api/image/${uuid(4, 1)}`);
    await setTimeout(200);
    postgres.query(`select pg_cancel_backend(pid) from pg_stat_activity where wait_event_type = 'Lock'`);
    assertError(await answer, 503);
    lock.stdin.end('commit;\n');
    await once(lock, 'close');
  });

  test('readiness tells that the database is away, and that it is back', async () => {
    assert.deepEqual((await service.get('/health/ready')).json, { status: 'ready' });
    await postgres.stop();
    const { status, json } = await service.get('/health/ready');
    assert.deepEqual([status, json.status], [503, 'unavailable']);
    assert.deepEqual(Object.keys(json.parts), ['catalogue', 'tokens']);
    const scrape = await service.get('/metrics');
    assert.equal(scrape.status, 200);
    assert.match(scrape.text, /^zukan_part_up\{part="catalogue"\} 0$/m);
    assert.match(scrape.text, /^zukan_database_up\{server="primary"\} 0$/m);
    assert.doesNotMatch(scrape.text, /zukan_catalogue_/);
    await postgres.start();
    assert.equal((await service.get('/health/ready')).status, 200);
  });
} else {
  test('PostgreSQL restarts', { skip }, () => {});
}
