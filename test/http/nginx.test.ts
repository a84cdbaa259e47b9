/** Two instances behind nginx, and its cache of pictures. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { images } from '../support/catalogues/catalogue.ts';
import { draw, drawInto } from '../support/pictures/pictures.ts';
import { unless } from '../support/servers/needs.ts';
import {
  findNginx,
  installNginx,
  readConfiguration,
  runNginx,
  startNginx,
} from '../support/servers/nginx.ts';
import { freePort } from '../support/servers/redis.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { assertError } from '../support/zukan/api.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { runCommand } from '../support/zukan/program.ts';
import { importKnownCatalogue, send, startKnownService, startService } from '../support/zukan/service.ts';

const skip = unless(findNginx(), 'nginx', installNginx);
const environment = { TRUSTED_PROXIES: '127.0.0.1' };

/** Short lines, because each must fit into one of nginx's buffers. */
function largeHeaders(kilobytes: number): Record<string, string> {
  const names = Array.from({ length: kilobytes * 4 }, (_, line) => `X-Filler-${1000 + line}`);
  return Object.fromEntries(names.map((name) => [name, 'x'.repeat(256 - `${name}: \r\n`.length)]));
}

const settings: [what: string, settings: string, isServed: boolean, kilobytes: number[]][] = [
  ['whose headers it passes on', '', true, [14]],
  ['whose headers are too large for us', '', false, [17, 20, 24, 28, 31]],
  ['whose headers it passes on, however large', 'large_client_header_buffers 32 8k;', false, [60, 120, 200]],
];
for (const [what, setting, isServed, sizes] of settings)
  test(`nginx keeps both instances after a request ${what}`, { skip }, async () => {
    const [first, second] = [
      await startKnownService({ environment }),
      await startKnownService({ environment }),
    ];
    const proxy = await startNginx(first.origin, second.origin, setting);
    const call = (headers = {}) => send(new URL('/api/stats', proxy), headers);
    for (const kilobytes of sizes)
      for (let attempt = 0; attempt < 4; attempt++) {
        const answer = await call(largeHeaders(kilobytes));
        if (isServed) assert.equal(answer.status, 200);
        else assertError(answer, 431);
        assert.equal((await call()).status, 200, `after ${kilobytes} KB`);
      }
  });

/** Behind a proxy with TLS, whose settings are those of docs/operating.md. */
// Other systems have no 127.0.0.2.
test('nginx of the Compose file passes on what a proxy in front says of its clients', {
  skip: skip || process.platform !== 'linux',
}, async () => {
  const limited = { ...environment, RATE_LIMIT: 'on' };
  const service = await startKnownService({ environment: limited });
  const [innerPort, outerPort] = [String(await freePort()), String(await freePort())];
  const inner = await runNginx(
    readConfiguration('nginx.compose.conf')
      .replaceAll('172.28.0.0/24', '127.0.0.1/32')
      .replaceAll(String.raw`172\.28\.0\.[0-9]+`, String.raw`127\.0\.0\.1`)
      .replaceAll(/(zukan[12]|storage):\d+/g, new URL(service.origin).host)
      .replace('listen 8080', `listen ${innerPort}`),
    innerPort,
  );
  const [, headers = ''] = /(proxy_set_header Host[\s\S]*?) *location/.exec(shownConfiguration()) ?? [];
  const outer = await runNginx(
    `events {} http { server { listen ${outerPort}; ${headers.replace('$scheme', 'https')}
      location / { proxy_pass ${inner}; } } }`,
    outerPort,
  );
  const call = async (origin: string, localAddress: string, sent: Record<string, string> = {}) => {
    const request = get(new URL('/api/image/random?limit=1', origin), { localAddress, headers: sent });
    const [response] = await once(request, 'response');
    return { status: response.statusCode, body: await text(response) };
  };
  // Each is a client of its own, whatever it says.
  const forged = { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'http' };
  for (const client of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
    const { status, body } = await call(outer, client, forged);
    assert.equal(status, 200, client);
    assert.ok(body.includes(`"url":"https://127.0.0.1:${outerPort}/files/`), body);
  }
  assert.equal((await call(outer, '127.0.0.2', { 'X-Forwarded-For': '203.0.113.8' })).status, 429);
  // Without the proxy, no client can say who it is.
  const direct = await call(inner, '127.0.0.5', { ...forged, 'X-Forwarded-Proto': 'https' });
  assert.ok(direct.status === 200 && direct.body.includes('"url":"http://'), direct.body);
  assert.equal((await call(inner, '127.0.0.5', { 'X-Forwarded-For': '203.0.113.8' })).status, 429);
});

/** The one of docs/operating.md. */
function shownConfiguration(): string {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
  return /```nginx\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
}

// Lasting addresses behind the example of nginx with its cache: before and after a replacement and a take-down.

const HOUR_S = 3600;

/** Where a cached file of nginx says until when it is valid, in seconds since 1970. */
const VALID_AT = 8;

test('nginx caches pictures, shows replaced ones at once and forgets removed ones', { skip }, async () => {
  const folder = temporaryFolder();
  const config = await importKnownCatalogue({ environment: { THUMBNAILS: '20,50' } }, folder);
  const service = await startService(config);
  const cache = temporaryFolder();
  const proxy = await startNginx(service.origin, service.origin, '', cache);
  const [{ id, drawing } = assert.fail()] = images;
  const cachedFiles = () => globSync(`${cache}/*/*/*`);
  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await send(new URL(path, proxy), headers, method);
    return { ...answer, cache: answer.headers['x-cache-status'] };
  };
  const currentAddresses = async () => {
    const { headers } = await service.get(`/api/image/${id}/file`);
    const { search } = new URL(headers.location ?? '');
    return ['20.webp', 'original.jpg'].map((name) => `/pictures/${id}/${name}${search}`);
  };
  const former = await currentAddresses();
  const [, original = ''] = former;

  for (const address of former) {
    const first = await get(address);
    assert.deepEqual([first.status, first.cache], [200, 'MISS']);
    const second = await get(address);
    assert.deepEqual([second.status, second.cache, second.bytes], [200, 'HIT', first.bytes]);
    assert.equal(second.headers['cache-control'], 'public, max-age=86400, s-maxage=3600');
    const same = await get(address, { 'if-none-match': first.headers.etag ?? '' });
    assert.deepEqual([same.status, same.cache, same.bytes.length], [304, 'HIT', 0]);
    const part = await get(address, { range: 'bytes=1-3' });
    assert.deepEqual([part.status, part.cache, part.bytes], [206, 'HIT', first.bytes.subarray(1, 4)]);
    assert.equal((await get(address, {}, 'HEAD')).cache, 'HIT');
  }

  // Nobody fills the cache, and what is not there reaches the instance.
  const count = cachedFiles().length;
  assert.equal(count, former.length);
  const [path = ''] = original.split('?');
  for (let version = 0; version < 20; version++) {
    assert.equal((await get(`${path}?v=${version}`)).headers.location, original);
    assert.equal((await get(`${path}?w=${version}`)).status, 404);
    assert.equal((await get(`${path.replace('original.jpg', `${version + 60}.webp`)}`)).status, 404);
    assert.equal(
      (await get(path.replace('/pictures/', '/pictures//') + '?'.repeat(version % 2))).status,
      404,
    );
  }
  assert.equal(cachedFiles().length, count);

  // Replaced: pages have another address, and the former one leads to it when the cache has forgotten it.
  const replacement = { ...drawing, colour: '#2020c0' };
  await drawInto(folder, replacement);
  await importFiles(config, [join(folder, 'catalogue.ndjson')]);
  const current = await currentAddresses();
  for (const [index, address] of current.entries()) {
    assert.notEqual(address, former[index]);
    const shown = await get(address);
    assert.deepEqual([shown.status, shown.cache], [200, 'MISS']);
    if (index === 1) assert.deepEqual(shown.bytes, await draw(replacement));
  }
  for (const file of cachedFiles()) expire(file);
  for (const [index, address] of former.entries()) {
    const moved = await get(address);
    assert.deepEqual([moved.status, moved.headers.location], [302, current[index]]);
    assert.equal(moved.headers['cache-control'], 'no-store');
    // Unchanged: the instance sends no bytes.
    assert.deepEqual(
      [(await get(current[index] ?? '')).cache, (await get(current[index] ?? '')).cache],
      ['REVALIDATED', 'HIT'],
    );
  }

  // Taken down: the cache has it for the rest of its hour.
  const environment = { DATA_DIR: config.dataDir, LOG_LEVEL: 'silent' };
  await runCommand(['trash', id], environment);
  for (const address of current) {
    assert.equal((await service.get(address)).status, 404);
    assert.equal((await get(address)).cache, 'HIT');
  }
  for (const file of cachedFiles()) {
    assert.ok(readFileSync(file).readBigInt64LE(VALID_AT) <= Date.now() / 1000 + HOUR_S);
    expire(file);
  }
  for (const address of current) {
    const gone = await get(address);
    assert.deepEqual([gone.status, gone.headers['cache-control']], [404, 'no-store']);
  }
});

/** As if its hour was over. */
function expire(file: string): void {
  const bytes = readFileSync(file);
  bytes.writeBigInt64LE(1n, VALID_AT);
  writeFileSync(file, bytes);
}
