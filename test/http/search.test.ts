/** Searches over HTTP: pages, totals, errors, new entries, and those that take too long. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SearchTooLong } from '../../src/catalogue/search/scan.ts';
import { restoreDemo } from '../support/catalogues/demo.ts';
import { sandbox } from '../support/catalogues/import.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { assertError, startMadeUpService } from '../support/zukan/api.ts';
import { seededRandomInt, startKnownService, startService } from '../support/zukan/service.ts';
import { startWrapped } from '../support/zukan/wrapped-catalogue.ts';

await forEachEngineInDepth(async (engine) => {
  const service = await startKnownService({ engine });
  const search = (kind: string, pattern: string, more = '') =>
    service.get(`/api/${kind}?search=${encodeURIComponent(pattern)}${more}`);
  const namesOf = (json: { data: { name: string }[] }) => json.data.map(({ name }) => name);

  describe('returns the matches, sorted by name', () => {
    const cases: [string, string, string[]][] = [
      ['artist', 'mariko', ['Mariko']],
      ['artist', '%E%', ['abe', 'Idle', 'Élodie']],
      ['artist', 'é%', ['Élodie']],
      ['artist', 'nobody', []],
      ['character', '%"Snow"%', ['Yuki "Snow" Sato']],
      ['character', '___', ['かえで']],
      ['category', 'k%|%sky', ['Kimono', 'night sky']],
    ];
    for (const [kind, pattern, expected] of cases) {
      test(`${kind} ${pattern}`, async () => {
        const { json, headers } = await search(kind, pattern);
        assert.deepEqual(namesOf(json), expected);
        assert.equal(headers['x-total-count'], String(expected.length));
      });
    }
  });

  test('counts the matches, and pages through each once', async () => {
    const seen: string[] = [];
    let path: string | undefined = '/api/artist?search=%25e%25&limit=1';
    while (path) {
      const { json, headers } = await service.get(path);
      assert.equal(headers['x-total-count'], '3');
      seen.push(...namesOf(json));
      path = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
    }
    assert.deepEqual(seen, ['abe', 'Idle', 'Élodie']);
  });

  test('an invalid pattern is 400, and the message says what is wrong and where', async () => {
    for (const kind of ['artist', 'character', 'category']) {
      const { status, json } = await search(kind, '*');
      assert.equal(status, 400);
      assert.deepEqual(json, {
        code: 400,
        message: 'Invalid search query: nothing to repeat before "*" at character 1.',
        success: false,
      });
    }
    // Whatever names there are.
    for (const kind of ['artist', 'character', 'category'])
      for (const pattern of ['((((_?){99}){99}){99}){99}', '%(cat|dog|bird|fish){1,30}%']) {
        const { status, json } = await search(kind, pattern);
        assert.equal(status, 400, pattern);
        assert.match(json.message, /^Invalid search query: the pattern is too large/);
      }
  });

  test('finds new entries right after an import', async () => {
    const box = sandbox(engine);
    await box.import([{ type: 'artist', name: 'First' }]);
    const running = await startService(box.config);
    const found = async () => namesOf((await running.get('/api/artist?search=%25')).json);
    assert.deepEqual(await found(), ['First']);
    for (let round = 0; round < atDepth(2, 4); round++) {
      await box.import([{ type: 'artist', name: `Artist ${round}` }]);
      assert.equal((await found()).length, round + 2);
      const { headers } = await running.get('/api/artist?search=artist%25');
      assert.equal(headers['x-total-count'], String(round + 1));
    }
  });
});

test('a search that takes too long is a 503 that says so', async () => {
  const random = seededRandomInt(1);
  const nameOf = () => Array.from({ length: 60 }, () => 'ab'[random(2)]).join('');
  const service = await startMadeUpService(
    Array.from({ length: 4000 }, () => ({ type: 'artist', name: nameOf() })),
  );
  const slow = await service.get(`/api/artist?search=${encodeURIComponent('%a%_{30}b%a_{20}b%')}`);
  assertError(slow, 503, /^This search takes too long/);
  assert.equal(slow.headers['retry-after'], '60');
  assert.equal((await service.get('/api/artist?search=ab%25')).status, 200);
});

// A search that takes too long, on pages, in feeds and in the API: whoever sent it learns what to write instead.

test('a search that takes too long is a 503 everywhere, not a failure of the service', async () => {
  const refuse = async () => {
    throw new SearchTooLong();
  };
  const get = await startWrapped(await restoreDemo(), (catalogue) => {
    const calls = ['search', 'searchAll', 'randomImages', 'latestImages', 'images'] as const;
    return Object.assign(Object.create(catalogue), Object.fromEntries(calls.map((name) => [name, refuse])));
  });
  const paths = ['search', 'image/random', 'image/latest', 'image/random/file'];
  for (const path of [
    ...paths.map((name) => `/api/${name}?q=a`),
    '/api/artist?search=a%25',
    '/feed.xml?q=a',
  ]) {
    const { status, json, headers } = await get(path);
    assert.equal(status, 503, path);
    assert.match(json.message, /^This search takes too long .*: use rarer words/);
    assert.equal(headers['retry-after'], '60');
  }
  const page = await get('/search?q=a', { Accept: 'text/html' });
  assert.equal(page.status, 503);
  assert.equal(page.headers['retry-after'], '60');
  assert.match(page.text, /This search takes too long .*: use rarer words/);
});
