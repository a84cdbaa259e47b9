/** Calls that are denied, without a token or with one that lacks the scope: errors in the query take precedence, and no image is read to find them. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { assertError } from '../support/zukan/api.ts';
import { importKnownCatalogue, makeToken } from '../support/zukan/service.ts';
import { startWrapped } from '../support/zukan/wrapped-catalogue.ts';

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
