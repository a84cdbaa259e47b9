/** Many processes on one PostgreSQL: they start at once, write at once, are killed, or cannot reach it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { readConfig } from '../../src/config/config.ts';
import { images, writeKnownCatalogue } from '../support/catalogue.ts';
import { shelfProblems } from '../support/dump.ts';
import { keyed } from '../support/import.ts';
import { findPostgres, installPostgres, unless } from '../support/needs.ts';
import { psql, startPostgres } from '../support/postgres.ts';
import { serve, start, zukan } from '../support/program.ts';
import { freePort } from '../support/redis.ts';
import { seededChance, send } from '../support/service.ts';
import { temporaryFolder } from '../support/workspace.ts';

const skip = unless(findPostgres(), 'PostgreSQL', installPostgres);
if (!skip) {
  const postgres = await startPostgres({ max_connections: '100' });
  after(() => postgres.discard());
  const place = () => ({
    DATABASE_URL: postgres.newDatabase(),
    DATA_DIR: join(temporaryFolder(), 'data'),
    LOG_LEVEL: 'silent',
  });
  const lines = (records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

  test('ten instances start at once on an empty database, and all serve', async () => {
    const environment = place();
    const servers = await Promise.all(Array.from({ length: 10 }, () => serve(environment)));
    for (const { origin } of servers) {
      const { status, json } = await send(new URL('/api/stats', origin));
      assert.deepEqual([status, json.data.images.count], [200, 0]);
    }
    assert.equal(psql(environment.DATABASE_URL, 'select count(*) from zukan.migration'), '1\n');
    for (const { child, ended } of servers) {
      child.kill('SIGTERM');
      assert.equal(await ended, 0);
    }
  });

  test('a migration that is killed at any moment leaves nothing half done', async () => {
    const randomInt = seededChance(6);
    let interrupted = 0;
    for (let round = 0; round < 8; round++) {
      const environment = place();
      // Each command of the migration takes its time, so that most kills come in the middle.
      psql(
        environment.DATABASE_URL,
        `create function slow() returns event_trigger language plpgsql as 'begin perform pg_sleep(0.05); end';
         create event trigger slow on ddl_command_end execute function slow()`,
      );
      const child = start(['stats'], environment);
      const ended = once(child, 'close');
      await setTimeout(300 + randomInt(700));
      child.kill('SIGKILL');
      await ended;
      psql(environment.DATABASE_URL, 'drop event trigger slow');
      interrupted += Number(
        psql(environment.DATABASE_URL, "select (to_regclass('zukan.shelf') is null)::int"),
      );
      const { status, errors } = await zukan(['stats'], environment);
      assert.equal(status, 0, errors);
      assert.equal(psql(environment.DATABASE_URL, 'select count(*) from zukan.shelf'), '7\n');
    }
    assert.ok(interrupted > 2, `${interrupted} of 8`);
  });

  test('two importers at once: one waits for the other, or is told', async () => {
    const environment = place();
    const half = (from: number) =>
      lines([
        { type: 'category', name: 'both' },
        ...Array.from({ length: 2000 }, (_, index) => keyed(from + index, { categories: ['both'] })),
      ]);
    const results = await Promise.all([
      zukan(['import', '--quiet', '-'], environment, half(0)),
      zukan(['import', '--quiet', '-'], environment, half(2000)),
    ]);
    const done = results.filter(({ status }) => status === 0).length;
    for (const { status, errors } of results)
      if (status !== 0) assert.match(errors, /another command is changing the catalogue; try again/);
    assert.ok(done >= 1);
    const config = readConfig(environment);
    assert.deepEqual(shelfProblems(config), []);
    assert.equal(
      psql(environment.DATABASE_URL, 'select count(*) from zukan.image').trim(),
      String(done * 2000),
    );
  });

  test('while one writes, a second is refused after a while, and readers go on', async () => {
    const environment = place();
    await zukan(['import', '-'], environment, lines([keyed(1)]));
    const writing = start(['import', '-'], environment);
    writing.stdin?.write(lines([keyed(2)]));
    await setTimeout(1500);
    const [second, stats] = await Promise.all([
      zukan(['import', '-'], environment, lines([keyed(3)])),
      zukan(['stats', '--json'], environment),
    ]);
    assert.equal(JSON.parse(stats.output).images.count, 1);
    assert.deepEqual(
      [second.status, second.errors],
      [1, 'zukan: another command is changing the catalogue; try again when it is done\n'],
    );
    const ended = once(writing, 'close');
    writing.stdin?.end();
    assert.equal((await ended)[0], 0);
    assert.equal(JSON.parse((await zukan(['stats', '--json'], environment)).output).images.count, 2);
  });

  test('an import that is killed leaves the old catalogue, and the lock to the next one', async () => {
    const environment = place();
    const folder = temporaryFolder();
    await zukan(['import', await writeKnownCatalogue(folder)], environment);
    const writing = start(['import', '-'], environment);
    writing.stdin?.on('error', () => {});
    writing.stdin?.write(lines(Array.from({ length: 3000 }, (_, index) => keyed(index))));
    await setTimeout(1500);
    writing.kill('SIGKILL');
    await once(writing, 'close');
    assert.match((await zukan(['import', '-'], environment, lines([keyed(1)]))).output, /^1 added/);
    const stats = JSON.parse((await zukan(['stats', '--json'], environment)).output);
    assert.equal(stats.images.count, images.length + 1);
    assert.deepEqual(shelfProblems(readConfig(environment)), []);
  });

  test('a database that cannot be used is told of in one line, without its password', async () => {
    const port = await freePort();
    psql(
      postgres.url(),
      "create role guest login password 'guessed'; create database latin encoding 'LATIN1' template template0",
    );
    const at = (database: string, user = 'postgres') =>
      `postgres://${user}:very-secret@127.0.0.1:${new URL(postgres.url()).port}/${database}`;
    const cases: [string, RegExp][] = [
      [`postgres://me:very-secret@127.0.0.1:${port}/zukan`, /127\.0\.0\.1:\d+\/zukan: .*ECONNREFUSED/],
      [at('nowhere'), /database "nowhere" does not exist/],
      [at('postgres', 'guest'), /permission denied for database postgres; grant the user the right/],
      [at('latin'), /encoding is LATIN1; make the database with/],
    ];
    for (const [url, reason] of cases) {
      for (const command of reason.source.includes('ECONN') ? ['serve', 'stats', 'check'] : ['stats']) {
        const { status, errors } = await zukan([command], { ...place(), DATABASE_URL: url });
        assert.equal(status, 1);
        assert.match(errors, reason);
        assert.match(errors, /^zukan: [^\n]*\n$/);
        assert.ok(!errors.includes('very-secret'));
      }
    }
  });

  test('a catalogue of a newer version is left alone', async () => {
    const environment = place();
    await zukan(['stats'], environment);
    psql(environment.DATABASE_URL, 'insert into zukan.migration values (99)');
    const { status, errors } = await zukan(['stats'], environment);
    assert.deepEqual([status, /made by a newer zukan; upgrade/.test(errors)], [1, true], errors);
  });
} else {
  test('processes on PostgreSQL', { skip }, () => {});
}
