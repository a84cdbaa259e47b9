/** The client against the real service: every endpoint, every page, every error. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { type Image, Zukan, ZukanError } from '../../client/index.ts';
import { routes } from '../../src/http/api/routes.ts';
import { madeUpImage, startMadeUpService } from '../support/api.ts';
import { uuid } from '../support/catalogue.ts';
import { makeToken } from '../support/service.ts';

const many = Array.from({ length: 60 }, (_, index) => index + 1);
const service = await startMadeUpService([
  ...many.map((index) => ({ type: 'category', id: uuid(1, index), name: `category ${index}` })),
  ...many.map((index) => ({ type: 'artist', id: uuid(2, index), name: `Artist & ${index}` })),
  ...many.map((index) => ({ type: 'character', id: uuid(3, index), name: `Character ${index}` })),
  ...many.map((index) =>
    madeUpImage(uuid(4, index), {
      artist: uuid(2, 1),
      categories: index > 2 ? ['category 1'] : ['category 1', 'category 2'],
      characters: ['Character 1'],
    }),
  ),
]);
const { origin } = service;
const { secret, token, headers } = await makeToken(service.config, ['image:list', 'image:custom-expiry']);
const zukan = new Zukan({ origin, token: secret });

const ids = (list: { id: string }[]) => list.map(({ id }) => id);
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(items);
}

describe('every endpoint answers what the API says', () => {
  const called = new Set<string>();
  const recording: typeof fetch = (url, init) => {
    called.add(new URL(String(url)).pathname.replace('/v1', '').replace(/[0-9a-f-]{36}/, '{id}') || '/');
    return fetch(url, init);
  };
  const second = new Zukan({ origin: `${origin}/`, prefix: '/v1', token: secret, fetch: recording });
  const data = async (path: string) => (await service.get(`/v1${path}`, headers)).json.data;
  const page = async (path: string) => {
    const answer = await service.get(`/v1${path}`, headers);
    return { data: answer.json.data, total: Number(answer.headers['x-total-count']) };
  };

  const table: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    ['image', () => second.image(uuid(4, 7)), () => data(`/image/${uuid(4, 7)}`)],
    [
      'image, expiry',
      () => second.image(uuid(4, 7), { expiry: 90 }),
      () => data(`/image/${uuid(4, 7)}?expiry=90`),
    ],
    ['images', () => second.images(), () => page('/image')],
    ['images, a window', () => second.images({ limit: 3, offset: 5 }), () => page('/image?limit=3&offset=5')],
    [
      'artistImages',
      () => second.artistImages(uuid(2, 1), { limit: 2, offset: 58, expiry: 31 }),
      () => page(`/artist/${uuid(2, 1)}/images?limit=2&offset=58&expiry=31`),
    ],
    ['artists', () => second.artists({ limit: 25 }), () => page('/artist?limit=25')],
    [
      'artists, search',
      () => second.artists({ search: '%& 1_' }),
      () => page(`/artist?search=${encodeURIComponent('%& 1_')}`),
    ],
    ['characters', () => second.characters({ offset: 55 }), () => page('/character?offset=55')],
    ['categories', () => second.categories({ limit: undefined }), () => page('/category')],
    ['artist', () => second.artist(uuid(2, 1)), () => data(`/artist/${uuid(2, 1)}`)],
    ['character', () => second.character(uuid(3, 1)), () => data(`/character/${uuid(3, 1)}`)],
    ['category', () => second.category(uuid(1, 2)), () => data(`/category/${uuid(1, 2)}`)],
    ['stats', () => second.stats(), () => data('/stats')],
    ['token', () => second.token(), () => data('/token')],
    [
      'information',
      () => second.information(),
      async () => ({ paths: await data(''), version: 'v0.2.0', baseApiRoute: '/v1' }),
    ],
  ];
  for (const [name, call, expected] of table)
    test(name, async () => {
      assert.deepEqual(await call(), await expected());
    });

  test('random', async () => {
    const images: Image[] = await second.random({ categories: ['category 1', 'CATEGORY 2'], limit: 25 });
    assert.deepEqual(ids(images).sort(), [uuid(4, 1), uuid(4, 2)]);
    assert.equal((await second.random()).length, 10);
    assert.equal((await second.random({ categories: [] })).length, 10);
  });

  test('none is left out', () => {
    assert.deepEqual([...called].sort(), routes.map(({ path }) => path).sort());
  });

  test('the token is sent', async () => {
    assert.equal((await zukan.token()).owner, token.owner);
    await assert.rejects(new Zukan({ origin }).token(), { status: 401 });
  });
});

describe('every page', () => {
  const lists = { images: 4, artists: 2, characters: 3, categories: 1 } as const;
  for (const [list, kind] of Object.entries(lists) as [keyof typeof lists, number][])
    test(`of ${list}, once and in order`, async () => {
      const whole = await zukan[list]({ limit: 25 });
      const items = ids(await all<{ id: string }>(zukan.every(list)));
      assert.deepEqual(items.slice(0, 25), ids(whole.data));
      assert.deepEqual(items.toSorted(), many.map((index) => uuid(kind, index)).toSorted());
    });

  test('of an artist, with links that live as long as was asked for', async () => {
    const images = await all(zukan.everyArtistImage(uuid(2, 1), { expiry: 3_000_000 }));
    assert.equal(new Set(ids(images)).size, 60);
    const [{ expires } = { expires: '' }] = images.map(({ meta }) => meta);
    assert.equal(expires, '2026-04-04T17:20:00.000Z');
    assert.deepEqual(await all(zukan.everyArtistImage(uuid(2, 9))), []);
  });

  test('of what a pattern finds', async () => {
    const found = await all(zukan.every('artists', { search: '%[1-3]_' }));
    assert.equal(found.length, 30);
    assert.deepEqual(await all(zukan.every('characters', { search: 'nobody' })), []);
  });

  test('is asked for only when it is wanted', async () => {
    let calls = 0;
    const counting = new Zukan({
      origin,
      fetch: (url, init) => {
        calls++;
        return fetch(url, init);
      },
    });
    for await (const _ of counting.every('artists')) if (calls > 0) break;
    assert.equal(calls, 1);
  });
});

describe('errors', () => {
  const failing = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => assert.fail('it is a success'),
      (error) => error,
    );
    assert.ok(error instanceof ZukanError, String(error));
    return error;
  };

  test('say what the API says', async () => {
    const table: [number, RegExp, () => Promise<unknown>][] = [
      [400, /^Invalid limit: /, () => zukan.artists({ limit: 26 })],
      [400, /^Invalid categories: there is no category "a&b"/, () => zukan.random({ categories: ['a&b'] })],
      [400, /^Invalid search query: /, () => zukan.artists({ search: '(' })],
      [400, /^Invalid search query: /, () => all(zukan.every('artists', { search: '(' }))],
      [401, /^No token/, () => new Zukan({ origin }).images()],
      [401, /^Invalid token/, () => new Zukan({ origin, token: 'x'.repeat(100) }).stats()],
      [404, /^Image not found/, () => zukan.image(uuid(9, 9))],
      [404, /^Artist not found/, () => zukan.artistImages(uuid(9, 9))],
      [404, /nothing at this address/, () => new Zukan({ origin, prefix: '/nowhere' }).stats()],
    ];
    for (const [status, message, call] of table) {
      const error = await failing(call());
      assert.equal(error.status, status);
      assert.match(error.message, message);
      assert.match(error.requestId, /^[0-9a-f-]{36}$/);
      assert.equal(error.name, 'ZukanError');
    }
  });

  test('an id that would lead elsewhere goes nowhere', async () => {
    for (const id of ['', '.', '..', 'random', `${uuid(4, 1)}/../random`, '42']) {
      const calls = [
        ...[() => zukan.image(id), () => zukan.artist(id), () => zukan.artistImages(id)],
        ...[() => zukan.category(id), () => zukan.character(id), () => all(zukan.everyArtistImage(id))],
      ];
      for (const call of calls)
        assert.deepEqual({ ...(await failing(call())) }, { name: 'ZukanError', status: 400, requestId: '' });
    }
  });

  test('what does not speak our language is told by its status', async () => {
    let [status, text] = [200, ''];
    const stranger = createServer((_, response) => response.writeHead(status).end(text)).listen(0);
    after(() => stranger.close());
    const { port } = stranger.address() as AddressInfo;
    const elsewhere = new Zukan({ origin: `http://127.0.0.1:${port}` });
    for (text of ['<html>', 'null', '{"success":1}'])
      assert.match((await failing(elsewhere.stats())).message, /none of zukan/);
    status = 502;
    for (text of ['<html>', '{"message":{}}', ''])
      assert.deepEqual(await failing(elsewhere.stats()), new ZukanError(502, 'Status 502.', ''));
  });

  test('a client without an address says so', () => {
    assert.throws(() => new Zukan(), /new Zukan\(\{ origin: /);
  });
});
