/** Mistakes in a program that uses the client: unknown options and wrong addresses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Zukan } from '../../client/index.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { startKnownService } from '../support/zukan/service.ts';

const { origin } = await startKnownService();
const zukan = new Zukan({ origin });

const call = (method: string, ...parameters: unknown[]): Promise<unknown> =>
  Reflect.apply(Reflect.get(zukan, method), zukan, parameters);

test('an unknown option is a TypeError that suggests the right one', async () => {
  const [image, artist] = [uuid(4, 1), uuid(2, 1)];
  const table: [string, unknown[], RegExp][] = [
    ['random', [{ category: ['x'] }], /^Unknown option "category"\. Did you mean "categories"\? /],
    ['random', [{ NSFW: ['sfw'] }], /"NSFW"\. Did you mean "nsfw"\?/],
    ['random', [{ tags: ['x'] }], /^Unknown option "tags"\. The options are: categories, match, /],
    ['random', [{ cursor: 'x', seed: 'x' }], /"cursor"/],
    ['random', [{ rating: undefined }], /"rating"/],
    ['random', [{ signal: undefined }], /"signal"\. Pass "signal" in the last argument\./],
    ['random', [{}, { signl: undefined }], /"signl"\. Did you mean "signal"\?/],
    ['randomPage', [{ seed: 'x', offset: 3 }], /"offset"/],
    ['image', [image, { expires: 60 }], /"expires"\. Did you mean "expiry"\?/],
    ['images', [{ categories: ['x'] }], /"categories"/],
    ['artistImages', [artist, { artist }], /"artist"/],
    ['artists', [{ serach: 'x' }], /"serach"\. Did you mean "search"\?/],
    ['characters', [{ nsfw: ['sfw'] }], /"nsfw"/],
    ['categories', [{ __proto__: null, toString: 1 }], /"toString"/],
    ['artist', [artist, { expiry: 60 }], /"expiry"/],
    ['stats', [{ limit: 1 }], /"limit"/],
    ['random', [new Map([['nsfw', ['sfw']]])], /^The options must be a plain object/],
    ['latest', [Promise.resolve({ nsfw: ['sfw'] })], /Is an "await" missing\?$/],
  ];
  for (const [method, parameters, message] of table)
    await assert.rejects(call(method, ...parameters), { name: 'TypeError', message }, method);
  const iterators: [AsyncGenerator<unknown>, RegExp][] = [
    [zukan.every('images', { search: 'x' } as object), /"search"/],
    [zukan.every('artists', { nsfw: ['sfw'] } as object), /"nsfw"/],
    [zukan.every('artists', { limit: 5 } as object), /"limit"/],
    [zukan.everyArtistImage(artist, { offset: 5 } as object), /"offset"/],
    [zukan.everyRandom({ limit: 5 } as object), /"limit"/],
  ];
  for (const [items, message] of iterators)
    await assert.rejects(items.next(), { name: 'TypeError', message });
  assert.throws(() => new Zukan({ origin, tokn: 'x' } as object), /"tokn"\. Did you mean "token"\?/);
});

test('a client outside a web page needs an origin', () => {
  assert.throws(() => new Zukan(), /new Zukan\(\{ origin: /);
});

test('the origin is an address without a path, the prefix is a path', async () => {
  const suggestions: [string, string][] = [
    ['https://example.org/api', '"https://example.org", prefix: "/api"'],
    ['https://example.org/v1/', '"https://example.org", prefix: "/v1"'],
    ['https://example.org/pictures', '"https://example.org", prefix: "/pictures/api"'],
    ['https://me:secret@example.org', '"https://example.org", prefix: "/api"'],
    ['https://example.org/?x', '"https://example.org", prefix: "/api"'],
  ];
  for (const [wrong, suggestion] of suggestions)
    assert.throws(
      () => new Zukan({ origin: wrong }),
      ({ name, message }) => name === 'TypeError' && message.includes(`{ origin: ${suggestion} }`),
      wrong,
    );
  for (const wrong of ['example.org', 'localhost:3000', 'ftp://example.org', '//example.org', 'http://'])
    assert.throws(() => new Zukan({ origin: wrong }), /^TypeError: Invalid origin .* such as "https:/, wrong);
  for (const prefix of ['api', '/api?x', '/a b', 'https://example.org/api'])
    assert.throws(
      () => new Zukan({ origin, prefix }),
      /^TypeError: Invalid prefix .* such as "\/api"/,
      prefix,
    );
  assert.equal((await new Zukan({ origin: `${origin}/`, prefix: '/v1/' }).information()).baseApiRoute, '/v1');
  const requested: string[] = [];
  const atRoot = new Zukan({
    origin,
    prefix: '/',
    fetch: async (url) => {
      requested.push(String(url));
      return Response.json({ success: true });
    },
  });
  await atRoot.stats();
  await atRoot.information();
  assert.deepEqual(requested, [`${origin}/stats`, `${origin}/`]);
});
