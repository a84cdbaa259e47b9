/** `zukan serve` as a process: how it starts, what it logs, how it stops. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { before, test } from 'node:test';
import sharp from 'sharp';
import { createApp, shutDown } from '../../src/server/app.ts';
import { writeKnownCatalogue } from '../support/catalogues/catalogue.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { runCommand, serve } from '../support/zukan/program.ts';
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
  server.child.kill('SIGTERM');
  assert.equal(await server.ended, 0);
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
  server.child.kill('SIGTERM');
  await server.ended;
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  // Sorted, because a file is logged after its last byte was sent: the client may send the next request earlier.
  const entries = lines.map((line) => JSON.parse(line)).sort((a, b) => (a.path < b.path ? -1 : 1));
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
