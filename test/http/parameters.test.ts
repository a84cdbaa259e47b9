/** Invalid parameters and ids are 400 on every endpoint that has them; values that are just valid are accepted. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { assertError, clock, testMakers, withExpiry } from '../support/zukan/api.ts';
import { makeToken, startKnownService } from '../support/zukan/service.ts';

const service = await startKnownService({ clock });
const both = await makeToken(service.config, ['image:list', 'image:custom-expiry']);
const { rejects, accepts } = testMakers(service, { none: {}, both: both.headers });
const [image, artist, category] = [uuid(4, 1), uuid(2, 1), uuid(1, 1)];

const withOffset = ['/image', '/artist', `/artist/${artist}/images`, '/character', '/category'];
const withLimit = [...withOffset, '/image/random'];
const withSearch = ['/artist', '/character', '/category'];

/** The first value is tried on every path, each other one on one of them in turn. */
const some = (paths: string[], value: number) =>
  paths.filter((_, at) => atDepth(value === 0 || at === value % paths.length, true));

describe('invalid parameters', () => {
  const notIntegers = [
    '',
    ...'-1 1.0 1e1 +1 %201 1%0A 0x1 abc 1,2 %EF%BC%91 %D9%A1 NaN null %00 %zz "1" [1] 1n'.split(' '),
  ];
  const invalid = {
    limit: [...notIntegers, '0', '00', '26', '100', '9'.repeat(30), '9'.repeat(400)],
    offset: notIntegers,
    expiry: [...notIntegers, '0', '1', '29', '30', '030'],
  };
  const paths = { limit: withLimit, offset: withOffset, expiry: withExpiry };
  for (const name of ['limit', 'offset', 'expiry'] as const)
    for (const [at, query] of [
      ...[name, `${name}=31&${name}=31`, `${name}=5&${name}=`, `${name}=1&x=1&${name}=2`],
      ...invalid[name].map((value) => `${name}=${value}`),
    ].entries())
      rejects(
        `?${query.slice(0, 50)} on endpoints with ${name}`,
        some(paths[name], at).map((path) => `${path}?${query}`),
        'both',
        400,
        new RegExp(`\\b${name}\\b`, 'i'),
      );

  for (const text of ['x'.repeat(51), 'x'.repeat(2000), '😀'.repeat(51), 'é'.repeat(51), ' '.repeat(51)])
    rejects(
      `a search of ${[...text].length} times "${[...text][0]}"`,
      withSearch.map((path) => `${path}?search=${encodeURIComponent(text)}`),
      'none',
      400,
      /search/i,
    );
  accepts(
    'a search of 50 code points, or an empty one',
    withSearch.flatMap((path) =>
      ['x'.repeat(50), '😀'.repeat(50), ''].map((text) => `${path}?search=${encodeURIComponent(text)}`),
    ),
    'none',
  );

  const invalidIds = [
    ...'x 1 randomly %zz % %E0%A4 %00 ..%2f %F0%9F%98%80'.split(' '),
    ...[
      image.slice(1),
      `${image}0`,
      `g${image.slice(1)}`,
      image.replace('-', '_'),
      image.replaceAll('-', ''),
    ],
    ...[`{${image}}`, `urn:uuid:${image}`, `%20${image}`, `${image}%0A`, `${image}%2Fimages`],
    ...['x'.repeat(101), 'x'.repeat(5000), image.repeat(20)],
  ];
  for (const [at, id] of invalidIds.entries())
    rejects(
      `the id ${id.slice(0, 50)} on endpoints with an id`,
      some(
        [
          ...['image', 'artist', 'character', 'category'].map((kind) => `/${kind}/${id}`),
          `/artist/${id}/images`,
        ],
        at,
      ),
      'none',
      400,
      /\bid\b/i,
    );

  const unknown: [query: string, named: string[], unnamed: string[]][] = [
    ['nope', ['nope'], []],
    ['catgirl,nope,Nada,KIMONO', ['nope', 'Nada'], ['catgirl', 'kimono']],
    ['catgirl&categories=nope%20way&categories=Kimono,Nada', ['nope way', 'Nada'], ['catgirl', 'kimono']],
    ['catgir', ['catgir'], []],
    ['night', ['night'], []],
    ['cat%25', ['cat%'], []],
    ['%E3%81%AD%E3%81%93', ['ねこ'], []],
    [category, [category], []],
  ];
  for (const [query, named, unnamed] of unknown)
    test(`categories=${query} is rejected, and the message names the unknown categories`, async () => {
      const answer = await service.get(`/api/image/random?categories=${query}`);
      assertError(answer, 400, /categor/i);
      for (const name of named) assert.ok(answer.json.message.includes(name), answer.json.message);
      const folded = answer.json.message.toLowerCase();
      for (const name of unnamed) assert.ok(!folded.includes(name), answer.json.message);
    });
});
