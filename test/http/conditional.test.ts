/** Answers that a client has already, and answers that are compressed: the same answer all the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { negotiateEncoding } from '../../src/http/server/compression.ts';
import { uuid } from '../support/catalogue.ts';
import { forEachEngine } from '../support/engines.ts';
import { keyed, sandbox } from '../support/import.ts';
import { startKnownService, startService } from '../support/service.ts';

const stable = [
  ...['/stats', '/artist', '/character', '/category?limit=2&offset=1', '/artist?search=%25a%25'],
  ...[`/artist/${uuid(2, 1)}`, `/character/${uuid(3, 1)}`, `/category/${uuid(1, 1)}`],
];

await forEachEngine(async (engine) => {
  const service = await startKnownService({ engine });

  for (const path of stable) {
    test(`${path} is 304 for who has it, and only then`, async () => {
      const first = await service.get(`/api${path}`);
      const { etag = '' } = first.headers;
      assert.match(etag, /^W\/"[\w-]{22}"$/);
      assert.equal(first.headers['cache-control'], 'no-cache');
      for (const known of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
        const again = await service.get(`/api${path}`, { 'If-None-Match': known });
        assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag]);
        assert.equal(again.headers['x-total-count'], first.headers['x-total-count']);
        assert.equal(again.headers['content-length'], undefined);
      }
      const other = await service.get(`/api${path}`, { 'If-None-Match': '"other"' });
      assert.deepEqual([other.status, other.text], [200, first.text]);
      assert.equal((await service.get(`/api${path}`)).headers.etag, etag, 'the same answer, the same tag');
    });
  }

  test('answers with links are never 304: each has links of its own', async () => {
    for (const path of ['/image/random', `/image/${uuid(4, 1)}`, `/artist/${uuid(2, 1)}/images`]) {
      const { status, headers } = await service.get(`/api${path}`, { 'If-None-Match': '*' });
      assert.deepEqual([status, headers.etag], [200, undefined]);
    }
  });

  test('an import changes the tags of what it changes, at once', async () => {
    const box = sandbox(engine);
    await box.import([{ type: 'artist', name: 'Ann' }, keyed(1)]);
    const running = await startService(box.config);
    const tagOf = async (path: string) => (await running.get(`/api${path}`)).headers.etag;
    const before = [await tagOf('/artist'), await tagOf('/stats'), await tagOf('/category')];
    await box.import([{ type: 'artist', name: 'Bob' }, keyed(2)]);
    const after = [await tagOf('/artist'), await tagOf('/stats'), await tagOf('/category')];
    assert.notEqual(after[0], before[0]);
    assert.notEqual(after[1], before[1]);
    assert.equal(after[2], before[2]);
    const stale = { 'If-None-Match': before[0] as string };
    assert.equal((await running.get('/api/artist', stale)).json.data.length, 2);
  });
});

const service = await startKnownService();
const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

for (const [encoding, decode] of Object.entries(decoders)) {
  test(`a long answer is compressed for who asks for ${encoding}`, async () => {
    const plain = await service.get(`/api/image/${uuid(4, 1)}`);
    assert.ok(plain.bytes.length > 1024 && plain.headers['content-encoding'] === undefined);
    assert.match(plain.headers.vary ?? '', /Accept-Encoding/);
    const path = '/api/category';
    const whole = await service.get(path);
    const packed = await service.get(path, { 'Accept-Encoding': encoding });
    const isLong = whole.bytes.length >= 1024;
    assert.equal(packed.headers['content-encoding'], isLong ? encoding : undefined);
    const images = await service.get('/api/image/random?limit=25', { 'Accept-Encoding': encoding });
    assert.equal(images.headers['content-encoding'], encoding);
    assert.equal(images.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(Number(images.headers['content-length']), images.bytes.length);
    const { success, data } = JSON.parse(decode(images.bytes).toString());
    assert.equal(success, true);
    assert.equal(data.length, 6);
    assert.ok(images.bytes.length < decode(images.bytes).length / 2);
  });
}

test('a short answer is sent as it is, and so is an error', async () => {
  for (const path of ['/api/stats', '/api/image/42', '/health/live']) {
    const { headers } = await service.get(path, { 'Accept-Encoding': 'br, gzip' });
    assert.equal(headers['content-encoding'], undefined);
  }
});

test('HEAD of a compressed answer has its headers and no body', async () => {
  const headers = { 'Accept-Encoding': 'gzip' };
  const answer = await service.get(`/api/image/${uuid(4, 1)}`, headers, 'HEAD');
  assert.deepEqual([answer.status, answer.bytes.length], [200, 0]);
  assert.equal(answer.headers['content-encoding'], 'gzip');
});

const wishes: [string | undefined, string | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['GZIP;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['*', 'br'],
  ['*;q=0.1, gzip', 'gzip'],
  ['deflate, zstd', undefined],
  ['gzip;q=nonsense', undefined],
];
for (const [wish, encoding] of wishes) {
  test(`Accept-Encoding: ${wish} is answered with ${encoding}`, () => {
    assert.equal(negotiateEncoding(wish), encoding);
    assert.equal(negotiateEncoding(wish), encoding, 'and again');
  });
}
