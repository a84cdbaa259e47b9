/** Errors about expiry, ids, paths and methods, internal errors, and what calls that are denied cost. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, test } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { Config } from '../../src/config/config.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngineInDepth, tamper } from '../support/servers/engines.ts';
import { assertError, clock, examples, testMakers, withExpiry } from '../support/zukan/api.ts';
import { importKnownCatalogue, makeToken, startKnownService } from '../support/zukan/service.ts';
import { startWrapped } from '../support/zukan/wrapped-catalogue.ts';

/** The embedded store has a separate database for tokens. */
function dropTokens(config: Config): void {
  const { database } = config;
  if (database.engine === 'postgres') {
    tamper(config, 'drop table token');
  } else {
    using connection = new DatabaseSync(database.tokensPath);
    connection.exec('drop table token');
  }
}

await forEachEngineInDepth(async (engine) => {
  const service = await startKnownService({ engine, clock });
  const { config } = service;
  const tokens = {
    none: {},
    expiry60: (await makeToken(config, ['image:custom-expiry:60'])).headers,
    both60: (await makeToken(config, ['image:list', 'image:custom-expiry:60'])).headers,
    both: (await makeToken(config, ['image:list', 'image:custom-expiry'])).headers,
  };
  const [image, artist, category] = [uuid(4, 1), uuid(2, 1), uuid(1, 1)];
  const missing = uuid(9, 9);

  const all = examples.map((path) => path || '/');

  const { rejects, accepts } = testMakers(service, tokens);

  // test/http/precedence.test.ts rejects tokens that are missing, invalid, or lack a scope.
  describe('expiry', () => {
    const others = examples.filter((path) => !withExpiry.includes(path) && path !== '/token');
    const asking = (expiry: number) => withExpiry.map((path) => `${path}?expiry=${expiry}`);
    const askingOpen = (expiry: number) => asking(expiry).filter((path) => !/image(\/changes)?\?/.test(path));
    accepts(
      'any expiry on endpoints that ignore it',
      others.flatMap((path) => [`${path}?expiry=31`, `${path}?expiry=x`]),
      'none',
    );
    rejects('an expiry far over the allowance', asking(999_999_999), 'both60', 403, /expiry/i);
    accepts('an expiry of the whole allowance', asking(60), 'both60');
    accepts('the shortest expiry', [...asking(31), ...asking(32)], 'both60');
    accepts('an expiry without image:list on open endpoints', askingOpen(60), 'expiry60');
    accepts('any expiry with a scope without seconds', [...asking(61), ...asking(10_000_000)], 'both');
  });

  describe('404 and 405: unknown ids, paths and methods', () => {
    for (const kind of ['image', 'artist', 'character', 'category'])
      for (const id of [
        missing,
        uuid(1, 0),
        '00000000-0000-0000-0000-000000000000',
        missing.replace(/^9/, 'F'),
      ])
        rejects(`the unknown ${kind} id ${id}`, [`/${kind}/${id}`], 'none', 404, new RegExp(kind, 'i'));
    rejects('the images of an unknown artist', [`/artist/${missing}/images`], 'none', 404, /artist/i);
    rejects('the id of a record of another kind', [`/image/${artist}`, `/artist/${image}`], 'none', 404);
    const unknownPaths = [
      '/nowhere',
      '/images',
      '/stats/x',
      `/image/${image}/x`,
      `/category/${category}/images`,
    ];
    rejects('unknown paths', unknownPaths, 'none', 404);

    test('paths outside the prefixes and malformed paths get the error envelope, too', async () => {
      for (const path of ['/nowhere', '/v2/stats', '/apistats']) assertError(await service.get(path), 404);
      for (const path of ['/api/%zz', '/%', '/api/%E0%A4'])
        assertError(await service.get(path), (await service.get(path)).status === 400 ? 400 : 404);
      const tooLong = await service.get(`/api/image/${'x'.repeat(40_000)}`);
      assertError(tooLong, tooLong.status);
      assert.ok(tooLong.status >= 400 && tooLong.status < 500, `status ${tooLong.status}`);
    });

    for (const method of ['POST', 'PROPFIND', ...atDepth([], ['PUT', 'PATCH', 'DELETE', 'TRACE', 'LOCK'])])
      test(`${method} is 405 everywhere, with an Allow header`, async () => {
        for (const path of all) {
          const answer = await service.get(`/api${path}`, {}, method);
          assertError(answer, 405);
          const allowed = (answer.headers.allow ?? '').split(/\s*,\s*/);
          assert.ok(allowed.includes('GET') && allowed.includes('HEAD') && !allowed.includes(method));
        }
      });

    test('a request with a body is 405, too', async () => {
      for (const type of ['application/json', 'text/xml', 'application/x-www-form-urlencoded', 'nonsense']) {
        const headers = { 'Content-Type': type };
        const answer = await fetch(`${service.origin}/api/stats`, { method: 'POST', headers, body: '{' });
        assert.equal(answer.status, 405, type);
        assert.equal(((await answer.json()) as { code: number }).code, 405);
      }
    });
  });

  test('an internal error is 500 in the error envelope, without internal details', async () => {
    const broken = await startKnownService({ engine, clock });
    const { headers } = await makeToken(broken.config, ['image:list']);
    const tables = ['shelf_block', 'image', 'shelf'];
    for (const table of tables) tamper(broken.config, `drop table ${table}`);
    let failures = 0;
    for (const path of all.filter((path) => path !== '/')) {
      if (path === '/token') dropTokens(broken.config);
      const needs = path === '/token' ? headers : {};
      if (path === '/image' || path === '/image/changes') continue;
      const answer = await broken.get(`/api${path}`, needs);
      // What the server has in memory.
      if (answer.status === 200) continue;
      failures++;
      assertError(answer, 500);
      assert.ok(answer.headers['x-request-id']);
      assert.equal(answer.headers['access-control-allow-origin'], '*');
      assert.doesNotMatch(answer.text, /sql|table|shel[fv]|node:|\.ts\b|\bat /i);
      assert.ok(!answer.text.includes(broken.config.dataDir));
    }
    assert.ok(failures > 5, `${failures}`);
  });
});

// Calls that are denied, without a token or with one that lacks the scope: errors in the query take precedence, and no
// image is read to find them.

/** A catalogue that records the names of the methods called on it. */
const recordCalls = (catalogue: Catalogue, calls: string[]): Catalogue =>
  new Proxy(catalogue, {
    get(target, name) {
      return (...values: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(Reflect.get(target, name), target, values);
      };
    },
  });

await forEachEngineInDepth(async (engine) => {
  const config = await importKnownCatalogue({ engine });
  const calls: string[] = [];
  const request = await startWrapped(config, (catalogue) => recordCalls(catalogue, calls));
  const { headers } = await makeToken(config, []);
  const get = (path: string) => request(`/api${path}`, headers);
  const getWithoutToken = (path: string) => request(`/api${path}`);

  beforeEach(() => {
    calls.length = 0;
  });

  /** Without a token, a missing scope is a missing token. */
  const denied: [path: string, status: 400 | 403, isFilterChecked: boolean, message?: RegExp][] = [
    ...['categories', 'exclude'].map((name): [string, 400, boolean, RegExp] => [
      `/image/random?${name}=catgirl,dragons&expiry=31`,
      400,
      true,
      new RegExp(`^Invalid ${name}: there is no category "dragons"\\.$`),
    ]),
    ['/image/random?categories=catgirl&exclude=Kimono&expiry=31', 403, true],
    ['/image/random?seed=1&expiry=31', 403, true],
    [`/image/random?artist=${uuid(9, 9)}&expiry=31`, 403, true],
    [`/image/random?character=${uuid(9, 9)}&expiry=31`, 403, true],
    ['/image/random?seed=1&cursor=x&expiry=31', 400, false, /^Invalid cursor/],
    ['/image/random?cursor=x&expiry=31', 400, false, /^Invalid cursor/],
    ['/image?nsfw=sfw', 403, false],
    [`/image/${uuid(4, 1)}?expiry=31`, 403, false],
    [`/artist/${uuid(2, 1)}/images?expiry=31`, 403, false],
  ];
  for (const [path, status, isFilterChecked, message] of denied)
    test(`${path} is ${status}, and 401 without a token if nothing else is wrong`, async () => {
      assertError(await get(path), status, message);
      assertError(await getWithoutToken(path), status === 403 ? 401 : status, message);
      assert.deepEqual(calls, isFilterChecked ? ['checkFilter', 'checkFilter'] : []);
    });

  test('checks the filter of an allowed call only once', async () => {
    assert.equal((await get('/image/random?categories=catgirl')).status, 200);
    assertError(await get('/image/random?categories=dragons'), 400);
    assert.deepEqual(calls, ['randomImages', 'randomImages']);
  });
});
