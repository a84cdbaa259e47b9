/** The addresses of views: each is read as it was written, and those of version 1 lead to what they showed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Kind } from '../../src/catalogue/schemas.ts';
import { parseQuery } from '../../src/http/request.ts';
import { decodePath } from '../../src/http/server.ts';
import {
  firstPage,
  formatView,
  kinds,
  newAddress,
  parseView,
  readablePart,
  type View,
} from '../../src/pages/address.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';

const parse = (address: string): View | undefined => {
  const [path = '', search = ''] = address.split('?');
  return parseView(decodePath(path), parseQuery(search));
};
const numRuns = atDepth(200, 5000);

const id = fc.integer({ min: 1, max: 99 }).map((number) => uuid(2, number));
const ids = fc.uniqueArray(id, { minLength: 1, maxLength: 3 });
const word = fc
  .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
  .filter((text) => /^[^\s,][^,]*(?<!\s)$/u.test(text));
const words = fc.uniqueArray(word, { minLength: 1, maxLength: 3 });
const pixels = fc.integer({ min: 1, max: 9999 });
const some = <T extends Record<string, fc.Arbitrary<unknown>>>(fields: T) =>
  fc.record(fields, { requiredKeys: [] });
const anyOf = <T>(...values: T[]) => fc.subarray(values, { minLength: 1 });
const filters = {
  nsfw: anyOf('sfw', 'questionable', 'nsfw'),
  orientation: anyOf('landscape', 'portrait', 'square'),
  type: anyOf('webp', 'gif'),
  animated: fc.boolean(),
  minWidth: pixels,
  maxHeight: pixels,
  aspectRatio: fc.constant('16:9'),
  excludeArtist: ids,
};
const lists = { categories: words, exclude: words };
const cursor = fc.stringMatching(/^[\w-]{28}$/);
const offset = fc.integer({ min: 1, max: 1e6 });
const text = fc.oneof(fc.constantFrom('海の 日', '👩‍👧', '%'), fc.string({ minLength: 1, maxLength: 20 }));
const kind = fc.constantFrom<Exclude<Kind, 'album'>>('artist', 'character', 'category');
const view = fc.oneof(
  fc.record({
    name: fc.constant('random'),
    query: some({ ...filters, ...lists, artist: ids, seed: word, cursor }),
  }),
  fc.record({ name: fc.constant('newest'), query: some({ ...filters, ...lists, character: ids, cursor }) }),
  fc.record({ name: fc.constant('search'), query: some({ q: text, ...filters, cursor }) }),
  fc.record({
    name: fc.constant('picture'),
    id,
    query: some({ nsfw: filters.nsfw, album: id.map((one) => [one]), offset }),
  }),
  fc.record({
    name: fc.constant('list'),
    kind: fc.constantFrom(...kinds),
    query: some({ search: text, sort: fc.constant('images'), offset }),
  }),
  fc.record({ name: fc.constant('entry'), kind, id, query: some({ ...filters, ...lists, cursor }) }),
  fc.record({
    name: fc.constant('entry'),
    kind: fc.constant('album'),
    id,
    query: some({ ...filters, offset }),
  }),
) as fc.Arbitrary<View>;

test('a view is read from its address, whatever it is named', () => {
  fc.assert(
    fc.property(
      view,
      fc.oneof(fc.constantFrom('\ud800x', '海', '../..', '?a=b#c'), fc.string()),
      (view, name) => {
        const address = formatView(view, name);
        assert.deepEqual(parse(address), structuredClone(view), address);
        assert.match(address, /^\/[\w%.,?=&!~*'()/-]*$/);
      },
    ),
    { numRuns, seed: 1 },
  );
});

test('any address is a view with one address, no view, or an error of the API', () => {
  const part = fc.oneof(
    fc.constantFrom('artists', 'pictures', 'newest', uuid(2, 1), 'nsfw=sfw', 'offset=3'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), fc.array(part, { maxLength: 3 }), (path, query) => {
      try {
        const view = parse(`/${path.join('/')}?${query.join('&')}`);
        if (view) assert.equal(formatView(parse(formatView(view)) as View), formatView(view));
      } catch (error) {
        assert.equal((error as { status?: number }).status, 400, String(error));
      }
    }),
    { numRuns, seed: 2 },
  );
});

test('the empty fields of a form are not given, but an empty rating is an error', () => {
  assert.deepEqual(parse('/newest?animated=&minWidth=&nsfw=sfw&junk=1'), {
    name: 'newest',
    query: { nsfw: ['sfw'] },
  });
  for (const query of ['nsfw=', 'orientation=', 'exclude=', 'artist=', 'offset=x&album=y'])
    assert.throws(() => parse(`/pictures/${uuid(4, 1)}?${query}`) && parse(`/newest?${query}`), {
      status: 400,
    });
});

test('the name in an address is readable in any script', () => {
  assert.equal(readablePart('  Old “Lighthouse” & Söhne! '), 'old-lighthouse-s%C3%B6hne');
  assert.equal(decodeURIComponent(readablePart('日本 の 海')), '日本-の-海');
  assert.equal(readablePart('…'), '');
  assert.ok(decodeURIComponent(readablePart('𝒳'.repeat(500))).length <= 120);
});

test('the first page of a view has its filters', () => {
  const view: View = { name: 'random', query: { nsfw: ['sfw'], seed: 'a', cursor: 'b' } };
  assert.deepEqual(firstPage(view), { name: 'random', query: { nsfw: ['sfw'] } });
});

test('what version 1 showed is found at its new address', () => {
  const [one, two] = [uuid(2, 1), uuid(2, 2)];
  const moved = {
    [`image=${one}`]: `/pictures/${one}`,
    [`artist=${two}&image=${one}`]: `/pictures/${one}`,
    [`artist=${one}`]: `/artists/${one}`,
    [`character=${one}&nsfw=sfw&junk=1`]: `/characters/${one}?nsfw=sfw`,
    [`category=${one}&orientation=portrait&size=hd`]: `/categories/${one}?orientation=portrait&minWidth=1080&minHeight=1920`,
    [`album=${one}&animated=true`]: `/albums/${one}?animated=true`,
    'in=artists': '/artists',
    'in=categories&search=%25a%25&sort=images': '/categories?search=%25a%25&sort=images',
    'search=fox%20-night': '/search?q=fox%20-night',
    'order=newest': '/newest',
    'order=newest&categories=fox,sea&match=any&size=4k':
      '/newest?categories=fox,sea&match=any&minWidth=2160&minHeight=2160',
    'order=newest&nsfw=wrong': '/newest',
    [`artists=${one},${two}&exclude=night`]: `/?exclude=night&artist=${one},${two}`,
    [`excludeArtists=${one}&characters=${two}`]: `/?character=${two}&excludeArtist=${one}`,
  };
  for (const [query, address] of Object.entries(moved)) {
    assert.equal(newAddress(parseQuery(query)), address, query);
    if (address.startsWith('/?'))
      assert.equal(newAddress(parseQuery(address.slice(2))), undefined, 'it moved once');
  }
  for (const query of [
    '',
    'categories=fox',
    'nsfw=sfw&seed=a',
    `artist=${one}&categories=fox`,
    `artist=${one},${two}`,
    'image=42',
  ])
    assert.equal(newAddress(parseQuery(query)), undefined, query);
});
