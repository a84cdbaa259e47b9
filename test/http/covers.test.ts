/** `include` on artists, characters and categories adds the number of images and a cover, and changes nothing else. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { artists, categories, characters, uuid } from '../support/catalogues/catalogue.ts';
import { casesFor, forEachEngineInDepth, isEveryCase } from '../support/servers/engines.ts';
import { clock } from '../support/zukan/api.ts';
import { type Envelope, startKnownService } from '../support/zukan/service.ts';

/** The number of images and the index of the cover of each entry. */
const known: Record<string, [images: number, cover?: number]> = {
  Mariko: [3, 6],
  abe: [1],
  Élodie: [1, 5],
  Idle: [0],
  Unknown: [1, 4],
  'Yuki "Snow" Sato': [2, 1],
  かえで: [2, 5],
  catgirl: [3, 5],
  Kimono: [4, 6],
  'night sky': [2, 5],
  empty: [0],
};
const entries = { artist: artists, character: characters, category: categories };

await forEachEngineInDepth(async (engine) => {
  const service = await startKnownService({ engine, clock });
  const get = (path: string) => service.get(`/api${path}`);
  const images = new Map<string, Envelope>();
  for (const index of [1, 2, 3, 4, 5, 6]) {
    const { json } = await get(`/image/${uuid(4, index)}?include=thumbnails`);
    images.set(json.data.id, json.data);
  }
  const count = ({ name }: Envelope) => ({ images: known[name]?.[0] });
  const cover = ({ name }: Envelope) => {
    const image = images.get(uuid(4, known[name]?.[1] ?? 0));
    return image && { cover: { id: image.id, url: image.url, meta: image.meta } };
  };

  for (const [kind, list] of Object.entries(entries))
    describe(`/${kind}`, () => {
      // The first call reads from the database, the second from the caches.
      const queries = ['limit=25', 'limit=25', 'limit=2&offset=1', 'limit=25&search=%25a%25'];
      for (const query of casesFor(engine, queries, 3))
        test(`?${query} has what include names, in this order, and the same records`, async () => {
          const plain = await get(`/${kind}?${query}`);
          const expected = (parts: (entry: Envelope) => object) =>
            JSON.stringify({ success: true, data: plain.json.data.map(parts) });
          const both = (entry: Envelope) => ({ ...entry, ...count(entry), ...cover(entry) });
          const only = await get(`/${kind}?${query}&include=count`);
          assert.equal(
            only.text,
            expected((entry) => ({ ...entry, ...count(entry) })),
          );
          const covered = await get(`/${kind}?${query}&include=cover`);
          assert.equal(
            covered.text,
            expected((entry) => ({ ...entry, ...cover(entry) })),
          );
          for (const include of ['count,cover', 'cover,count']) {
            const all = await get(`/${kind}?${query}&include=${include}`);
            assert.equal(all.text, expected(both));
            assert.equal(all.headers['x-total-count'], plain.headers['x-total-count']);
            assert.notEqual(all.headers.etag, plain.headers.etag);
          }
        });

      test('a single record always has the number, and its cover on request', async () => {
        for (const entry of list) {
          const counted = { ...entry, ...count(entry) };
          for (const query of ['', '?include=count'])
            assert.deepEqual((await get(`/${kind}/${entry.id}${query}`)).json.data, counted);
          for (const query of ['cover', 'count,cover']) {
            const { json } = await get(`/${kind}/${entry.id}?include=${query}`);
            assert.deepEqual(json.data, { ...counted, ...cover(entry) });
          }
        }
      });
    });

  if (!isEveryCase(engine)) return;

  test('the link of a cover leads to its file', async () => {
    const { json } = await get('/artist?include=cover');
    const { cover } = json.data.find(({ name }: Envelope) => name === 'Mariko');
    const file = await service.get(cover.url);
    assert.equal(file.status, 200);
    assert.equal(file.bytes.length, cover.meta.size);
  });
});
