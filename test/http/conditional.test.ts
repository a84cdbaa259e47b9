/** Conditional requests and compression. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { encodings, matchesETag, negotiateEncoding } from '../../src/http/request.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { forEachEngineInDepth, isEveryCase } from '../support/servers/engines.ts';
import { startKnownService, startService } from '../support/zukan/service.ts';

const stable = [
  ...['', '/stats', '/artist', '/character', '/category?limit=2&offset=1', '/artist?search=%25a%25'],
  ...[`/artist/${uuid(2, 1)}`, `/character/${uuid(3, 1)}`, `/category/${uuid(1, 1)}`],
];

test('a tag matches only as a whole, weak or strong, in a list of any length', () => {
  const eTag = 'W/"abc"';
  for (const value of ['"abc"', 'W/"abc"', ' * ', '"x","abc"', `${'"x",'.repeat(12_000)} "abc"`])
    assert.equal(matchesETag(value, eTag), true, value.slice(0, 20));
  for (const value of [
    '"abc',
    'abc"',
    'abc',
    '"xabc"',
    '"abcx"',
    '"ABC"',
    '""',
    '',
    '"*"',
    ','.repeat(48_000),
  ])
    assert.equal(matchesETag(value, eTag), false, value.slice(0, 20));
});

await forEachEngineInDepth(async (engine) => {
  if (isEveryCase(engine)) await testStable();

  async function testStable() {
    const service = await startKnownService({ engine });

    for (const path of stable) {
      test(`${path || '/'} is 304 exactly when If-None-Match matches`, async () => {
        const first = await service.get(`/api${path}`);
        const { etag = '' } = first.headers;
        assert.match(etag, /^W\/"[\w-]{22}"$/);
        assert.equal(first.headers['cache-control'], 'no-cache');
        for (const value of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
          const again = await service.get(`/api${path}`, { 'If-None-Match': value });
          assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag]);
          assert.equal(again.headers['x-total-count'], first.headers['x-total-count']);
          assert.equal(again.headers['content-length'], undefined);
          assert.equal(again.headers.vary, first.headers.vary);
        }
        const other = await service.get(`/api${path}`, { 'If-None-Match': '"other"' });
        assert.deepEqual([other.status, other.text], [200, first.text]);
        assert.equal((await service.get(`/api${path}`)).headers.etag, etag, 'the tag is stable');
      });
    }

    test('responses with links are never 304, because the links change', async () => {
      for (const path of ['/image/random', `/image/${uuid(4, 1)}`, `/artist/${uuid(2, 1)}/images`]) {
        const { status, headers } = await service.get(`/api${path}`, { 'If-None-Match': '*' });
        assert.deepEqual([status, headers.etag], [200, undefined]);
        assert.equal(headers['cache-control'], 'no-store');
      }
    });
  }

  test('an import changes the entity tags of exactly what it changed', async () => {
    const box = sandbox(engine);
    await box.import([{ type: 'artist', name: 'Ann' }, keyed(1, { artist: 'Ann' })]);
    const running = await startService(box.config);
    const eTagOf = async (path: string) => (await running.get(`/api${path}`)).headers.etag;
    const before = [await eTagOf('/artist'), await eTagOf('/stats'), await eTagOf('/category')];
    await box.import([{ type: 'artist', name: 'Bob' }, keyed(2, { artist: 'Bob' })]);
    const after = [await eTagOf('/artist'), await eTagOf('/stats'), await eTagOf('/category')];
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
  test(`compresses a long response with ${encoding} when accepted`, async () => {
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

test('does not compress short responses and errors', async () => {
  for (const path of ['/api/stats', '/api/image/42', '/health/live']) {
    const { headers } = await service.get(path, { 'Accept-Encoding': 'br, gzip' });
    assert.equal(headers['content-encoding'], undefined);
  }
});

test('HEAD of a compressed response has its headers and no body', async () => {
  const headers = { 'Accept-Encoding': 'gzip' };
  const response = await service.get(`/api/image/${uuid(4, 1)}`, headers, 'HEAD');
  assert.deepEqual([response.status, response.bytes.length], [200, 0]);
  assert.equal(response.headers['content-encoding'], 'gzip');
});

/** Each part of the header on its own, of those that count. */
function negotiateSimply(header: string, offered: readonly string[]): string | undefined {
  const weights = new Map<string, number>();
  for (const part of header.slice(0, 1000).toLowerCase().split(',').slice(0, 100)) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const quality = parameters.find((text) => text.startsWith('q='));
    weights.set(name, quality === undefined ? 1 : Number(quality.slice(2)) || 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const byWeight = offered.toSorted((a, b) => weightOf(b) - weightOf(a));
  return byWeight.find((name) => weightOf(name) > 0);
}

test('Accept-Encoding is negotiated as by a simple implementation', () => {
  const offers = fc.subarray([...encodings]);
  const name = fc.constantFrom('zstd', 'br', 'gzip', 'GZip', '*', 'identity', 'deflate', '', 'brx', ' Br ');
  const weight = fc.constantFrom(
    '',
    ';q=0',
    ';q=0.5',
    ' ; q=1',
    ';Q=0.2',
    ';level=1;q=0.7',
    ';q=',
    ';q=x',
    ';',
  );
  const part = fc.tuple(name, weight, fc.constantFrom(',', ', ', ' ,', ',,')).map((texts) => texts.join(''));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 120 }), offers, (parts, offered) => {
      const header = parts.join('');
      assert.equal(negotiateEncoding(header, offered), negotiateSimply(header, offered));
    }),
  );
});
