/** Connections that break or fall silent, and a database that is not what it was: nothing is lost, nothing hangs. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openFiles, openWriter } from '../../src/engines.ts';
import { newId } from '../../src/import/id.ts';
import { runImport } from '../../src/import/run.ts';
import { catalogueFile } from '../../src/import/source.ts';
import { filesIn } from '../support/dump.ts';
import { keyed } from '../support/import.ts';
import { findPostgres, installPostgres, unless } from '../support/needs.ts';
import { psql, startPostgres } from '../support/postgres.ts';
import { serve, start, zukan } from '../support/program.ts';
import { startProxy } from '../support/proxy.ts';
import { configFor, filesFolder, startService } from '../support/service.ts';
import { writeTiny } from '../support/tiny.ts';
import { temporaryFolder } from '../support/workspace.ts';

const skip = unless(findPostgres(), 'PostgreSQL', installPostgres);
if (!skip) {
  const postgres = await startPostgres();
  after(() => postgres.discard());
  const serverPort = Number(new URL(postgres.url()).port);
  const proxy = await startProxy(serverPort);

  /** A new catalogue, reached directly and by way of the proxy. */
  function place() {
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
    const run = (...command: string[]) => zukan(command, environment);
    return { folder, environment, proxied, run };
  }
  const lines = (records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

  test('a commit whose answer is lost: told so, and the bytes of what it brought are there', async () => {
    const { folder, proxied, run } = place();
    writeTiny(folder, 'a.png', 1);
    writeFileSync(join(folder, 'a.ndjson'), lines([{ type: 'image', file: 'a.png', nsfw: 'sfw' }]));
    await run('stats');
    proxy.onSent = (bytes) => {
      if (!bytes.includes('commit\0')) return;
      proxy.onSent = () => {};
      // The server has it; its answer goes nowhere.
      proxy.isSilent = true;
      globalThis.setTimeout(() => {
        proxy.cut();
        proxy.isSilent = false;
      }, 300);
    };
    const { status, errors } = await zukan(['import', '--quiet', join(folder, 'a.ndjson')], proxied);
    assert.equal(status, 1);
    assert.match(errors, /the connection was lost during the commit: it may have taken place; do it again/);
    assert.equal(JSON.parse((await run('stats', '--json')).output).images.count, 1);
    assert.equal((await run('check', '--quiet')).output, 'no problems found\n');
    assert.match((await run('import', '--quiet', join(folder, 'a.ndjson'))).output, /^0 added, 0 updated/);
  });

  test('an import that loses its connection takes nothing from one that came after it', async () => {
    const { folder, environment, run } = place();
    writeTiny(folder, 'a.png', 1);
    const picture = { type: 'image', file: 'a.png', nsfw: 'sfw' };
    writeFileSync(join(folder, 'second.ndjson'), lines([picture]));
    const config = configFor(folder, environment);
    const [isWaiting, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* slowly() {
      // The artist has the picture before it saved, bytes and all.
      yield Buffer.from(lines([picture, { type: 'artist', name: 'Ann' }]));
      isWaiting.resolve();
      await goOn.promise;
      yield Buffer.from(lines([picture]));
    }
    const first = runImport([catalogueFile('first', folder, slowly)], () => openWriter(config), {
      files: openFiles(config),
      defaults: { now: '2026-01-01T00:00:00.000Z', newId: () => newId() },
      concurrency: 1,
      isDryRun: false,
      onProgress: () => {},
      report: { record: () => {}, duplicate: () => {} },
      signal: new AbortController().signal,
    });
    await isWaiting.promise;
    await setTimeout(100);
    assert.equal(filesIn(filesFolder(config)).filter((name) => name.includes('.png')).length, 1);
    postgres.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where state like 'idle in transaction%'`,
    );
    assert.match((await run('import', '--quiet', join(folder, 'second.ndjson'))).output, /^1 added/);
    goOn.resolve();
    await assert.rejects(first, /^Error: PostgreSQL at 127/);
    assert.equal((await run('check', '--quiet')).output, 'no problems found\n');
  });

  test('a server on a database that hangs stops when it is told to', async () => {
    const { proxied } = place();
    const server = await serve(proxied);
    proxy.isSilent = true;
    const begun = performance.now();
    server.child.kill('SIGTERM');
    assert.equal(await server.ended, 0);
    assert.ok(performance.now() - begun < 5000);
    proxy.cut();
    proxy.isSilent = false;
  });

  test('an import on a database that hangs stops when it is told to', async () => {
    const { proxied, run } = place();
    await run('stats');
    const importing = start(['import', '-'], proxied);
    importing.stdin?.write(lines([keyed(1)]));
    // Until it has begun, also on a machine that is busy.
    await setTimeout(3000);
    proxy.isSilent = true;
    const ended = once(importing, 'close');
    importing.kill('SIGINT');
    assert.deepEqual((await ended)[0], 1);
    proxy.cut();
    proxy.isSilent = false;
  });

  test('a port that is in use ends the program, connections and all', async () => {
    const { environment } = place();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const { status, errors } = await zukan(['serve'], { ...environment, PORT: String(port) });
    assert.deepEqual([status, errors], [1, `zukan: port ${port} is in use; set PORT to another one\n`]);
    taken.close();
  });

  test('anybody may announce anything: it changes no answer', async () => {
    const { folder, environment } = place();
    await zukan(['import', '-'], environment, lines([{ type: 'artist', name: 'Ann' }, keyed(1)]));
    const service = await startService(configFor(folder, environment));
    for (const payload of ['hello', '', '-1', '1e999', '9007199254740991'])
      psql(environment.DATABASE_URL, `notify zukan_revision, '${payload}'`);
    await setTimeout(200);
    for (const path of ['image/random', 'artist?search=%25', 'stats']) {
      const answer = await service.get(`/api/${path}`);
      assert.equal(answer.status, 200, path);
    }
  });

  test('a catalogue that was restored from a backup, and changed again, is not taken for the one before', async () => {
    const { folder, environment } = place();
    const tables = ['revision', 'shelf', 'image', 'placement'];
    const importLines = (records: object[]) => zukan(['import', '-'], environment, lines(records));
    const change = (sql: (table: string) => string) =>
      psql(environment.DATABASE_URL, `begin; ${tables.map(sql).join(';')}; commit`);
    await importLines([{ type: 'category', name: 'a' }, keyed(1, { categories: ['a'] })]);
    const service = await startService(configFor(folder, environment));
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
} else {
  test('lost connections', { skip }, () => {});
}
