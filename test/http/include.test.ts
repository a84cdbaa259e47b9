/** `include` adds to the images and entries of a response, and changes nothing else. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { UNKNOWN_ARTIST } from '../../src/catalogue/documents/document.ts';
import { artists, categories, characters, uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { casesFor, forEachEngineInDepth, isEveryCase } from '../support/servers/engines.ts';
import { clock, madeUpImage, startMadeUpService } from '../support/zukan/api.ts';
import { importFiles } from '../support/zukan/import-files.ts';
import { type Envelope, makeToken, seededRandomInt, startKnownService } from '../support/zukan/service.ts';

await forEachEngineInDepth(async (engine) => {
  const service = await startKnownService({ engine, clock, randomInt: () => 0 });
  const { headers } = await makeToken(service.config, ['image:list', 'image:custom-expiry:100']);
  const get = (path: string) => service.get(`/api${path}`, headers);
  const artistOf = (image: Envelope) => artists.find(({ id }) => id === image.artist);

  const paths = [
    '/image?limit=25',
    '/image?limit=2&offset=3&expiry=90',
    '/image?nsfw=sfw&orientation=landscape',
    '/image/random?limit=25',
    '/image/random?limit=3&categories=kimono&exclude=night%20sky',
    '/image/random?limit=2&seed=s',
    ...artists.map(({ id }) => `/artist/${id}/images?limit=25`),
    ...[1, 2, 3, 4, 5, 6].map((index) => `/image/${uuid(4, index)}?expiry=60`),
  ];
  // The first call reads the documents from the database, later ones from the cache.
  for (const round of isEveryCase(engine) ? ['first', 'second'] : ['first'])
    describe(`the ${round} time`, () => {
      for (const path of casesFor(engine, paths, 3))
        test(`${path} has the artists, and nothing else is different`, async () => {
          const included = await get(`${path}&include=artist`);
          assert.equal(included.status, 200);
          const isList = Array.isArray(included.json.data);
          const images: Envelope[] = [included.json.data].flat();
          for (const image of images) {
            assert.deepEqual(image.artistDetails, artistOf(image));
            assert.deepEqual(Object.keys(image).slice(2, 5), ['artist', 'artistDetails', 'source']);
          }
          const stripped = images.map(({ artistDetails: _, ...image }) => image);
          const { text } = await get(path);
          assert.equal(text, JSON.stringify({ success: true, data: isList ? stripped : stripped[0] }));
          const head = await service.get(`/api${path}&include=artist`, headers, 'HEAD');
          assert.equal(head.headers['content-length'], included.headers['content-length']);
          assert.equal(head.headers['content-length'], String(included.bytes.length));
        });
    });

  test('details are added on request, and the name of the file never', async () => {
    const details = {
      ...{ title: '図鑑 "1"', description: 'two\nlines', takenAt: '2024-02-03T04:05:06+09:00' },
      licence: { name: 'CC0 1.0', url: 'https://creativecommons.org/publicdomain/zero/1.0/' },
      ...{ credit: '絵 "Ann"', alt: 'a fox,\non a pier' },
    };
    const named = await startMadeUpService(
      [madeUpImage(uuid(4, 1), { ...details, fileName: 'secret.png' }), madeUpImage(uuid(4, 2), {})],
      { engine },
    );
    const none = {
      title: '',
      description: '',
      takenAt: '',
      licence: { name: '', url: '' },
      credit: '',
      alt: '',
    };
    for (const path of ['/image/latest', '/image/random?seed=s', `/artist/${UNKNOWN_ARTIST.id}/images`]) {
      const plain = await named.get(`/api${path}`);
      const included = await named.get(
        `/api${path}${path.includes('?') ? '&' : '?'}include=details,thumbnails`,
      );
      assert.ok(!included.text.includes('secret'));
      const byId = new Map(included.json.data.map((image: Envelope) => [image.id, image]));
      for (const image of plain.json.data) {
        const { thumbnails, animated, ...meta } = (byId.get(image.id) as Envelope).meta;
        const shown = image.id === uuid(4, 1) ? details : none;
        assert.deepEqual({ ...(byId.get(image.id) as Envelope), meta }, { ...image, ...shown });
        assert.equal(image.title, undefined);
      }
    }
  });

  test('a changed artist shows at once, and so does another artist of an image', async () => {
    const randomInt = seededRandomInt(17);
    const [ann, ben] = [uuid(2, 1), uuid(2, 2)];
    let names: Record<string, string> = { [ann]: 'Ann', [ben]: 'Ben' };
    const owners = Array.from({ length: 12 }, (_, index) => [ann, ben, null][index % 3] as string | null);
    const records = () => [
      ...Object.entries(names).map(([id, name]) => ({ type: 'artist', id, name, url: `https://${id}` })),
      ...owners.map((artist, index) => madeUpImage(uuid(4, index), { artist, key: `"${index}".png` })),
    ];
    const changing = await startMadeUpService(records(), { engine });
    const path = join(dirname(changing.config.dataDir), 'changed.ndjson');
    for (let round = 0; round < atDepth(2, 5); round++) {
      const { json } = await changing.get('/api/image/random?limit=25&include=artist');
      assert.equal(json.data.length, owners.length);
      for (const { id, artist, artistDetails } of json.data) {
        const owner = owners[Number(id.slice(-12))] ?? UNKNOWN_ARTIST.id;
        const known = names[owner]
          ? { id: owner, name: names[owner], url: `https://${owner}` }
          : UNKNOWN_ARTIST;
        assert.deepEqual([artist, artistDetails], [owner, known]);
      }
      names = { ...names, [[ann, ben][round % 2] as string]: `図鑑 "${round}"` };
      owners[randomInt(owners.length)] = [ann, ben, null][randomInt(3)] as string | null;
      await writeFile(
        path,
        records()
          .map((record) => `${JSON.stringify(record)}\n`)
          .join(''),
      );
      await importFiles(changing.config, [path]);
    }
  });
});

// `include` on artists, characters and categories adds the number of images and a cover, and changes nothing else.

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
