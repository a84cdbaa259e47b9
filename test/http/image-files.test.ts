/** The endpoints that redirect to a file. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { images, uuid } from '../support/catalogues/catalogue.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { assertError, NOW } from '../support/zukan/api.ts';
import {
  type Answer,
  configFor,
  importKnownCatalogue,
  makeToken,
  type Service,
  startService,
} from '../support/zukan/service.ts';

const folder = temporaryFolder();
const config = await importKnownCatalogue({}, folder);
let now = NOW;
const service = await startService(config, { clock: () => now });
const token = await makeToken(config, ['image:custom-expiry:100']);
const random = (query: string, headers?: Record<string, string>) =>
  service.get(`/api/image/random/file?${query}`, headers);
const single = (rest: string, headers?: Record<string, string>) => service.get(`/api/image/${rest}`, headers);

/** The id of the image that a response redirects to. */
function targetOf({ status, headers, text }: Answer): string {
  assert.equal(status, 302, text);
  assert.equal(text, '');
  const { origin, pathname } = new URL(headers.location ?? '');
  assert.equal(origin, service.origin);
  return /^\/(?:files\/|pictures\/)(.{36})(?:\/original)?\.\w+$/.exec(pathname)?.[1] ?? assert.fail(pathname);
}

const expiresOf = ({ headers }: Answer) =>
  Number(new URL(headers.location ?? '').searchParams.get('expires')) * 1000;

describe('/image/random/file', () => {
  test('redirects to the bytes of a matching image, and must not be cached', async () => {
    for (const [query, numbers] of [
      ['nsfw=nsfw', [3]],
      ['categories=catgirl,kimono&exclude=NIGHT%20SKY', [1]],
      ['categories=catgirl&nsfw=sfw,questionable,nsfw', [1, 2, 5]],
      [`artist=${uuid(2, 2)}&orientation=square&nsfw=nsfw`, [3]],
      ['nsfw=sfw,questionable,nsfw', [1, 2, 3, 4, 5, 6]],
    ] as const) {
      const answer = await random(query);
      const image = images.find(({ id }) => id === targetOf(answer));
      assert.ok(image && numbers.some((number) => uuid(4, number) === image.id), `${query}: ${image?.id}`);
      assert.equal(answer.headers['cache-control'], 'no-store');
      const file = await service.get(answer.headers.location ?? '');
      assert.equal(file.status, 200);
      assert.deepEqual(file.bytes, await readFile(join(folder, image.drawing.file)));
    }
  });

  test('with a seed, shows the first image of that seed', async () => {
    for (const seed of ['2026-11-14', '%26', 'x']) {
      const { json } = await service.get(`/api/image/random?seed=${seed}&nsfw=sfw&limit=1`);
      for (let request = 0; request < 3; request++)
        assert.equal(targetOf(await random(`seed=${seed}&nsfw=sfw`)), json.data[0].id);
    }
  });

  test('is a 404 if no image matches', async () => {
    for (const query of ['categories=empty', 'categories=empty&seed=1', 'nsfw=nsfw&orientation=portrait'])
      assertError(await random(query), 404, /No image matches/);
    assertError(await random(`artist=${uuid(9, 9)}`), 404, /Artist not found/);
  });

  test('rejects unknown categories, also before a missing scope', async () => {
    assertError(await random('categories=dragons'), 400, /"dragons"/);
    assertError(await random('exclude=dragons&expiry=101', token.headers), 400, /"dragons"/);
    assertError(await random('expiry=101', token.headers), 403);
    assertError(await random('expiry=60'), 401);
    assertError(await random('seed='), 400, /seed/);
  });
});

describe('/image/{id}/file', () => {
  test('redirects to the bytes of the image', async () => {
    for (const { id, drawing } of images)
      for (const path of [`${id}/file`, `${id.toUpperCase()}/file/`, `${id}/file?width=100`]) {
        const answer = await single(path);
        assert.equal(targetOf(answer), id);
        const file = await service.get(answer.headers.location ?? '');
        assert.deepEqual(file.bytes, await readFile(join(folder, drawing.file)));
      }
  });

  test('is a 404 for an unknown id and a 400 for anything else', async () => {
    assertError(await single(`${uuid(9, 9)}/file`), 404, /Image not found/);
    for (const id of ['latest', 'x', `${uuid(4, 1)}0`]) assertError(await single(`${id}/file`), 400, /UUID/);
  });

  test('a cached redirect never leads to an expired link', async () => {
    const [off, lived] = [{}, { LINK_LIFETIME: '60' }].map(async (environment) =>
      startService(configFor(folder, { LASTING_LINKS: 'off', ...environment }), { clock: () => now }),
    );
    const id = uuid(4, 1);
    const table = fc.record({
      expiry: fc.option(fc.integer({ min: 31, max: 100 }), { nil: undefined }),
      elapsed: fc.nat(7_200_000),
      isShort: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(table, async ({ expiry, elapsed, isShort }) => {
        now = NOW + elapsed;
        const path = `/api/image/${id}/file${expiry === undefined ? '' : `?expiry=${expiry}`}`;
        const expiring = (await (isShort ? lived : off)) as Service;
        const answer = await expiring.get(path, expiry === undefined ? {} : token.headers);
        // Never shared: the link depends on the Host and the token that the client sent.
        const [, age] = /^private, max-age=(\d+)$/.exec(answer.headers['cache-control'] ?? '') as string[];
        const left = expiresOf(answer) - now;
        assert.ok(Number(age) * 2000 <= left, `${age} s of ${left} ms`);
        assert.ok(Number(age) >= 15 && Number(age) <= 300, `${age} s`);
      }),
      { numRuns: 40 },
    );
    now = NOW;
  });

  test('a redirect to a lasting address is cached as long as a replaced file may be shown', async () => {
    const { headers } = await single(`${uuid(4, 1)}/file`);
    assert.equal(headers['cache-control'], 'private, max-age=300');
  });
});

describe('both', () => {
  const paths = ['/api/image/random/file?nsfw=nsfw', `/api/image/${uuid(4, 3)}/file?`];

  test('take an expiry that is exact to the second', async () => {
    for (const path of paths) {
      const answer = await service.get(`${path}&expiry=77`, token.headers);
      assert.equal(expiresOf(answer), NOW + 77_000);
    }
  });

  test('take a width of 1 or more', async () => {
    for (const path of paths) {
      for (const width of ['1', '64', '100000', '9'.repeat(20)])
        assert.equal(targetOf(await service.get(`${path}&width=${width}`)), uuid(4, 3));
    }
  });
});
