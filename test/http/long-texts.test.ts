/** Texts of every script arrive as they are, however long the response is: they are sent in different ways. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { uuid } from '../support/catalogues/catalogue.ts';
import { forEachEngine } from '../support/servers/engines.ts';
import { madeUpImage, startMadeUpService } from '../support/zukan/api.ts';
import { makeToken } from '../support/zukan/service.ts';

const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };
const description = '図鑑 "é" 🦊\n'.repeat(200);
const named = (index: number) => ({ name: `fox 🦊é図 ${index}`, description });
const records = Array.from({ length: 25 }, (_, index) => [
  { type: 'character', id: uuid(3, index), ...named(index) },
  { type: 'category', id: uuid(1, index), ...named(index) },
  madeUpImage(uuid(4, index), { title: `fox ${index}`, description, categories: [uuid(1, index)] }),
]).flat();

await forEachEngine(async (engine) => {
  const service = await startMadeUpService(records, { engine });
  const owner = 'Ōta 図鑑 🦊';
  const token = await makeToken(service.config, ['image:list'], { owner });

  const paths = [
    '/character?limit=1',
    '/character?limit=25',
    '/category?limit=25&include=count,cover',
  ].concat(...['/search?q=fox', `/category/${uuid(1, 1)}?include=cover`, '/image?limit=25&include=details']);
  for (const path of paths)
    test(`${path} is the same plain and compressed`, async () => {
      const plain = await service.get(`/api${path}`, token.headers);
      assert.equal(plain.status, 200);
      assert.equal(plain.headers['content-length'], String(plain.bytes.length));
      assert.ok(plain.text.includes(JSON.stringify(description).slice(1, -1)), plain.text.slice(0, 500));
      for (const [name, decode] of Object.entries(decoders)) {
        const packed = await service.get(`/api${path}`, { ...token.headers, 'Accept-Encoding': name });
        assert.equal(packed.headers['content-encoding'], name);
        assert.equal(packed.headers.etag, plain.headers.etag);
        assert.equal(decode(packed.bytes).toString(), plain.text);
      }
    });

  test('a token shows its owner', async () => {
    assert.equal((await service.get('/api/token', token.headers)).json.data.owner, owner);
  });
});
