/** Connections break or hang, or the database was restored from a backup: nothing is lost, nothing hangs. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createCatalogue, openWriter } from '../../src/server/engines.ts';
import { listen } from '../../src/store/drivers/postgres/connection.ts';
import { importStream, keyed } from '../support/catalogues/import.ts';
import { toLines, writeLines } from '../support/catalogues/lines.ts';
import { filesIn } from '../support/checks/dump.ts';
import { testDeep } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { describeOnPostgres, psql, startPostgres } from '../support/servers/postgres.ts';
import { startProxy } from '../support/servers/proxy.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { runCommand, serve, start } from '../support/zukan/program.ts';
import { configFor, filesFolder, startService } from '../support/zukan/service.ts';

describeOnPostgres('lost connections', async () => {
  const postgres = await startPostgres();
  after(() => postgres.discard());
  const serverPort = Number(new URL(postgres.url()).port);
  const proxy = await startProxy(serverPort);

  /** A new catalogue, reached directly and through the proxy. */
  function newCatalogue() {
    const folder = temporaryFolder();
    const environment = {
      DATABASE_URL: postgres.newDatabase(),
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'silent',
    };
    const proxied = {
      ...environment,
      DATABASE_URL: environment.DATABASE_URL.replace(String(serverPort), String(proxy.port)),
    };
    const run = (...command: string[]) => runCommand(command, environment);
    const create = () => createCatalogue(configFor(folder, environment));
    return { folder, environment, proxied, run, create };
  }
  const restoreProxy = () => {
    proxy.cut();
    proxy.isSilent = false;
  };
  /** Listens at one URL, with short intervals. Notifications are sent at the other. */
  function startListening(url: string, notifyUrl = url) {
    const received: number[] = [];
    const listening = listen({
      url,
      retryMs: 10,
      heartbeatMs: 20,
      timeoutMs: 1000,
      onRevision: (revision) => received.push(revision),
    });
    after(() => listening.close());
    let revision = 0;
    const untilNotified = () => {
      const first = revision + 1;
      return until('a notification arrives', () => {
        psql(notifyUrl, `notify zukan_revision, '${++revision}'`);
        return received.some((one) => one >= first);
      });
    };
    return { received, untilNotified };
  }
  test('a commit whose response is lost is reported, and the files of its images exist', async () => {
    const { folder, environment, proxied, run, create } = newCatalogue();
    writeTiny(folder, 'a.png', 1);
    writeLines(folder, 'a.ndjson', [{ type: 'image', file: 'a.png', nsfw: 'sfw' }]);
    await create();
    proxy.onSent = (bytes) => {
      if (!bytes.includes('commit\0')) return;
      proxy.onSent = () => {};
      // The server commits, but its response is swallowed.
      proxy.isSilent = true;
      const isCommitted = () => psql(environment.DATABASE_URL, 'select count(*) from zukan.image') === '1\n';
      void until('the import is committed', isCommitted).then(restoreProxy);
    };
    const { status, errors } = await runCommand(['import', '--quiet', join(folder, 'a.ndjson')], proxied);
    assert.equal(status, 1);
    assert.match(errors, /the connection was lost during the commit, so the change may or may not be saved/);
    assert.equal(JSON.parse((await run('stats', '--json')).output).images.count, 1);
    assert.equal((await run('check', '--quiet')).output, 'no problems found\n');
    assert.match((await run('import', '--quiet', join(folder, 'a.ndjson'))).output, /^0 added, 0 updated/);
  });

  test('an import that loses its connection does not remove files of a later import', async () => {
    const { folder, environment, run, create } = newCatalogue();
    writeTiny(folder, 'a.png', 1);
    const picture = { type: 'image', file: 'a.png', nsfw: 'sfw' };
    writeLines(folder, 'second.ndjson', [picture]);
    const config = configFor(folder, environment);
    await create();
    async function* open() {
      yield Buffer.from(toLines([picture]));
    }
    let openings = 0;
    const openAndLose = async () => {
      const writer = await openWriter(config);
      if (++openings > 1) return writer;
      const stored = filesIn(filesFolder(config)).filter((name) => name.includes('.png'));
      assert.equal(stored.length, 1, 'the file is stored before the catalogue is locked');
      postgres.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where state like 'idle in transaction%'`,
      );
      assert.match((await run('import', '--quiet', join(folder, 'second.ndjson'))).output, /^1 added/);
      return writer;
    };
    const first = importStream(config, folder, open, openAndLose);
    await assert.rejects(first, /^Error: PostgreSQL at 127/);
    assert.equal((await run('check', '--quiet')).output, 'no problems found\n');
  });

  testDeep('a server stops on SIGTERM even if the database hangs', async () => {
    const { proxied } = newCatalogue();
    const server = await serve(proxied);
    proxy.isSilent = true;
    assert.equal(await server.stop(), 0);
    restoreProxy();
  });

  testDeep('an import stops on SIGINT even if the database hangs', async () => {
    const { proxied, create } = newCatalogue();
    await create();
    const importing = start(['import', '-'], proxied);
    importing.stdin?.write(toLines([keyed(1)]));
    // The journal of the upload is the last thing it creates before it waits for more input.
    await until('the import waits for input', () => filesIn(join(proxied.DATA_DIR, 'files')).length > 0);
    proxy.isSilent = true;
    const ended = once(importing, 'close');
    importing.kill('SIGINT');
    assert.deepEqual((await ended)[0], 1);
    restoreProxy();
  });

  testDeep('invalid change notifications do no harm', async () => {
    const { folder, environment } = newCatalogue();
    await runCommand(['import', '-'], environment, toLines([{ type: 'artist', name: 'Ann' }, keyed(1)]));
    const service = await startService(configFor(folder, environment));
    const { received, untilNotified } = startListening(environment.DATABASE_URL);
    await untilNotified();
    const payloads = ['hello', '', '-1', '1e999', '9007199254740991'];
    for (const payload of payloads) psql(environment.DATABASE_URL, `notify zukan_revision, '${payload}'`);
    await until('all have arrived', () => received.includes(9007199254740991));
    for (const path of ['image/random', 'artist?search=%25', 'stats']) {
      const { status } = await service.get(`/api/${path}`);
      assert.equal(status, 200, path);
    }
  });

  test('change notifications arrive again after a broken or hung connection', async () => {
    const { environment, proxied } = newCatalogue();
    const { untilNotified } = startListening(proxied.DATABASE_URL, environment.DATABASE_URL);
    await untilNotified();
    proxy.cut();
    await untilNotified();
    proxy.isSilent = true;
    const zukanConnections = `select count(*) from pg_stat_activity
      where datname = current_database() and application_name = 'zukan'`;
    await until('the hung connection is given up', () => {
      return psql(environment.DATABASE_URL, zukanConnections) === '0\n';
    });
    proxy.isSilent = false;
    await untilNotified();
  });

  test('a catalogue restored from a backup and changed again is not confused with the one before', async () => {
    const { folder, environment } = newCatalogue();
    const tables = ['revision', 'shelf', 'image', 'image_shelves', 'shelf_block', 'size_block'];
    const importLines = (records: object[]) => runCommand(['import', '-'], environment, toLines(records));
    const change = (sql: (table: string) => string) =>
      psql(environment.DATABASE_URL, `begin; ${tables.map(sql).join(';')}; commit`);
    await importLines([{ type: 'category', name: 'a' }, keyed(1, { categories: ['a'] })]);
    // A busy machine may take seconds for a connection.
    const DATABASE_URL = `${environment.DATABASE_URL}?connect_timeout=60`;
    const service = await startService(configFor(folder, { ...environment, DATABASE_URL }));
    const random = async (category: string) => service.get(`/api/image/random?categories=${category}`);
    change((table) => `create table backup_${table} as table zukan.${table}`);
    await importLines([{ type: 'category', name: 'wrong' }, keyed(2, { categories: ['wrong', 'a'] })]);
    assert.equal((await random('wrong')).json.data.length, 1);
    change(
      (table) =>
        `delete from zukan.${table}; insert into zukan.${table} overriding system value table backup_${table}`,
    );
    assert.equal((await service.get('/api/stats')).json.data.images.count, 1);
    assert.equal((await random('wrong')).status, 400);
    await importLines([{ type: 'category', name: 'right' }, keyed(3, { categories: ['right'] })]);
    assert.equal((await random('right')).json.data.length, 1);
    assert.equal((await random('a')).json.data.length, 1);
    assert.equal((await random('wrong')).status, 400);
    assert.equal((await service.get('/api/category?search=%25')).headers['x-total-count'], '2');
  });
});
