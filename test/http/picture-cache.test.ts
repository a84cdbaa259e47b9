/** Lasting addresses behind the example of nginx with its cache: before and after a replacement and a take-down. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { images } from '../support/catalogues/catalogue.ts';
import { draw, drawInto } from '../support/pictures/pictures.ts';
import { unless } from '../support/servers/needs.ts';
import { findNginx, installNginx, startNginx } from '../support/servers/nginx.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { runCommand } from '../support/zukan/program.ts';
import { importKnownCatalogue, send, startService } from '../support/zukan/service.ts';

const skip = unless(findNginx(), 'nginx', installNginx);
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
