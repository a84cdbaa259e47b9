/** Processes that share one PostgreSQL start and write at the same time, are killed, or cannot connect. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { schema } from '../../src/store/drivers/postgres/schema.ts';
import { newestStep } from '../../src/store/migrations/migrations.ts';
import { images, writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { keyed } from '../support/catalogues/import.ts';
import { toLines } from '../support/catalogues/lines.ts';
import { shelfProblems } from '../support/checks/dump.ts';
import { atDepth, testDeep } from '../support/depth.ts';
import { unless } from '../support/servers/needs.ts';
import {
  describeOnPostgres,
  findPgbouncer,
  installPgbouncer,
  openSession,
  psql,
  startPooler,
  startPostgres,
} from '../support/servers/postgres.ts';
import { freePort } from '../support/servers/redis.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, serve, start, zukan } from '../support/zukan/program.ts';
import { send } from '../support/zukan/service.ts';

describeOnPostgres('processes on PostgreSQL', async () => {
  const postgres = await startPostgres({ max_connections: '100' });
  after(() => postgres.discard());
  const newCatalogue = () => ({
    DATABASE_URL: postgres.newDatabase(),
    DATA_DIR: join(temporaryFolder(), 'data'),
    LOG_LEVEL: 'silent',
  });
  /**
   * Waits for this number of sessions of zukan that meet a condition on pg_stat_activity. The server polls: starting psql
   * again and again takes more CPU time than the rest of the test.
   */
  const untilSessions = async (
    { DATABASE_URL }: { DATABASE_URL: string },
    count: number,
    condition = 'true',
  ) => {
    const waiting = await openSession(
      DATABASE_URL,
      `set statement_timeout to '60s';
       do $$ begin
         while (select count(*) from pg_stat_activity where datname = current_database()
                and application_name = 'zukan' and ${condition}) <> ${count} loop
           perform pg_stat_clear_snapshot(), pg_sleep(0.02);
         end loop;
       end $$`,
    );
    await waiting.close();
  };
  /** Makes the nth command of a migration wait until the returned session is closed. */
  function pauseMigration(url: string, command: number) {
    psql(
      url,
      `create sequence commands;
       create function pause() returns event_trigger language plpgsql as $$
         begin if nextval('public.commands') = ${command} then perform pg_advisory_lock(1); end if; end $$;
       create event trigger pause on ddl_command_end execute function pause()`,
    );
    return openSession(url, 'select pg_advisory_lock(1)');
  }

  test('several instances start at once on an empty database, and all serve', async () => {
    const INSTANCES = atDepth(2, 4);
    const environment = newCatalogue();
    const pause = await pauseMigration(environment.DATABASE_URL, 1);
    const started = Promise.all(Array.from({ length: INSTANCES }, () => serve(environment)));
    // One migrates and the others wait for it.
    await untilSessions(environment, INSTANCES, "wait_event_type = 'Lock'");
    await pause.close();
    const servers = await started;
    for (const { origin } of servers) {
      const { status, json } = await send(new URL('/api/stats', origin));
      assert.deepEqual([status, json.data.images.count], [200, 0]);
    }
    assert.equal(
      psql(environment.DATABASE_URL, 'select count(*) from zukan.migration'),
      `${newestStep(schema)}\n`,
    );
    for (const server of servers) assert.equal(await server.stop(), 0);
  });

  for (const command of atDepth([4], [1, 4, 9]))
    test(`a migration killed at its command ${command} leaves nothing half done`, async () => {
      const environment = newCatalogue();
      const { DATABASE_URL } = environment;
      const pause = await pauseMigration(DATABASE_URL, command);
      const child = start(['import', '-'], environment);
      child.stdin?.end();
      const ended = once(child, 'close');
      await untilSessions(environment, 1, "wait_event = 'advisory'");
      child.kill('SIGKILL');
      await ended;
      await pause.close();
      await untilSessions(environment, 0);
      psql(DATABASE_URL, 'drop event trigger pause');
      assert.equal(psql(DATABASE_URL, "select to_regnamespace('zukan') is null"), 't\n');
      const { status, errors } = await runCommand(['import', '-'], environment);
      assert.equal(status, 0, errors);
      assert.equal(psql(DATABASE_URL, 'select count(*) from zukan.shelf'), '13\n');
    });

  testDeep('of two imports at once, one waits for the other or is refused', async () => {
    const environment = newCatalogue();
    const SIZE = atDepth(200, 3000);
    const half = (from: number) =>
      toLines([
        { type: 'category', name: 'both' },
        ...Array.from({ length: SIZE }, (_, index) => keyed(from + index, { categories: ['both'] })),
      ]);
    const results = await Promise.all([
      zukan(['import', '--quiet', '-'], environment, half(0)),
      runCommand(['import', '--quiet', '-'], environment, half(SIZE)),
    ]);
    const succeeded = results.filter(({ status }) => status === 0).length;
    for (const { status, errors } of results)
      if (status !== 0) assert.match(errors, /another command is changing the catalogue; try again/);
    assert.ok(succeeded >= 1);
    const config = readConfig(environment);
    assert.deepEqual(shelfProblems(config), []);
    assert.equal(
      psql(environment.DATABASE_URL, 'select count(*) from zukan.image').trim(),
      String(succeeded * SIZE),
    );
  });

  testDeep('an import that waits for input keeps neither others nor readers waiting', async () => {
    const environment = newCatalogue();
    await runCommand(['import', '-'], environment, toLines([keyed(1)]));
    const waiting = start(['import', '-'], environment);
    waiting.stdin?.write(toLines([keyed(2)]));
    await untilSessions(environment, 1);
    const second = await runCommand(['import', '-'], environment, toLines([keyed(3)]));
    assert.deepEqual([second.status, second.output], [0, '1 added, 0 updated, 0 unchanged\n'], second.errors);
    const ended = once(waiting, 'close');
    waiting.stdin?.end();
    assert.equal((await ended)[0], 0);
    assert.equal(JSON.parse((await runCommand(['stats', '--json'], environment)).output).images.count, 3);
  });

  testDeep('a killed import changes nothing and releases the lock', async () => {
    const environment = newCatalogue();
    const folder = temporaryFolder();
    await runCommand(['import', await writeKnownCatalogue(folder)], environment);
    // The import waits after its first images.
    psql(
      environment.DATABASE_URL,
      `create function pause() returns trigger language plpgsql as $$
         begin perform pg_advisory_lock(1); return null; end $$;
       create trigger pause after insert on zukan.image for each statement execute function pause()`,
    );
    const pause = await openSession(environment.DATABASE_URL, 'select pg_advisory_lock(1)');
    const writing = start(['import', '-'], environment);
    writing.stdin?.end(toLines(Array.from({ length: 10 }, (_, index) => keyed(index))));
    const ended = once(writing, 'close');
    await untilSessions(environment, 1, "wait_event = 'advisory'");
    writing.kill('SIGKILL');
    await ended;
    await pause.close();
    await untilSessions(environment, 0);
    psql(environment.DATABASE_URL, 'drop trigger pause on zukan.image');
    assert.match((await runCommand(['import', '-'], environment, toLines([keyed(1)]))).output, /^1 added/);
    const stats = JSON.parse((await runCommand(['stats', '--json'], environment)).output);
    assert.equal(stats.images.count, images.length + 1);
    assert.deepEqual(shelfProblems(readConfig(environment)), []);
  });

  test('an unusable database is reported in one line, without its password', async () => {
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
      [at('postgres', 'guest'), /permission denied for database postgres; grant the user the privilege/],
      [at('latin'), /encoding is LATIN1; create the database with/],
    ];
    const unusable = { DATA_DIR: join(temporaryFolder(), 'data'), LOG_LEVEL: 'silent' };
    for (const [url, reason] of cases) {
      const isUnreachable = reason.source.includes('ECONN');
      for (const command of isUnreachable ? [['serve'], ['stats'], ['check']] : [['import', '-']]) {
        // A server that cannot start must also end its process.
        const run = command[0] === 'serve' ? zukan : runCommand;
        const { status, errors } = await run(command, { ...unusable, DATABASE_URL: url });
        assert.equal(status, 1);
        assert.match(errors, reason);
        assert.match(errors, /^zukan: [^\n]*\n$/);
        assert.ok(!errors.includes('very-secret'));
      }
    }
  });

  const skipPooled = unless(findPgbouncer(), 'PgBouncer', installPgbouncer);
  test('a pooler by transaction is refused, and one by session serves', { skip: skipPooled }, async (t) => {
    const environment = newCatalogue();
    for (const mode of ['transaction', 'session']) {
      const pooler = await startPooler(environment.DATABASE_URL, mode);
      t.after(() => pooler.close());
      const pooled = { ...environment, DATABASE_URL: pooler.url };
      if (mode === 'session') {
        await using server = await serve(pooled);
        assert.equal((await send(new URL('/api/stats', server.origin))).status, 200);
      } else {
        const { status, errors } = await zukan(['serve'], pooled);
        assert.equal(status, 1);
        assert.match(errors, /^zukan: PostgreSQL at [^ ]+: a pooler gives each .* pool_mode = session\n$/);
      }
    }
  });

  test('a catalogue of a newer version is not opened', async () => {
    const environment = newCatalogue();
    await runCommand(['import', '-'], environment);
    psql(environment.DATABASE_URL, 'insert into zukan.migration values (99)');
    const { status, errors } = await runCommand(['stats'], environment);
    assert.deepEqual(
      [status, /created by a newer version of zukan; upgrade/.test(errors)],
      [1, true],
      errors,
    );
  });
});
