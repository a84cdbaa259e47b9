/** Pages of lists, and rules for every response: HEAD, trailing slashes, junk parameters, case, CORS, request ids. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  clock,
  examples,
  madeUpImage,
  NOW,
  related,
  sortByName,
  startMadeUpService,
} from '../support/api.ts';
import { uuid } from '../support/catalogue.ts';
import { forEachEngine } from '../support/engines.ts';
import { type Envelope, makeToken, send, startKnownService } from '../support/service.ts';

await forEachEngine(async (engine) => {
  const COUNT = 33;
  /** Names that sort differently by code point, UTF-16, letter and locale. Two are equal. */
  const names = [
    '\u{1F600}',
    '\uFF21',
    'Zoe',
    'amy',
    'Émile',
    'amy',
    '10',
    '9',
    'Amy',
    ...'abcdefghijklmnopqrstuvwx',
  ];
  const numbers = Array.from({ length: COUNT }, (_, index) => index);
  /** Ids in reverse order of adding, to tell the two orders apart. */
  const idOf = (kind: number, index: number) => uuid(kind, 900 - index);
  const named = (kind: number) =>
    numbers.map((index) => ({ id: idOf(kind, index), name: names[index] ?? '' }));
  const categoryNames = names.map((name, index) => `${name}${index}`);

  const bulk = await startMadeUpService(
    [
      ...named(2).map((entry, index) => ({ type: 'artist', ...entry, url: `https://example.org/${index}` })),
      ...named(3).map((entry, index) => ({ type: 'character', ...entry, source: `work ${index}` })),
      ...named(1).map((entry, index) => ({ type: 'category', ...entry, name: categoryNames[index] })),
      ...numbers.map((index) => madeUpImage(idOf(4, index), { artist: idOf(2, 0) })),
    ],
    { engine },
  );
  const { headers } = await makeToken(bulk.config, ['image:list', 'image:custom-expiry:100']);
  const imageIds = numbers.map((index) => idOf(4, index));
  const orderedIds = (entries: { id: string; name: string }[]) => sortByName(entries).map(({ id }) => id);
  const lists = [
    { path: '/image', ids: imageIds },
    { path: `/artist/${idOf(2, 0)}/images`, ids: imageIds },
    { path: '/artist', ids: orderedIds(named(2)) },
    { path: '/character', ids: orderedIds(named(3)) },
    {
      path: '/category',
      ids: orderedIds(named(1).map((entry, index) => ({ ...entry, name: categoryNames[index] ?? '' }))),
    },
  ];
  const idsOf = (json: Envelope): string[] => json.data.map(({ id }: { id: string }) => id);

  describe('pages', () => {
    for (const { path, ids } of lists) {
      const windows: [query: string, from: number, to: number][] = [
        ['', 0, 10],
        ['?offset=0', 0, 10],
        ['?offset=5', 5, 15],
        ['?limit=1', 0, 1],
        ['?limit=25', 0, 25],
        ['?limit=25&offset=10', 10, 35],
        ['?limit=3&offset=32', 32, 33],
        ['?limit=3&offset=33', 33, 33],
        ['?offset=99999999999999999999', 33, 33],
        ['?limit=007&offset=0002', 2, 9],
        ['?limit=%35', 0, 5],
      ];
      for (const [query, from, to] of windows)
        test(`${path}${query} returns records ${from} to ${to} of ${COUNT}`, async () => {
          const answer = await bulk.get(`/api${path}${query}`, headers);
          assert.equal(answer.status, 200, answer.text);
          assert.deepEqual(idsOf(answer.json), ids.slice(from, to));
          assert.equal(answer.headers['x-total-count'], String(COUNT));
        });

      for (const query of ['', '?limit=1', '?limit=7', '?limit=11&junk=1', '?limit=25&offset=0', '?search='])
        test(`${path}${query} links to every record once by next, and back by prev`, async () => {
          let address: string | undefined = `${bulk.origin}/v1${path}${query}`;
          const pages: string[][] = [];
          let last = '';
          while (address) {
            assert.ok(address.startsWith(`${bulk.origin}/v1${path}`), address);
            const answer = await bulk.get(address, headers);
            assert.equal(related(answer, 'prev', address) === undefined, pages.length === 0);
            pages.push(idsOf(answer.json));
            last = address;
            address = related(answer, 'next', address);
            assert.ok(pages.length <= COUNT);
          }
          assert.deepEqual(pages.flat(), ids);
          const back: string[][] = [];
          for (address = last; address; ) {
            const answer = await bulk.get(address, headers);
            back.unshift(idsOf(answer.json));
            address = related(answer, 'prev', address);
            assert.ok(back.length <= COUNT);
          }
          assert.deepEqual(back, pages);
        });
    }

    test('prev leads to the first record from any offset', async () => {
      let address: string | undefined = `${bulk.origin}/api/artist?limit=10&offset=13`;
      let first = '';
      for (let steps = 0; address; steps += 1) {
        assert.ok(steps < 4);
        const answer = await bulk.get(address);
        first = idsOf(answer.json)[0] ?? '';
        address = related(answer, 'prev', address);
      }
      assert.equal(first, lists[2]?.ids[0]);
    });

    test('the next page keeps the expiry', async () => {
      const address = `${bulk.origin}/api/image?limit=5&expiry=100`;
      const next = related(await bulk.get(address, headers), 'next', address);
      const { json } = await bulk.get(next ?? '', headers);
      for (const { meta } of json.data) assert.equal(meta.expires, new Date(NOW + 100_000).toISOString());
    });

    test('the default limit of random images is ten', async () => {
      for (const [query, count] of [
        ['', 10],
        ['?limit=1', 1],
        ['?limit=25', 25],
      ] as const)
        assert.equal((await bulk.get(`/api/image/random${query}`)).json.data.length, count);
    });

    test('lists of an empty catalogue are empty', async () => {
      const empty = await startMadeUpService([], { engine });
      const { headers } = await makeToken(empty.config, ['image:list']);
      for (const path of ['/image', '/artist', '/character', '/category']) {
        const answer = await empty.get(`/api${path}`, headers);
        assert.deepEqual(answer.json, { success: true, data: [] });
        assert.equal(answer.headers['x-total-count'], '0');
        assert.equal(answer.headers.link, undefined);
      }
      assert.deepEqual((await empty.get('/api/image/random')).json, { success: true, data: [] });
    });
  });

  const service = await startKnownService({ engine, clock });
  const token = await makeToken(service.config, ['image:list', 'image:custom-expiry:86400']);
  const paths = examples.map((path) => path.replace('random', 'random?limit=25'));
  /** The body, with random images sorted. */
  function sortRandom(json: Envelope, path: string): Envelope {
    if (path.includes('random'))
      json.data.sort((one: Envelope, other: Envelope) => (one.id < other.id ? -1 : 1));
    return json;
  }

  describe('every response', () => {
    const failures = ['/nowhere', '/image/x', `/image/${uuid(9, 9)}`, '/artist?limit=0'];
    for (const path of [...paths, ...failures])
      test(`HEAD ${path || '/'} returns the headers of GET without the body`, async () => {
        const get = await service.get(`/api${path}`, token.headers);
        const head = await service.get(`/api${path}`, token.headers, 'HEAD');
        assert.equal(head.bytes.length, 0);
        assert.equal(head.status, get.status);
        const own = { date: '', 'x-request-id': '' };
        assert.deepEqual({ ...head.headers, ...own }, { ...get.headers, ...own });
        assert.equal(get.headers['content-length'], String(get.bytes.length));
      });

    for (const path of paths)
      test(`${path || '/'} ignores a trailing slash and unknown parameters`, async () => {
        const [bare = '', query] = path.split('?');
        const plain = await service.get(`/api${path}`, token.headers);
        assert.equal(plain.status, 200);
        const junk = [
          'junk=1',
          'fbclid=x&fbclid=y',
          '=',
          '&&',
          'a[b]=c',
          '%zz=%zz',
          '__proto__=1',
          'LIMIT=0',
        ];
        const same = [
          `${bare}/${query ? `?${query}` : ''}`,
          ...junk.map((text) => `${bare}?${query ?? ''}&${text}`),
        ];
        for (const address of same) {
          const answer = await service.get(`/api${address}`, token.headers);
          assert.equal(answer.status, 200, `${address}: ${answer.text}`);
          assert.deepEqual(sortRandom(answer.json, path), sortRandom(plain.json, path));
        }
      });

    test('ignores parameters of other endpoints', async () => {
      const long = 'x'.repeat(51);
      for (const address of [
        ...['/?limit=0', `/stats?offset=x&search=${long}`, '/token?expiry=1', '/image?categories=no'],
        ...['/image/random?offset=x', `/image/${uuid(4, 1)}?limit=0&offset=x`, '/artist?expiry=1'],
        ...[`/artist/${uuid(2, 1)}?limit=0`, `/character/${uuid(3, 1)}?search=${long}`, '/category?expiry=1'],
      ])
        assert.equal((await service.get(`/api${address}`, token.headers)).status, 200, address);
    });

    test('accepts ids in upper case, and returns them in lower case', async () => {
      const [id, upper] = ['abcdef01-2345-4789-8bcd-ef0123456789', 'ABCDEF01-2345-4789-8BCD-EF0123456789'];
      const mixed = await startMadeUpService(
        [
          { type: 'artist', id: upper, name: 'A' },
          { type: 'character', id: upper, name: 'A' },
          { type: 'category', id: upper, name: 'A' },
          madeUpImage(upper, { artist: upper, categories: [id], characters: ['A'] }),
        ],
        { engine },
      );
      for (const kind of ['image', 'artist', 'character', 'category'])
        for (const spelling of [id, upper, id.replace('abc', 'aBC'), `%61${id.slice(1)}`]) {
          const answer = await mixed.get(`/api/${kind}/${spelling}`);
          assert.equal(answer.status, 200, answer.text);
          assert.equal(answer.json.data.id, id);
        }
      const image = (await mixed.get(`/api/artist/${upper}/images`)).json.data[0];
      assert.deepEqual(
        [image.id, image.artist, image.categories[0].id, image.characters[0].id],
        [id, id, id, id],
      );
    });

    test('allows every origin and exposes the headers to scripts', async () => {
      for (const path of [...paths, ...failures]) {
        const answer = await service.get(`/api${path}`, { Origin: 'https://example.org', ...token.headers });
        assert.equal(answer.headers['access-control-allow-origin'], '*');
        const exposed = (answer.headers['access-control-expose-headers'] ?? '')
          .toLowerCase()
          .split(/\s*,\s*/);
        const limits = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit'];
        for (const name of [...limits, 'ratelimit-policy', 'retry-after', 'etag', 'x-request-id'])
          assert.ok(exposed.includes(name), `${name} is exposed by ${path}`);
      }
    });

    for (const path of paths)
      test(`OPTIONS ${path || '/'} allows GET with a token`, async () => {
        const preflight = {
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'authorization',
        };
        const sent = { Origin: 'https://example.org', ...preflight };
        const answer = await send(new URL(`/api${path}`, service.origin), sent, 'OPTIONS');
        assert.ok(answer.status === 204 || answer.status === 200, `status ${answer.status}`);
        assert.equal(answer.headers['access-control-allow-origin'], '*');
        assert.match(answer.headers['access-control-allow-methods'] ?? '', /\bGET\b/);
        assert.match(answer.headers['access-control-allow-headers'] ?? '', /\bauthorization\b/i);
      });

    test('has a unique request id', async () => {
      const addresses = [...paths, ...paths, ...failures].map((path) => `/api${path}`);
      const ids = new Set<string>();
      for (const address of addresses) {
        const id = (await service.get(address, token.headers)).headers['x-request-id'];
        assert.ok(id, `${address} has a request id`);
        ids.add(id);
      }
      assert.equal(ids.size, addresses.length);
    });
  });
});
