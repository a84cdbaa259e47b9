/** The root of the site: gallery or service information, addresses where there is nothing, and the API at the root. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { routes } from '../../src/api/routes.ts';
import { readConfig } from '../../src/config/config.ts';
import { Logger } from '../../src/http/logger.ts';
import { warnAboutHiddenPages } from '../../src/server/app.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { assertError, clock, examples, related, successStatus } from '../support/zukan/api.ts';
import {
  type Answer,
  configFor,
  importKnownCatalogue,
  makeToken,
  type Service,
  startService,
} from '../support/zukan/service.ts';

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const folder = temporaryFolder();
await importKnownCatalogue({}, folder);
/** All services have the same catalogue. */
const start = (environment: Record<string, string>) =>
  startService(configFor(folder, environment), { clock });
const limited = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' };
let clients = 0;
const newClient = () => ({ 'X-Forwarded-For': `203.0.113.${clients++}` });
const without = (headers: Answer['headers'], ...names: string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

function assertHtml({ headers, text }: Answer, expected: RegExp): void {
  assert.match(headers['content-type'] ?? '', /^text\/html/);
  assert.match(text, expected);
}

const service = await start({ ...limited, METRICS_ALLOW: '10.0.0.5' });

describe('GET /', () => {
  const ask = (headers: Record<string, string> = {}, method = 'GET', path = '/') =>
    service.get(path, { ...newClient(), ...headers }, method);

  test('is the gallery for a browser', async () => {
    const answer = await ask(browser);
    assertHtml(answer, /<html lang="en">/);
    assert.equal(answer.headers.vary, 'Accept, Accept-Encoding');
  });

  test('is the service information of the first prefix for everyone else', async () => {
    const expected = await ask({}, 'GET', '/api');
    for (const accept of [undefined, '*/*', 'application/json', 'image/png'])
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(accept === undefined ? {} : { Accept: accept }, method);
        assert.equal(answer.status, 200);
        assert.equal(answer.text, method === 'GET' ? expected.text : '');
        assert.equal(answer.headers.vary, 'Accept');
        const own = ['vary', 'x-request-id', 'date'];
        assert.deepEqual(without(answer.headers, ...own), without(expected.headers, ...own));
      }
  });

  test('counts against the rate limit only as JSON, and checks the token', async () => {
    const client = newClient();
    for (let visit = 0; visit < 3; visit++)
      assert.equal((await service.get('/', { ...client, ...browser })).status, 200);
    assert.equal((await service.get('/', client)).headers['x-ratelimit-remaining'], '0');
    const refused = await service.get('/', client);
    assertError(refused, 429);
    assert.equal(refused.headers.vary, 'Accept');
    assert.equal((await service.get('/', { ...client, ...browser })).status, 200);
    assertError(await ask({ Authorization: 'Bearer x' }), 401);
  });

  test('the entity tag of one form is none of the other, so a cache cannot mix them up', async () => {
    const json = await ask();
    for (const { headers } of [json, await ask(browser)]) assert.equal(headers['cache-control'], 'no-cache');
    const known = { 'If-None-Match': json.headers.etag ?? '' };
    const same = await ask(known);
    assert.deepEqual([same.status, same.headers.vary, same.text], [304, 'Accept', '']);
    assert.equal((await ask({ ...browser, ...known })).status, 200);
  });

  test('reports ignored parameters as JSON, and sends people from an old address to its page', async () => {
    assert.equal((await ask({}, 'GET', '/?in=artists')).status, 301);
    const json = await ask({ Accept: 'application/json' }, 'GET', '/?in=artists');
    assert.equal(json.headers['x-ignored-parameters'], 'in');
    const page = await ask(browser, 'GET', '/?in=artists');
    assert.deepEqual([page.status, page.headers.location], [301, '/artists']);
  });
});

describe('an address outside the API where there is nothing', () => {
  const paths = [
    '/nowhere',
    '/gallery/none.js',
    '/gallery/client/none.js',
    '/files',
    '/metrics',
    '/apis',
    '/%00',
  ];

  test('is an error that names the addresses of the API', async () => {
    for (const path of paths) {
      const answer = await service.get(path);
      assertError(answer, 404, /^There is nothing at this address\. The API is at \/api and \/v1,/);
      assert.equal(answer.headers.vary, 'Accept');
    }
    const { json } = await (await start({ API_PREFIXES: '/v2/beta' })).get('/stats');
    assert.match(json.message, /The API is at \/v2\/beta,/);
  });

  test('is a page for a browser', async () => {
    for (const path of paths) {
      const answer = await service.get(path, browser);
      assert.equal(answer.status, 404);
      assertHtml(answer, /<h1>There is nothing here<\/h1>/);
      assert.match(answer.text, /The API is at <code>\/api<\/code> and <code>\/v1<\/code>\./);
      for (const link of ['/', '/docs']) assert.match(answer.text, new RegExp(`<a [^>]*href="${link}">`));
      assert.equal(answer.headers.vary, 'Accept');
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.match(answer.headers['content-security-policy'] ?? '', /^default-src 'none'; style-src 'self';/);
      const head = await service.get(path, browser, 'HEAD');
      assert.deepEqual(
        [head.status, head.headers['content-length']],
        [404, answer.headers['content-length']],
      );
    }
  });

  test('the page complies with its policy, and repeats nothing from the request', async () => {
    const plain = await service.get('/nowhere', browser);
    assert.doesNotMatch(plain.text, /<script|<style|<form|<iframe|<base| style=| on\w+=/i);
    const headers = { ...browser, Host: 'evil.example', Referer: 'http://evil.example/"><script>' };
    for (const path of [
      '/%3Cscript%3Ealert(1)%3C/script%3E',
      '/a?x="><img src=x onerror=alert(1)>',
      '/evil.example',
    ])
      assert.equal((await service.get(path, headers)).text, plain.text);
  });

  test('other methods get the error', async () => {
    assertError(await service.get('/nowhere', {}, 'POST'), 404, /The API is at/);
    assertError(await service.get('/api/nowhere', browser), 404);
  });
});

/** The same service under `/` and under `/v1`. */
function testRoot(prefixes: string): void {
  describe(`API_PREFIXES=${prefixes}`, async () => {
    const service = await start({ API_PREFIXES: prefixes });
    const { headers } = await makeToken(service.config, ['image:list', 'image:custom-expiry']);
    const get = (path: string) => service.get(path, headers);

    test('every endpoint is at the root, with and without a trailing slash', async () => {
      for (const path of examples.slice(1)) {
        const [answer, slash] = [await get(path), await get(`${path}/`)];
        const status = successStatus(path);
        assert.deepEqual([answer.status, slash.status], [status, status], path);
        if (!path.includes('random')) assert.equal(answer.text, slash.text);
        if (prefixes.includes('/v1') && !path.includes('random'))
          assert.equal(answer.text, (await get(`/v1${path}`)).text);
      }
    });

    test('GET / is the gallery or the service information', async () => {
      const { json } = await get('/');
      assert.equal(json.meta.baseApiRoute, '/');
      assert.deepEqual(
        json.data,
        routes.map(({ path }) => path),
      );
      const page = await service.get('/', browser);
      assertHtml(page, /<html lang="en">/);
      if (prefixes.includes('/v1')) assert.equal((await get('/v1')).json.meta.baseApiRoute, '/v1');
    });

    test('links to pages and files work', async () => {
      const page = await get('/image?limit=2&offset=2');
      for (const relation of ['next', 'prev'] as const) {
        const link = related(page, relation, service.origin) ?? '';
        assert.equal(new URL(link).origin, service.origin, link);
        assert.match(link, /[0-9]\/image\?/);
        assert.equal((await get(link)).status, 200);
      }
      assert.equal((await get(page.json.data[0].url)).status, 200);
    });

    test('errors are in the envelope', async () => {
      for (const path of ['/image/x', '/artist?limit=0']) assertError(await get(path), 400);
      assertError(await service.get('/token'), 401);
      for (const path of [`/image/${uuid(9, 9)}`, '/stats/x', '/image/random/x', '/nowhere', '/docs/x'])
        assertError(await get(path), 404);
      for (const path of ['/', '/stats', '/docs', '/image/random'])
        assertError(await service.get(path, headers, 'POST'), 405);
      assertError(await service.get('/stats/x', browser), 404);
      assertHtml(await service.get('/nowhere', browser), /There is nothing here/);
    });

    if (prefixes === '/' || atDepth(false, true))
      test('everything else keeps its address', async () => {
        for (const path of [
          '/docs',
          '/docs.css',
          '/docs.js',
          '/openapi.json',
          '/health/live',
          '/health/ready',
          '/metrics',
        ])
          assert.equal((await service.get(path)).status, 200, path);
        assert.equal((await service.get('/gallery/gallery.js')).status, 200);
        assert.equal((await service.get('/gallery/client/index.js')).status, 200);
      });

    test('the reference has the right addresses', async () => {
      const { json } = await service.get('/openapi.json');
      assert.deepEqual(
        json.servers.map(({ url }: { url: string }) => url),
        prefixes.split(','),
      );
      if (prefixes !== '/' && atDepth(true, false)) return;
      const { text } = await service.get('/docs');
      const first = prefixes.split(',')[0] === '/' ? '' : '/v1';
      assert.ok(text.includes(`${service.origin}</span>${first}/stats`));
      assert.ok(!text.includes('</span>//'));
    });
  });
}
for (const prefixes of ['/', '/v1,/']) testRoot(prefixes);

test('a prefix of the API wins over the pages at its word, and the log says so', async () => {
  const { get } = await start({ API_PREFIXES: '/artists,/search,/api' });
  assert.equal((await get('/artists', browser)).json.meta.baseApiRoute, '/artists');
  assert.equal((await get('/search', browser)).json.meta.baseApiRoute, '/search');
  assert.equal((await get('/artists/stats', browser)).status, 200);
  assertError(await get(`/artists/${uuid(2, 1)}`, browser), 404);
  assertHtml(await get('/newest', browser), /<h1 dir="auto">Newest/);
  const warnings: string[] = [];
  const log = new Logger('warn', (block) => warnings.push(String(block)));
  warnAboutHiddenPages({ apiPrefixes: ['/artists/v1', '/api', '/pictures'] }, log);
  await log.flush();
  assert.deepEqual(warnings.join().match(/a prefix at (\/\w+)/g), [
    'a prefix at /pictures',
    'a prefix at /artists',
  ]);
});

describe('with the API at the root', async () => {
  const service: Service = await start({ API_PREFIXES: '/', ...limited });

  test('everything below its endpoints counts against the rate limit, and nothing else', async () => {
    for (const [path, method] of [
      ['/'],
      ['/stats'],
      ['/stats/x'],
      ['/image/random/'],
      ['/%73tats'],
      ['/', 'POST'],
    ]) {
      const client = newClient();
      assert.equal((await service.get(path as string, client, method)).headers['x-ratelimit-remaining'], '0');
      assertError(await service.get(path as string, client, method), 429);
    }
    const client = newClient();
    for (const path of ['/docs', '/health/live', '/favicon.ico', '/docs/x', '/nowhere'])
      assert.equal((await service.get(path, client)).headers['x-ratelimit-limit'], undefined, path);
    assert.equal((await service.get('/stats', client)).status, 200);
  });

  test('no other prefix may have the name of an endpoint or of another address', () => {
    const segments = new Set(routes.map(({ path }) => path.split('/')[1] as string));
    segments.delete('');
    for (const segment of segments)
      for (const prefixes of [`/,/${segment}`, `/${segment}/v1,/`])
        assert.throws(
          () => readConfig({ API_PREFIXES: prefixes }),
          /API_PREFIXES: .* is an endpoint/,
          prefixes,
        );
    assert.deepEqual(readConfig({ API_PREFIXES: '/image,/images' }).apiPrefixes, ['/image', '/images']);
    assert.deepEqual(readConfig({ API_PREFIXES: '/, /images' }).apiPrefixes, ['/', '/images']);
  });
});
