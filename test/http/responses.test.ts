/** Rules for every response: HEAD, trailing slashes, unknown parameters, ids in upper case, CORS, request ids. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuid } from '../support/catalogues/catalogue.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import {
  assertError,
  clock,
  examples,
  madeUpImage,
  startMadeUpService,
  successStatus,
} from '../support/zukan/api.ts';
import { type Answer, type Envelope, makeToken, send, startKnownService } from '../support/zukan/service.ts';

await forEachEngineInDepth(async (engine) => {
  const service = await startKnownService({ engine, clock });
  const token = await makeToken(service.config, ['image:list', 'image:custom-expiry:86400']);
  const randomQueries: Record<string, string> = {
    '/image/random': '?limit=25',
    '/image/random/file': '?seed=1',
  };
  const paths = examples.map((path) => path + (randomQueries[path] ?? ''));
  /** The body, with random images sorted. */
  function sortRandom(json: Envelope, path: string): Envelope {
    if (path.includes('random?'))
      json.data.sort((one: Envelope, other: Envelope) => (one.id < other.id ? -1 : 1));
    return json;
  }

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
      assert.equal(plain.status, successStatus(path));
      const junk: Record<string, string | undefined> = {
        'junk=1': 'junk',
        'fbclid=x&fbclid=y': 'fbclid',
        '=': undefined,
        '&&': undefined,
        ...{
          'a[b]=c': 'a[b]',
          '%zz=%zz': '%25zz',
          '__proto__=1': '__proto__',
          'LIMIT=0&tags[]=1': 'LIMIT, tags',
        },
        'x%0d%0aSet-Cookie:a=1': 'x%0D%0ASet-Cookie%3Aa',
      };
      const same = [
        `${bare}/${query ? `?${query}` : ''}`,
        ...Object.keys(junk).map((text) => `${bare}?${query ?? ''}&${text}`),
      ];
      for (const address of same) {
        const answer = await service.get(`/api${address}`, token.headers);
        assert.equal(answer.status, plain.status, `${address}: ${answer.text}`);
        assert.equal(answer.headers.location, plain.headers.location);
        assert.deepEqual(sortRandom(answer.json, path), sortRandom(plain.json, path));
        const reported = Object.entries(junk).find(([text]) => address.endsWith(`&${text}`))?.[1];
        assert.equal(answer.headers['x-ignored-parameters'], reported, address);
      }
    });

  test('ignores parameters of other endpoints, and reports them', async () => {
    const long = 'x'.repeat(51);
    for (const address of [
      ...['/?limit=0', `/stats?offset=x&search=${long}`, '/token?expiry=1', '/image?categories=no'],
      ...['/image/random?offset=x', `/image/${uuid(4, 1)}?limit=0&offset=x`, '/artist?expiry=1'],
      ...[`/artist/${uuid(2, 1)}?limit=0`, `/character/${uuid(3, 1)}?search=${long}`, '/category?expiry=1'],
    ]) {
      const answer = await service.get(`/api${address}`, token.headers);
      assert.equal(answer.status, 200, address);
      const names = [...new URL(address, service.origin).searchParams.keys()];
      assert.equal(answer.headers['x-ignored-parameters'], names.join(', '), address);
    }
  });

  test('reports ignored parameters with errors and with 304, too', async () => {
    const { headers } = await service.get('/api/stats');
    const unchanged = { 'If-None-Match': headers.etag ?? '' };
    const wrong = { Authorization: 'Bearer x' };
    const answers: [number, string | undefined, Answer][] = [
      [400, 'tag', await service.get('/api/artist?limit=0&tag=1')],
      [400, 'tag', await service.get('/api/image/x?tag=1')],
      [401, 'tag', await service.get('/api/image/random?expiry=31&tag=1')],
      [401, undefined, await service.get('/api/stats?tag=1', wrong)],
      [403, 'tag', await service.get('/api/image/random?expiry=99999&tag=1', token.headers)],
      [404, 'tag', await service.get(`/api/image/${uuid(9, 9)}?tag=1`)],
      [304, 'tag', await service.get('/api/stats?tag=1', unchanged)],
    ];
    for (const [status, reported, answer] of answers)
      assert.deepEqual([answer.status, answer.headers['x-ignored-parameters']], [status, reported]);
  });

  test('refuses unknown parameters where the caller wants it', async () => {
    const get = (address: string) => service.get(address, token.headers);
    assertError(
      await get('/api/image/random?strict=true&category=fox&limit=1'),
      400,
      /^Unknown parameters: category\. Known are categories, .*, strict\.$/,
    );
    assertError(await get('/feed.json?limit=3&strict=True'), 400, /^Unknown parameters: limit\./);
    assertError(await get('/api/artist?strict=1'), 400, /^Invalid strict/);
    for (const query of ['strict=true&limit=1', 'strict=false&category=fox', ''])
      assert.equal((await get(`/api/image/random?${query}`)).status, 200);
    assert.match((await get('/api/artist?limit=1&strict=true')).headers.link ?? '', /strict=true/);
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
      const exposed = (answer.headers['access-control-expose-headers'] ?? '').toLowerCase().split(/\s*,\s*/);
      const limits = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit'];
      for (const name of [
        ...limits,
        'ratelimit-policy',
        'retry-after',
        'etag',
        'x-request-id',
        'x-ignored-parameters',
      ])
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
      assert.equal(answer.headers['access-control-allow-headers'], '*, Authorization');
    });
});
