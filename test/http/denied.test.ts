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

  test('sends 400 for unknown categories', async () => {
    for (const name of ['categories', 'exclude']) {
      const response = await get(`/image/random?${name}=catgirl,dragons&expiry=31`);
      assertError(response, 400, new RegExp(`^Invalid ${name}: there is no category "dragons"\\.$`));
    }
    assert.deepEqual(calls, ['checkFilter', 'checkFilter']);
  });

  test('sends 403 for known categories', async () => {
    assertError(await get('/image/random?categories=catgirl&exclude=Kimono&expiry=31'), 403);
    assertError(await get('/image/random?seed=1&expiry=31'), 403);
    assert.deepEqual(calls, ['checkFilter', 'checkFilter']);
  });

  test('sends 403, not 404, for an unknown artist or character', async () => {
    assertError(await get(`/image/random?artist=${uuid(9, 9)}&expiry=31`), 403);
    assertError(await get(`/image/random?character=${uuid(9, 9)}&expiry=31`), 403);
    assert.deepEqual(calls, ['checkFilter', 'checkFilter']);
  });

  test('sends the same 400s for an expiry without a token, and 401 if there are none', async () => {
    assertError(await getWithoutToken('/image/random?exclude=dragons&expiry=31'), 400, /"dragons"/);
    assertError(await getWithoutToken('/image/random?categories=catgirl&expiry=31'), 401);
    assertError(await getWithoutToken(`/image/random?artist=${uuid(9, 9)}&expiry=31`), 401);
    assert.deepEqual(calls, ['checkFilter', 'checkFilter', 'checkFilter']);
  });

  test('sends 400 for an invalid cursor', async () => {
    assertError(await get('/image/random?seed=1&cursor=x&expiry=31'), 400, /^Invalid cursor/);
    assertError(await get('/image/random?cursor=x&expiry=31'), 400, /^Invalid cursor/);
    assert.deepEqual(calls, []);
  });

  test('sends 403 without asking the catalogue where it cannot find an error', async () => {
    for (const path of [
      '/image?nsfw=sfw',
      `/image/${uuid(4, 1)}?expiry=31`,
      `/artist/${uuid(2, 1)}/images?expiry=31`,
    ])
      assertError(await get(path), 403);
    assert.deepEqual(calls, []);
  });

  test('checks the filter of an allowed call only once', async () => {
    assert.equal((await get('/image/random?categories=catgirl')).status, 200);
    assertError(await get('/image/random?categories=dragons'), 400);
    assert.deepEqual(calls, ['randomImages', 'randomImages']);
  });
});
