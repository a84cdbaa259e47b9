/** The client against the real service: endpoints, iterators and errors. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { type Image, Zukan, ZukanError } from '../../client/index.ts';
import { routes } from '../../src/api/routes.ts';
import { version } from '../../src/lib/version.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { madeUpImage, startMadeUpService } from '../support/zukan/api.ts';
import { checkedFetch } from '../support/zukan/contract.ts';
import { makeToken } from '../support/zukan/service.ts';

const numbers = Array.from({ length: 60 }, (_, index) => index + 1);
const service = await startMadeUpService([
  ...numbers.map((index) => ({ type: 'category', id: uuid(1, index), name: `category ${index}` })),
  ...numbers.map((index) => ({ type: 'artist', id: uuid(2, index), name: `Artist & ${index}` })),
  ...numbers.map((index) => ({ type: 'character', id: uuid(3, index), name: `Character ${index}` })),
  ...numbers.map((index) =>
    madeUpImage(uuid(4, index), {
      artist: uuid(2, 1),
      categories: index > 2 ? ['category 1'] : ['category 1', 'category 2'],
      characters: ['Character 1'],
    }),
  ),
  ...numbers.map((index) => ({
    type: 'album',
    id: uuid(5, index),
    name: `Album ${index}`,
    images: [uuid(4, 9), uuid(4, 3)],
  })),
]);
const { origin } = service;
const { secret, token, headers } = await makeToken(service.config, ['image:list', 'image:custom-expiry']);
const zukan = new Zukan({ origin, token: secret });

const ids = (list: { id: string }[]) => list.map(({ id }) => id);
const collect = <T>(items: AsyncIterable<T>): Promise<T[]> => Array.fromAsync(items);

describe('each method returns the data of its endpoint', () => {
  const calledPaths = new Set<string>();
  const recordingFetch: typeof fetch = (url, init) => {
    calledPaths.add(new URL(String(url)).pathname.replace('/v1', '').replace(/[0-9a-f-]{36}/, '{id}') || '/');
    return checkedFetch(url, init);
  };
  const client = new Zukan({ origin: `${origin}/`, prefix: '/v1', token: secret, fetch: recordingFetch });
  const getData = async (path: string) => (await service.get(`/v1${path}`, headers)).json.data;
  const getPage = async (path: string) => {
    const response = await service.get(`/v1${path}`, headers);
    return { data: response.json.data, total: Number(response.headers['x-total-count']) };
  };

  const table: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    ['image', () => client.image(uuid(4, 7)), () => getData(`/image/${uuid(4, 7)}`)],
    [
      'image, expiry',
      () => client.image(uuid(4, 7), { expiry: 90 }),
      () => getData(`/image/${uuid(4, 7)}?expiry=90`),
    ],
    ['images', () => client.images(), () => getPage('/image')],
    [
      'images, limit and offset',
      () => client.images({ limit: 3, offset: 5 }),
      () => getPage('/image?limit=3&offset=5'),
    ],
    [
      'changes',
      async () => (await client.changes({ limit: 3, nsfw: ['sfw'] })).data,
      () => getData('/image/changes?limit=3&nsfw=sfw'),
    ],
    [
      'image, include',
      () => client.image(uuid(4, 1), { include: ['artist'] }),
      () => getData(`/image/${uuid(4, 1)}?include=artist`),
    ],
    [
      'artistImages',
      () => client.artistImages(uuid(2, 1), { limit: 2, offset: 58, expiry: 31 }),
      () => getPage(`/artist/${uuid(2, 1)}/images?limit=2&offset=58&expiry=31`),
    ],
    [
      'albumImages',
      () => client.albumImages(uuid(5, 1), { limit: 1, offset: 1, expiry: 31 }),
      () => getPage(`/album/${uuid(5, 1)}/images?limit=1&offset=1&expiry=31`),
    ],
    ['albums', () => client.albums({ search: 'album 7' }), () => getPage('/album?search=album%207')],
    ['album', () => client.album(uuid(5, 7)), () => getData(`/album/${uuid(5, 7)}`)],
    ['artists', () => client.artists({ limit: 25 }), () => getPage('/artist?limit=25')],
    [
      'artists, search',
      () => client.artists({ search: '%& 1_' }),
      () => getPage(`/artist?search=${encodeURIComponent('%& 1_')}`),
    ],
    [
      'characters',
      () => client.characters({ offset: 55, include: ['count', 'cover'] }),
      () => getPage('/character?offset=55&include=count,cover'),
    ],
    ['categories', () => client.categories({ limit: undefined }), () => getPage('/category')],
    ['artist', () => client.artist(uuid(2, 1)), () => getData(`/artist/${uuid(2, 1)}`)],
    ['character', () => client.character(uuid(3, 1)), () => getData(`/character/${uuid(3, 1)}`)],
    [
      'category',
      () => client.category(uuid(1, 2), { include: ['cover'] }),
      () => getData(`/category/${uuid(1, 2)}?include=cover`),
    ],
    [
      'latest',
      () => client.latest({ categories: ['category 1', 'category 2'], limit: 1, expiry: 90 }),
      async () => {
        const path = '/v1/image/latest?categories=category 1,category 2&limit=1&expiry=90';
        const { json, headers: received } = await service.get(encodeURI(path), headers);
        return { data: json.data, cursor: received['x-next-cursor'] };
      },
    ],
    [
      'similar',
      () => client.similar(uuid(4, 1), { nsfw: ['sfw'], limit: 3 }),
      () => getData(`/image/${uuid(4, 1)}/similar?nsfw=sfw&limit=3`),
    ],
    [
      'search',
      async () => {
        const { cursor, ...found } = await client.search('category -"category 2"', { include: ['details'] });
        assert.equal((await client.search('category -"category 2"', { cursor })).total, found.total);
        return found;
      },
      () => getData('/search?q=category%20-%22category%202%22&include=details'),
    ],
    ['stats', () => client.stats(), () => getData('/stats')],
    ['token', () => client.token(), () => getData('/token')],
    [
      'information',
      () => client.information(),
      async () => ({ paths: await getData(''), version: `v${version}`, baseApiRoute: '/v1' }),
    ],
  ];
  for (const [name, call, expected] of table)
    test(name, async () => {
      assert.deepEqual(await call(), await expected());
    });

  test('random', async () => {
    const images: Image[] = await client.random({ categories: ['category 1', 'CATEGORY 2'], limit: 25 });
    assert.deepEqual(ids(images).sort(), [uuid(4, 1), uuid(4, 2)]);
    assert.equal((await client.random()).length, 10);
    assert.equal((await client.random({ categories: [] })).length, 10);
  });

  test('fileUrl and randomFileUrl', async () => {
    for (const [url, id] of [
      [client.fileUrl(uuid(4, 7), { width: 100 }), uuid(4, 7)],
      [client.randomFileUrl({ categories: ['category 2'], seed: 'a&b', width: undefined }), ''],
    ] as const) {
      const { status, location } = await recordingFetch(url, { redirect: 'manual' }).then((response) => ({
        status: response.status,
        location: response.headers.get('location') ?? '',
      }));
      assert.equal(status, 302);
      assert.ok(location.startsWith(`${origin}/pictures/${id}`), location);
    }
    assert.equal(
      new Zukan({ origin }).randomFileUrl({ nsfw: ['sfw', 'nsfw'] }),
      `${origin}/api/image/random/file?nsfw=sfw%2Cnsfw`,
    );
    assert.throws(() => client.fileUrl('random'), ZukanError);
  });

  test('every endpoint of the API has a method', () => {
    assert.deepEqual([...calledPaths].sort(), routes.map(({ path }) => path).sort());
  });

  test('the client sends its token', async () => {
    assert.equal((await zukan.token()).owner, token.owner);
    await assert.rejects(new Zukan({ origin }).token(), { status: 401 });
    assert.throws(() => new Zukan({ origin, token: '' }), /^TypeError: The token is empty/);
  });
});

describe('iterators', () => {
  const lists = { images: 4, artists: 2, characters: 3, categories: 1, albums: 5 } as const;
  for (const [list, kind] of Object.entries(lists) as [keyof typeof lists, number][])
    test(`return each of the ${list} once, in order`, async () => {
      const firstPage = await zukan[list]({ limit: 25 });
      const items = ids(await collect<{ id: string }>(zukan.every(list)));
      assert.deepEqual(items.slice(0, 25), ids(firstPage.data));
      assert.deepEqual(items.toSorted(), numbers.map((index) => uuid(kind, index)).toSorted());
    });

  test('return the images of an artist, with the requested link lifetime', async () => {
    const images = await collect(zukan.everyArtistImage(uuid(2, 1), { expiry: 3_000_000 }));
    assert.equal(new Set(ids(images)).size, 60);
    const [{ expires } = { expires: '' }] = images.map(({ meta }) => meta);
    assert.equal(expires, '2026-04-04T17:20:00.000Z');
    assert.deepEqual(await collect(zukan.everyArtistImage(uuid(2, 9))), []);
  });

  test('return the latest images, newest first', async () => {
    const newestFirst = numbers.map((index) => uuid(4, index)).reverse();
    assert.deepEqual(ids(await collect(zukan.everyLatest())), newestFirst);
    const options = { categories: ['category 2'] };
    assert.deepEqual(ids(await collect(zukan.everyLatest(options))), newestFirst.slice(-2));
    const first = await zukan.latest({ limit: 7 });
    const second = await zukan.latest({ limit: 9, cursor: first.cursor });
    assert.deepEqual(ids([...first.data, ...second.data]), newestFirst.slice(0, 16));
  });

  test('request a page only when it is needed', async () => {
    let requests = 0;
    const counting = new Zukan({
      origin,
      fetch: (url, init) => {
        requests++;
        return fetch(url, init);
      },
    });
    for await (const _ of counting.every('artists')) break;
    assert.equal(requests, 1);
  });
});

describe('errors', () => {
  const catchError = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => assert.fail('the call succeeded'),
      (error) => error,
    );
    assert.ok(error instanceof ZukanError, String(error));
    return error;
  };

  test('carry the message of the service', async () => {
    const table: [number, RegExp, () => Promise<unknown>][] = [
      [400, /^Invalid limit: /, () => zukan.artists({ limit: 26 })],
      // An empty list of ratings must not mean every rating.
      [400, /^Invalid nsfw: /, () => zukan.random({ nsfw: [] })],
      [400, /^Invalid categories: there is no category "a&b"/, () => zukan.random({ categories: ['a&b'] })],
      [400, /^Invalid search query: /, () => zukan.artists({ search: '(' })],
      [400, /^Invalid search query: /, () => collect(zukan.every('artists', { search: '(' }))],
      [401, /^No token/, () => new Zukan({ origin }).images()],
      [401, /^Invalid token/, () => new Zukan({ origin, token: 'x'.repeat(100) }).stats()],
      [404, /^Image not found/, () => zukan.image(uuid(9, 9))],
      [404, /^Artist not found/, () => zukan.artistImages(uuid(9, 9))],
      [404, /nothing at this address/, () => new Zukan({ origin, prefix: '/nowhere' }).stats()],
    ];
    for (const [status, message, call] of table) {
      const error = await catchError(call());
      assert.equal(error.status, status);
      assert.match(error.message, message);
      assert.match(error.requestId, /^[0-9a-f-]{36}$/);
      assert.equal(error.name, 'ZukanError');
    }
  });

  test('an id that is not a UUID is rejected without a request', async () => {
    for (const id of ['', '.', '..', 'random', `${uuid(4, 1)}/../random`, '42']) {
      const calls = [
        ...[() => zukan.image(id), () => zukan.artist(id), () => zukan.artistImages(id)],
        ...[() => zukan.category(id), () => zukan.character(id), () => collect(zukan.everyArtistImage(id))],
      ];
      for (const call of calls)
        assert.deepEqual(
          { ...(await catchError(call())) },
          { name: 'ZukanError', status: 400, requestId: '', retryAfter: undefined, code: undefined },
        );
    }
  });

  test('a response that is not from zukan is reported', async () => {
    let [status, text] = [200, ''];
    const server = createServer((_, response) => response.writeHead(status).end(text)).listen(0);
    after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const client = new Zukan({ origin: `http://127.0.0.1:${port}` });
    for (text of ['<html>', 'null', '{"success":1}'])
      assert.match(
        (await catchError(client.stats())).message,
        /^Unexpected response: is this a zukan server\?$/,
      );
    status = 502;
    for (text of ['<html>', '{"message":{}}', ''])
      assert.deepEqual(await catchError(client.stats()), new ZukanError(502, 'Status 502.', ''));
  });

  test('a failed connection has the reason and its code', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'Content-Length': 10 }).write('{');
      response.destroy();
    }).listen(0);
    after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const interrupted = await catchError(new Zukan({ origin: `http://127.0.0.1:${port}` }).stats());
    assert.deepEqual([interrupted.status, interrupted.requestId], [0, '']);

    server.close();
    await once(server, 'close');
    const refused = await catchError(new Zukan({ origin: `http://127.0.0.1:${port}` }).artists({ limit: 3 }));
    assert.deepEqual([refused.status, refused.code], [0, 'ECONNREFUSED']);
    assert.equal(
      refused.message,
      `No response from http://127.0.0.1:${port}/api/artist: connect ECONNREFUSED 127.0.0.1:${port}`,
    );
    assert.ok(refused.cause instanceof TypeError);
  });

  test('an aborted call rejects with the reason of the signal', async () => {
    const reason = new Error('changed my mind');
    const signal = AbortSignal.abort(reason);
    for (const call of [zukan.stats({ signal }), zukan.artist(uuid(2, 5), { signal })])
      await assert.rejects(call, (error) => error === reason);
    assert.equal((await zukan.artist(uuid(2, 5))).id, uuid(2, 5));
  });
});
