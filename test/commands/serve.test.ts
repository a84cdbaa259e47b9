/** The server as a process: how it starts, what it logs, how it stops. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { importFiles } from '../../src/commands/import.ts';
import { writeKnownCatalogue } from '../support/catalogue.ts';
import { serve, zukan } from '../support/program.ts';
import { configFor } from '../support/service.ts';
import { temporaryFolder } from '../support/workspace.ts';

async function filled() {
  const folder = temporaryFolder();
  const environment = { DATA_DIR: join(folder, 'data') };
  await importFiles(configFor(folder), [await writeKnownCatalogue(folder)]);
  return { folder, environment };
}

test('the first lines tell where to look and give two calls that work', async () => {
  const { environment } = await filled();
  const server = await serve(environment);
  const [first = '', ...rest] = server.output().split('\n');
  assert.match(first, /^zukan v\d+\.\d+\.\d+ .*http:\/\/127\.0\.0\.1:\d+$/);
  const calls = [...rest.join('\n').matchAll(/curl '([^']+)'/g)].map((match) => match[1] as string);
  assert.equal(calls.length, 2);
  for (const call of calls) assert.equal((await fetch(call)).status, 200);
  server.child.kill('SIGTERM');
  assert.equal(await server.ended, 0);
});

test('each request is one line of JSON, without the query', async () => {
  const { environment } = await filled();
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
  // A file is logged when all of it is sent: whoever has it may be quicker to ask for the next thing.
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

test('LOG_LEVEL=silent leaves only the first lines', async () => {
  const { environment } = await filled();
  const server = await serve({ ...environment, LOG_LEVEL: 'silent' });
  await fetch(`${server.origin}/api`);
  server.child.kill('SIGINT');
  assert.equal(await server.ended, 0);
  assert.equal(server.output().split('\n').filter(Boolean).length, 3);
});

test('health tells that it lives and is ready', async () => {
  const { environment } = await filled();
  const server = await serve(environment);
  for (const path of ['live', 'ready'])
    assert.equal((await fetch(`${server.origin}/health/${path}`)).status, 200);
  server.child.kill('SIGTERM');
  await server.ended;
});

/** A server with one large picture, and the beginning of its download. */
async function beginDownload() {
  const { folder, environment } = await filled();
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
  const create = { width: 3000, height: 2400, channels: 3 as const, background: '#000000', noise };
  await sharp({ create }).png({ compressionLevel: 0 }).toFile(join(folder, 'large.png'));
  const catalogue = join(folder, 'large.ndjson');
  const line = { type: 'image', file: 'large.png', nsfw: 'sfw', id: 'aaaaaaaa-0000-4000-8000-000000000000' };
  await writeFile(catalogue, JSON.stringify(line));
  await zukan(['import', catalogue], environment);
  const server = await serve(environment);
  const { data } = (await (await fetch(`${server.origin}/api/image/${line.id}`)).json()) as {
    data: { url: string; meta: { size: number } };
  };
  const [download] = (await once(get(data.url), 'response')) as [IncomingMessage];
  download.pause();
  return { server, download, size: data.meta.size };
}

test('SIGTERM lets a download finish, and takes no new connection', async () => {
  const { server, download, size } = await beginDownload();
  server.child.kill('SIGTERM');
  await assert.rejects(async () => {
    for (;;) await fetch(`${server.origin}/health/live`);
  });
  let received = 0;
  for await (const chunk of download) received += chunk.length;
  assert.ok(size > 10_000_000);
  assert.equal(received, size);
  assert.equal(await server.ended, 0);
});

test('SIGTERM waits at most five seconds for a download that does not move', async () => {
  const { server, download } = await beginDownload();
  download.on('error', () => {});
  const told = performance.now();
  server.child.kill('SIGTERM');
  assert.equal(await server.ended, 0);
  const waited = performance.now() - told;
  assert.ok(waited > 4000 && waited < 7000, `${waited} ms`);
});
