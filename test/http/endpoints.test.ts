/** The successful responses of every endpoint on the known catalogue, field by field. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { describe, test } from 'node:test';
import packageFile from '../../package.json' with { type: 'json' };
import { artists, categories, characters, images } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngine, isEveryCase } from '../support/servers/engines.ts';
import { checkImage, clock, endpoints, expectedImages, NOW, sortByName } from '../support/zukan/api.ts';
import { type Envelope, makeToken, startKnownService } from '../support/zukan/service.ts';

await forEachEngine(async (engine) => {
  const HOUR = 3_600_000;
  /** The bucket that default links are rounded up to is at most a quarter of the lifetime. */
  const MAX_ROUNDING = HOUR / 4;

  const service = await startKnownService({ engine, clock });
  const folder = dirname(service.config.dataDir);
  const known = await expectedImages(folder);
  const token = await makeToken(service.config, ['image:list', 'image:custom-expiry:86400']);
  // test/http/root.test.ts compares prefixes.
  const prefixes = atDepth(['/api'], ['/api', '/v1']);

  const { id: _, ...tokenInformation } = token.token;
  const statistics = {
    images: {
      count: 6,
      nsfw: { sfw: 4, questionable: 1, nsfw: 1 },
      orientation: { landscape: 3, portrait: 2, square: 1 },
    },
    artists: { count: 5 },
    characters: { count: 2 },
    categories: { count: 4 },
  };
  const imagesOf = (field: string, entry: { name: string }) =>
    images.filter((image) => [Reflect.get(image, field)].flat().includes(entry.name)).length;

  describe('without links', () => {
    const single = (kind: string, field: string, entries: { id: string; name: string }[]) =>
      entries.map((entry) => ({
        path: `/${kind}/${entry.id}`,
        data: { ...entry, images: imagesOf(field, entry) } as object,
      }));
    const table = [
      { path: '/stats', data: statistics },
      { path: '/token', data: tokenInformation },
      { path: '/artist', data: sortByName(artists) },
      { path: '/character', data: sortByName(characters) },
      { path: '/category', data: sortByName(categories) },
      ...single('artist', 'artist', artists),
      ...single('character', 'characters', characters),
      ...single('category', 'categories', categories),
    ];
    for (const { path, data } of table)
      for (const prefix of prefixes)
        test(`${prefix}${path} returns exactly what the catalogue contains`, async () => {
          const answer = await service.get(prefix + path, path === '/token' ? token.headers : {});
          assert.equal(answer.status, 200);
          assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
          assert.deepEqual(answer.json, { success: true, data });
        });

    for (const prefix of prefixes)
      test(`${prefix} returns all paths, the prefix and the version`, async () => {
        const { status, json } = await service.get(prefix);
        assert.equal(status, 200);
        assert.deepEqual(Object.keys(json).sort(), ['data', 'meta', 'success']);
        assert.equal(json.success, true);
        assert.deepEqual(json.meta, { version: `v${packageFile.version}`, baseApiRoute: prefix });
        const paths = json.data.map((path: string) => path.replace(/:\w+|<\w+>|\{\w+\}/, '{id}'));
        assert.deepEqual(paths.sort(), [...endpoints].sort());
      });

    test('/token works for a token without scopes', async () => {
      const bare = await makeToken(service.config, [], { expires: '2026-12-31T23:59:59.999Z' });
      const { id: _, ...data } = bare.token;
      const { status, json } = await service.get('/api/token', bare.headers);
      assert.equal(status, 200);
      assert.deepEqual(json, { success: true, data });
    });
  });

  describe('with links', () => {
    const withoutRatio = (image: Envelope) => {
      const { aspectRatio: _, ...dimens } = image.meta.dimens;
      return { ...image, meta: { ...image.meta, dimens } };
    };
    const table: { path: string; data: Envelope; headers?: Record<string, string> }[] = [
      { path: '/image', data: known, headers: token.headers },
      { path: '/image/random?limit=25', data: known },
      { path: '/image/latest', data: known.toReversed() },
      ...known.map((image) => ({ path: `/image/${image.id}`, data: image })),
      ...artists.map(({ id }) => ({
        path: `/artist/${id}/images`,
        data: known.filter(({ artist }) => artist === id).map(withoutRatio),
      })),
    ];
    const lifetimes = [
      {
        name: 'the default lifetime',
        expiry: '',
        ends: { from: NOW + HOUR, to: NOW + HOUR + MAX_ROUNDING },
      },
      {
        name: 'an explicit expiry',
        expiry: 'expiry=86399',
        ends: { from: NOW + 86_399e3, to: NOW + 86_399e3 },
      },
    ];
    for (const { path, data, headers = {} } of table)
      for (const prefix of prefixes)
        for (const { name, expiry, ends } of isEveryCase(engine) ? lifetimes : lifetimes.slice(0, 1))
          test(`${prefix}${path} returns exactly what the catalogue contains, with ${name}`, async () => {
            const address = `${prefix}${path}${expiry && (path.includes('?') ? '&' : '?')}${expiry}`;
            const answer = await service.get(address, expiry ? token.headers : headers);
            assert.equal(answer.status, 200);
            assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
            assert.deepEqual(Object.keys(answer.json).sort(), ['data', 'success']);
            const strip = (image: Envelope) => checkImage(image, service.origin, ends);
            if (!Array.isArray(data)) return assert.deepEqual(strip(answer.json.data), data);
            const found = answer.json.data.map(strip);
            if (path.includes('random'))
              found.sort((one: Envelope, other: Envelope) => (one.id < other.id ? -1 : 1));
            assert.deepEqual(found, data);
          });
  });
});
