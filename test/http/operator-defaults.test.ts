/** What the operator chooses for the API: the ratings of calls without `nsfw`, and where images are reported. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { routes, withDefaultRatings } from '../../src/api/routes.ts';
import { artists, uuid } from '../support/catalogues/catalogue.ts';
import { assertError, clock, related } from '../support/zukan/api.ts';
import {
  configFor,
  type Envelope,
  importKnownCatalogue,
  makeToken,
  startService,
} from '../support/zukan/service.ts';

const REPORT_URL = `mailto:"abuse"@example.org?subject="Picture"&body={id}%0A{id}`;
const plain = await startService(await importKnownCatalogue(), { clock });
const { dataDir } = plain.config;
const start = (environment: Record<string, string>) =>
  startService(configFor('', { DATA_DIR: dataDir, ...environment }), { clock });
const service = await start({ API_RATINGS: 'sfw', REPORT_URL });
const { headers } = await makeToken(service.config, ['image:list']);
const ratingsOf = ({ json }: { json: Envelope }) =>
  [...new Set<string>(json.data.map(({ nsfw }: Envelope) => nsfw))].sort();
const artistOfNsfw = artists.find(({ name }) => name === 'abe')?.id;
const all = ['nsfw', 'questionable', 'sfw'];

describe('API_RATINGS', () => {
  const lists = [
    '/image/random?limit=25',
    '/image/random?limit=25&seed=s',
    '/image/latest?limit=25',
    '/image?limit=25',
    `/artist/${uuid(2, 1)}/images?limit=25`,
  ];

  test('is the default of nsfw, which overrides it', async () => {
    for (const path of lists) {
      const unfiltered = await plain.get(`/api${path}`, headers);
      assert.deepEqual(ratingsOf(await service.get(`/api${path}`, headers)), ['sfw'], path);
      const explicit = await service.get(`/v1${path}&nsfw=sfw,questionable,nsfw`, headers);
      assert.deepEqual(ratingsOf(explicit), ratingsOf(unfiltered), path);
      assert.ok(ratingsOf(unfiltered).length > 1, path);
      assertError(await service.get(`/api${path}&nsfw=`, headers), 400);
    }
    // The only image of this artist is rated nsfw. Embeds are safe, whatever the operator chose for calls.
    const file = `/api/image/random/file?artist=${artistOfNsfw}`;
    for (const API_RATINGS of ['sfw', 'nsfw']) {
      const chosen = await start({ API_RATINGS });
      assert.equal((await chosen.get(`${file}&nsfw=nsfw`)).status, 302);
      assertError(await chosen.get(file), 404, /No image matches/);
      assert.equal((await chosen.get('/api/image/random/file')).status, 302);
    }
  });

  test('an image is there by its id, whatever its rating', async () => {
    const ratings = await Promise.all(
      [1, 2, 3].map(async (index) => (await service.get(`/api/image/${uuid(4, index)}`)).json.data.nsfw),
    );
    assert.deepEqual(ratings.sort(), all);
  });

  test('is the default of every endpoint that takes nsfw, but for embeds', () => {
    const changed = withDefaultRatings(routes, ['sfw']).filter((route) => !routes.includes(route));
    assert.deepEqual(
      changed.map(({ name }) => name),
      routes.filter(({ query, isEmbed }) => 'nsfw' in query.properties && !isEmbed).map(({ name }) => name),
    );
    assert.ok(changed.some(({ name }) => name === 'similar'));
    assert.equal(withDefaultRatings(routes, ['sfw', 'questionable', 'nsfw']), routes);
  });

  test('a cursor belongs to the ratings that were applied, so another default does not mix them', async () => {
    for (const path of ['/api/image/latest?limit=2', '/api/image/random?seed=s&limit=2']) {
      const first = await service.get(path);
      const cursor = first.headers['x-next-cursor'];
      const rest = await service.get(`${path}&cursor=${cursor}`);
      assert.deepEqual(ratingsOf(rest), ['sfw']);
      assert.equal(
        (await plain.get(`${path}&nsfw=sfw&cursor=${cursor}`)).text,
        rest.text.replaceAll(service.origin, plain.origin),
      );
      assertError(await plain.get(`${path}&cursor=${cursor}`), 400, /different (seed or )?filters/);
      // The link names the ratings, so it goes on after the default has changed.
      const next = new URL(related(first, 'next', service.origin) ?? '');
      assert.equal(next.searchParams.get('nsfw'), 'sfw');
      assert.equal((await plain.get(next.pathname + next.search)).status, 200);
    }
  });

  test('the reference and OpenAPI name the default', async () => {
    const parameterOf = async ({ get }: typeof service) =>
      (await get('/openapi.json')).json.components.parameters.nsfw.schema;
    assert.deepEqual((await parameterOf(service)).default, ['sfw']);
    assert.equal((await parameterOf(plain)).default, undefined);
    const browser = { Accept: 'text/html' };
    // Also of the feeds and of /image/random/file, which always have it.
    const defaults = async ({ get }: typeof service) =>
      (await get('/docs', browser)).text.match(/, default sfw\b/g)?.length ?? 0;
    assert.equal(await defaults(plain), 3);
    assert.ok((await defaults(service)) > 3);
  });
});

describe('REPORT_URL', () => {
  test('is in every image with include=details, with its id', async () => {
    for (const path of [
      '/image/random?limit=25&include=details',
      '/image?limit=2&include=artist,details,thumbnails',
      `/artist/${uuid(2, 1)}/images?include=details`,
      `/image/${uuid(4, 1)}?include=details`,
    ]) {
      const { json } = await service.get(`/api${path}`, headers);
      for (const image of [json.data].flat()) {
        assert.equal(
          image.reportUrl,
          `mailto:"abuse"@example.org?subject=%22Picture%22&body=${image.id}%0A${image.id}`,
        );
        assert.deepEqual(Object.keys(image).slice(-7, -6), ['reportUrl'], 'after the details');
      }
    }
  });

  test('is absent without include=details, and if the operator has set none', async () => {
    const path = `/api/image/${uuid(4, 1)}`;
    assert.equal('reportUrl' in (await service.get(`${path}?include=artist`)).json.data, false);
    assert.equal('reportUrl' in (await plain.get(`${path}?include=details`)).json.data, false);
  });
});
