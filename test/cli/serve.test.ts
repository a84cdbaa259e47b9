/** `zukan serve`: how it starts, what it logs and imports, and how it stops under load. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import sharp from 'sharp';
import { createApp, shutDown } from '../../src/server/app.ts';
import { writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { atDepth, testDeep } from '../support/depth.ts';
import { writeTiny } from '../support/pictures/tiny.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { startPacedLoad } from '../support/zukan/paced-load.ts';
import { type Running, runCommand, serve } from '../support/zukan/program.ts';
import { configFor } from '../support/zukan/service.ts';

const folder = temporaryFolder();
const config = configFor(folder);
const environment = { DATA_DIR: config.dataDir };
/** Larger than the buffers of a connection, so its download cannot finish unless the client reads. */
const LARGE = { id: 'aaaaaaaa-0000-4000-8000-000000000000', width: 2400, height: 2000 };

before(async () => {
  const raw = { width: LARGE.width, height: LARGE.height, channels: 3 as const };
  const noise = sharp(randomBytes(LARGE.width * LARGE.height * 3), { raw });
  await noise.png({ compressionLevel: 0 }).toFile(join(folder, 'large.png'));
  const catalogue = join(folder, 'large.ndjson');
  await writeFile(catalogue, JSON.stringify({ type: 'image', file: 'large.png', nsfw: 'sfw', id: LARGE.id }));
  await importFiles(config, [await writeKnownCatalogue(folder), catalogue]);
});

/** Requests the large image and reads nothing of it yet. */
async function startDownload(origin: string) {
  const { data } = (await (await fetch(`${origin}/api/image/${LARGE.id}`)).json()) as {
    data: { url: string; meta: { size: number } };
  };
  assert.ok(data.meta.size > 10_000_000);
  // Without an agent the connection closes after the download, and the shutdown does not wait for it to become idle.
  const [download] = (await once(get(data.url, { agent: false }), 'response')) as [IncomingMessage];
  download.pause();
  return { download, size: data.meta.size };
}

test('prints its address and two example calls that work, and --host and --port win over the settings', async () => {
  const server = await serve({ ...environment, HOST: '127.0.0.2', PORT: '1' }, [
    ...['--host', '127.0.0.3', '--port', '0'],
  ]);
  assert.match(server.origin, /^http:\/\/127\.0\.0\.3:\d{2,}$/);
  const [first = '', ...rest] = server.output().split('\n');
  assert.match(first, /^zukan v\d+\.\d+\.\d+ .*http:\/\/127\.0\.0\.3:\d+$/);
  const calls = [...rest.join('\n').matchAll(/curl "([^"]+)"/g)].map((match) => match[1] as string);
  assert.equal(calls.length, 2);
  for (const call of calls) assert.equal((await fetch(call)).status, 200);
  assert.equal(await server.stop(), 0);
  for (const port of ['', 'x', '65536']) {
    const { status, errors } = await runCommand(['serve', '--port', port], environment);
    assert.deepEqual([status, errors], [2, `zukan: --port ${port}: must be a number from 0 to 65535\n`]);
  }
});

test('logs each request as one line of JSON, without the query', async () => {
  const server = await serve(environment);
  const { data } = (await (await fetch(`${server.origin}/api/image/random?limit=1`)).json()) as {
    data: [{ url: string }];
  };
  await (await fetch(data[0].url)).arrayBuffer();
  await (await fetch(`${server.origin}/nowhere?secret=1`)).arrayBuffer();
  await server.stop();
  // Sorted, because a file is logged after its last byte was sent: the client may send the next request earlier.
  const entries = server.log().sort((a, b) => (a.path < b.path ? -1 : 1));
  assert.deepEqual(
    entries.map(({ level, method, path, status }) => [
      level,
      method,
      path.replace(/[0-9a-f-]{36}\.\w+/, 'file'),
      status,
    ]),
    [
      ['info', 'GET', '/api/image/random', 200],
      ['info', 'GET', '/files/file', 200],
      ['info', 'GET', '/nowhere', 404],
    ],
  );
  for (const { request, ms, time } of entries) {
    assert.match(request, /^[0-9a-f-]{36}$/);
    assert.ok(ms >= 0 && Date.parse(time) > 0);
  }
  assert.ok(!server.output().includes('signature'));
});

test('SIGTERM lets a download finish and accepts no new connections', async () => {
  const server = await serve(environment);
  const { download, size } = await startDownload(server.origin);
  server.child.kill('SIGTERM');
  await assert.rejects(async () => {
    for (;;) await fetch(`${server.origin}/health/live`);
  });
  let received = 0;
  for await (const chunk of download) received += chunk.length;
  assert.equal(received, size);
  assert.equal(await server.ended, 0);
});

test('a shutdown ends downloads that are still running after the timeout', async () => {
  const app = await createApp(config);
  const { download } = await startDownload(await app.listen({ host: '127.0.0.1', port: 0 }));
  await shutDown(app, 1);
  await assert.rejects(download.toArray(), { code: 'ECONNRESET' });
});

// Stopping under load: idle connections are closed soon, and no request that was accepted is reset.

/** Far longer than the test may take: the timeout must not be what ends a shutdown. */
const NEVER_MS = 600_000;
const IDLE_MS = 20_000;
const request = 'GET /api/stats HTTP/1.1\r\nHost: x\r\n\r\n';

async function start() {
  const app = await createApp(config);
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const open = () => connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('utf8');
  return { app, origin, open };
}

test('closes a connection that becomes idle after the signal', async () => {
  const { app, open } = await start();
  const arrived = once(app.server, 'request');
  const socket = open();
  socket.write(request);
  await arrived;
  // The request was accepted before the signal, so its response does not tell the client to close.
  const [[response]] = await Promise.all([once(socket, 'data'), shutDown(app, NEVER_MS)]);
  assert.match(response, /^HTTP\/1\.1 200 /);
});

test('an idle connection gets a response to one more request, and is told to close', async () => {
  const { app, open } = await start();
  const socket = open();
  socket.write(request);
  await once(socket, 'data');
  const stopped = app.close(IDLE_MS);
  await until('it accepts no connections', () => !app.server.listening);
  socket.write(request);
  const [response] = await once(socket, 'data');
  assert.match(response, /^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/i);
  await once(socket, 'close');
  await stopped;
});

test('responds on all connections that the system has accepted', async () => {
  const { app, open } = await start();
  const sockets = Array.from({ length: 50 }, open);
  const responses = sockets.map(async (socket) => {
    socket.write(request);
    return (await once(socket, 'data'))[0];
  });
  // Time for the system to accept all of them, but for the server to accept a few.
  await setImmediate();
  await shutDown(app, NEVER_MS);
  for (const response of await Promise.all(responses)) assert.match(response, /^HTTP\/1\.1 200 /);
});

test('stops under a paced load reset no request', async () => {
  const total = new Map<string, number>();
  for (let stop = 0; stop < atDepth(2, 5); stop++) {
    const { app, origin } = await start();
    const load = startPacedLoad(`${origin}/api/stats`);
    await until('requests are served', () => load.answered() > 10 + stop);
    // Longer than the half second of a server: the client may be late on a busy machine.
    await app.close(IDLE_MS);
    for (const [outcome, count] of await load.stop()) total.set(outcome, (total.get(outcome) ?? 0) + count);
  }
  const { 200: served = 0, ECONNREFUSED: refused = 0, ...others } = Object.fromEntries(total);
  assert.deepEqual(others, {}, `${served} served, ${refused} refused`);
});

// IMPORT_ON_START: `zukan serve` imports a folder while it serves.

const serveImporting = (path: string, parameters: string[] = []): Promise<Running> =>
  serve({ DATA_DIR: temporaryFolder(), THUMBNAILS: 'off', IMPORT_ON_START: path }, parameters);

const stop = async (server: Running) => assert.equal(await server.stop(), 0);

const countImages = async ({ origin }: Running) => {
  const { data } = (await (await fetch(`${origin}/api/stats`)).json()) as {
    data: { images: { count: number } };
  };
  return data.images.count;
};

test('imports a folder with the settings of a file and IMPORT_OPTIONS, and skips and lists bad files', async () => {
  const pictures = temporaryFolder();
  writeTiny(pictures, '1.png', 1);
  writeFileSync(join(pictures, 'empty.png'), '');
  const settings = join(temporaryFolder(), 'settings.env');
  const lines = [`DATA_DIR=${temporaryFolder()}`, 'THUMBNAILS=off', `IMPORT_ON_START=${pictures}`];
  writeFileSync(settings, [...lines, 'IMPORT_OPTIONS=--default-rating=questionable --prune\n'].join('\n'));
  const server = await serve({}, ['--settings', settings]);
  await until('the import has ended', () => server.output().includes('"msg":"import finished'));
  const logged = server.output().match(/.*"msg":"import .*/g) ?? [];
  assert.equal(logged.length, 1);
  assert.match(
    String(logged),
    /"level":"warn".*"leftOut":\["1 invalid picture or record left out.*left something out"/,
  );
  assert.equal(await countImages(server), 1);
  assert.match(server.errors(), /1 added, 0 updated, 0 unchanged, 0 removed/);
  assert.match(server.errors(), /1 picture without a rating imported as questionable/);
  assert.match(server.errors(), /skipped \(invalid\):\n {2}.*empty\.png: /);
  await stop(server);
});

testDeep('--watch follows the folder until the server stops', async () => {
  const pictures = temporaryFolder();
  writeTiny(pictures, '1.png', 1);
  const server = await serveImporting(pictures, ['--watch']);
  await until('the first picture is imported', async () => (await countImages(server)) === 1);
  writeTiny(pictures, '2.png', 2);
  await until('the second picture is imported', async () => (await countImages(server)) === 2);
  await stop(server);
  assert.doesNotMatch(server.output(), /import f/);
});

test('--watch needs a folder', async () => {
  const { status, errors } = await runCommand(['serve', '--watch'], { DATA_DIR: temporaryFolder() });
  assert.equal(status, 2);
  assert.match(errors, /set IMPORT_ON_START/);
});

test('a wrong IMPORT_OPTIONS is a wrong setting', async () => {
  const wrong = {
    '--default-ratin=sfw': /IMPORT_OPTIONS: unknown option '--default-ratin=sfw'/,
    '--default-rating=wild': /IMPORT_OPTIONS: .*Allowed choices are sfw/,
    '--yes': /IMPORT_OPTIONS: --yes confirms what --prune removes/,
    '--dry-run': /IMPORT_OPTIONS: unknown option/,
    '/pictures': /IMPORT_OPTIONS: too many arguments/,
    "--prune '": /IMPORT_OPTIONS: a quotation mark is missing/,
    '--help': /IMPORT_OPTIONS: unknown option/,
  };
  for (const [options, message] of Object.entries(wrong)) {
    const environment = { DATA_DIR: temporaryFolder(), IMPORT_OPTIONS: options, PORT: 'x' };
    const { status, output, errors } = await runCommand(['serve'], environment);
    assert.equal(status, 2);
    assert.equal(output, '');
    assert.match(errors, message);
    assert.match(errors, /PORT: must be/, 'all that is wrong is listed');
  }
});

test('serves what it has if the import fails, and logs why', async () => {
  const missing = join(temporaryFolder(), 'missing');
  const server = await serveImporting(missing);
  await until('the import has failed', () => server.output().includes('"msg":"import failed; '));
  assert.ok(server.errors().includes(`${missing}: no such file or folder`));
  assert.equal(await countImages(server), 0);
  await stop(server);
});

testDeep(
  'a server that is stopped during the import waits for it to clean up, and reports no failure',
  async () => {
    const pictures = temporaryFolder();
    for (let index = 0; index < 200; index++) writeTiny(pictures, `${index}.png`, index);
    const server = await serveImporting(pictures);
    await stop(server);
    assert.doesNotMatch(server.output(), /import f/);
  },
);
