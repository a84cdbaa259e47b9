/** Parameters that the catalogue checks, ids in paths, and messages that name what is wrong. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { uuid } from '../support/catalogues/catalogue.ts';
import { atDepth } from '../support/depth.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { assertError, clock, testMakers } from '../support/zukan/api.ts';
import { makeToken, startKnownService } from '../support/zukan/service.ts';

const [image, artist, character, missing] = [uuid(4, 1), uuid(2, 1), uuid(3, 1), uuid(9, 9)];

await forEachEngineInDepth(async (engine) => {
  const service = await startKnownService({ engine, clock });
  const tokens = { none: {}, list: (await makeToken(service.config, ['image:list'])).headers };
  const { rejects, accepts } = testMakers(service, tokens);

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
  for (const [at, id] of invalidIds.entries()) {
    const paths = ['image', 'artist', 'character', 'category'].map((kind) => `/${kind}/${id}`);
    // The first one is tried on every path, each other one on one of them in turn.
    const some = [...paths, `/artist/${id}/images`].filter((_, path) =>
      atDepth(at === 0 || path === at % 5, true),
    );
    rejects(`the id ${id.slice(0, 50)} on endpoints with an id`, some, 'none', 400, /\bid\b/i);
  }

  test('the message names every invalid parameter', async () => {
    const query = 'nsfw=x&orientation=&match=x&seed=&artist=1&limit=0';
    const answer = await service.get(`/api/image/random?${query}`);
    for (const name of ['nsfw', 'orientation', 'match', 'seed', 'artist', 'limit'])
      assertError(answer, 400, new RegExp(`Invalid ${name}\\b`));
  });

  const unknown: [query: string, named: string[], unnamed: string[]][] = [
    ['categories=catgirl,nope,Nada,KIMONO', ['nope', 'Nada'], ['catgirl', 'kimono']],
    ['categories=nope%20way&categories=Kimono,Nada', ['nope way', 'Nada'], ['kimono']],
    ['categories=cat%25', ['cat%'], []],
    ['exclude=catgirl,nope,Nada,KIMONO', ['nope', 'Nada'], ['catgirl', 'kimono']],
    ['exclude=night', ['night'], ['night sky']],
    ['exclude=%E3%81%AD%E3%81%93&categories=catgirl', ['ねこ'], ['catgirl']],
    [`exclude=${uuid(1, 1)}`, [uuid(1, 1)], []],
    ['exclude=nope&seed=1', ['nope'], []],
    ['exclude=nope&nsfw=sfw&orientation=square&match=any&categories=kimono', ['nope'], ['kimono']],
    ['match=any&categories=catgirl,nope', ['nope'], ['catgirl']],
    ['exclude=catgirl&categories=nope&seed=1', ['nope'], ['catgirl']],
  ];
  for (const [query, named, unnamed] of unknown)
    test(`${query} is rejected, and the message names the unknown categories`, async () => {
      const answer = await service.get(`/api/image/random?${query}`);
      const wrong = /exclude=\w*(nope|%E3|night|10000000|catgirl,)/.test(query) ? 'exclude' : 'categories';
      assertError(answer, 400, new RegExp(`^Invalid ${wrong}: there is no category`));
      for (const name of named) assert.ok(answer.json.message.includes(name), answer.json.message);
      const folded = answer.json.message.toLowerCase();
      for (const name of unnamed) assert.ok(!folded.includes(name), answer.json.message);
    });

  test('the message names up to ten unknown categories of each list', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
    const quoted = names(10)
      .map((name) => JSON.stringify(name))
      .join(', ');
    const others = ', and there are others';
    for (const [query, message] of [
      [`categories=${names(10)}`, `Invalid categories: there is no category ${quoted}.`],
      [`categories=${names(11)},kimono`, `Invalid categories: there is no category ${quoted}${others}.`],
      [`categories=${'é'.repeat(81)}`, `Invalid categories: there is no category "${'é'.repeat(80)}…".`],
      [
        `exclude=kimono,${names(99)}&categories=nope`,
        `Invalid categories: there is no category "nope". Invalid exclude: there is no category ${quoted}${others}.`,
      ],
    ]) {
      const answer = await service.get(`/api/image/random?${query}`);
      assertError(answer, 400);
      assert.equal(answer.json.message, message);
    }
  });

  accepts(
    'parameters of other endpoints, whatever their values',
    [
      ...['/image?seed=&cursor=x&match=x&exclude=no', '/artist?nsfw=x&orientation='],
      `/artist/${artist}/images?seed=&cursor=x&exclude=no&artist=x&excludeArtist=&match=`,
      ...[`/image/${image}?nsfw=`, '/category?nsfw=', '/character?orientation=x&seed=', '/stats?nsfw=x'],
      `/artist/${artist}?nsfw=x`,
    ],
    'list',
  );

  describe('unknown ids', () => {
    const wrong: [what: string, name: 'artist' | 'character', id: string][] = [
      ['an unknown artist', 'artist', missing],
      ['an unknown character', 'character', missing],
      ['the id of a character as artist', 'artist', character],
      ['the id of an artist as character', 'character', artist],
      ['the id of an image as artist', 'artist', image],
    ];
    for (const [what, name, id] of wrong) {
      const path = `/image/random?${name}=${id}`;
      rejects(what, [path, `${path}&seed=1`], 'none', 404, new RegExp(name, 'i'));
    }
    const known = `/image/random?artist=${artist}&character=${missing}`;
    rejects('an unknown character with a known artist', [known], 'none', 404);
    rejects(
      'an unknown artist among known ones, or to exclude',
      ['/image/random', '/image/latest', '/image', `/image/${image}/similar`].flatMap((path) => [
        `${path}?artist=${artist},${missing}`,
        `${path}?excludeArtist=${missing}`,
      ]),
      'list',
      404,
      /^Artist not found\.$/,
    );
    const idle = `/image/random?artist=${uuid(2, 4)}`;
    accepts('an artist without images', [idle, `${idle}&seed=1`], 'none');
  });
});
