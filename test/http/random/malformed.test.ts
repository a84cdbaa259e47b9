/** Invalid filters, seeds and cursors: 400 and 404, and values that are just valid. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { uuid } from '../../support/catalogues/catalogue.ts';
import { forEachEngineInDepth } from '../../support/servers/engines.ts';
import { assertError, clock, testMakers } from '../../support/zukan/api.ts';
import { makeToken, startKnownService } from '../../support/zukan/service.ts';

const [artist, character, missing] = [uuid(2, 1), uuid(3, 1), uuid(9, 9)];
const invalid = (name: string) => new RegExp(`Invalid ${name}\\b`);

const lists = ['/image', `/artist/${artist}/images`];
const paths: Record<string, string[]> = {
  nsfw: ['/image/random', ...lists],
  orientation: ['/image/random', ...lists],
  excludeArtist: ['/image/random', '/image'],
  character: ['/image/random', ...lists],
  animated: ['/image/latest', ...lists],
  minWidth: ['/image/random/file', ...lists],
  maxWidth: ['/image/latest', ...lists],
  type: ['/image/random', ...lists],
  exclude: ['/image/random', '/image/latest'],
  aspectRatio: ['/image/random', ...lists],
};
const repeated = (value: string, name: string) => [`${value}&${name}=${value}`, `${value}&x=1&${name}=`];
const invalidIds = [
  ...['', ',', 'x', '1', '%00', 'null', artist.slice(1), `${artist}0`, `g${artist.slice(1)}`, `{${artist}}`],
  ...[artist.replaceAll('-', ''), `${artist},x`, `${artist};${artist}`, 'x'.repeat(5000), 'Mariko'],
  Array.from({ length: 101 }, () => artist).join(),
];
/** The text after `name=`. */
const malformed: Record<string, string[]> = {
  nsfw: [
    ...['', ',', '&nsfw=', 'sfw&nsfw=', 'SFW', 'safe', 'all', '0', 'sfw%00', 'sfw,safe', 'sfw&nsfw=safe'],
    ...['sfw;nsfw', 'sfw%20nsfw', '!sfw', '*', '__proto__', 'constructor', '%EF%BD%93fw', 'x'.repeat(5000)],
  ],
  orientation: [
    '',
    '&orientation=,',
    'Landscape',
    'any',
    'square,wide',
    'square&orientation=tall',
    '__proto__',
  ],
  match: ['ALL', 'none', 'any,all', '1', 'any%20', '%00', 'constructor', ...repeated('any', 'match')],
  artist: [...invalidIds, `${artist}&artist=x`],
  excludeArtist: invalidIds,
  character: invalidIds,
  animated: ['', '1', 'tRUE', 'true,True', 'yes', 'true,false', '%00', ...repeated('true', 'animated')],
  minWidth: ['', '0', '-1', '1.5', '1e3', '0x10', '%201', '9,9', ...repeated('1', 'minWidth')],
  minHeight: ['', '0', 'many', ...repeated('1', 'minHeight')],
  maxWidth: ['', '0', '1.5', '9,9', ...repeated('1', 'maxWidth')],
  maxHeight: ['', '0', 'few', ...repeated('1', 'maxHeight')],
  type: ['', ',', 'WEBP', 'image/webp', 'webp,svg', 'webp&type=', '*', 'constructor', 'x'.repeat(5000)],
  exclude: ['', '%20', ',', '%20,&exclude=', 'catgirl&exclude=', '&exclude=catgirl'],
  aspectRatio: [
    ...['', '16', '16:', ':9', '0:9', '16:0', '016:9', '16:9:1', '16:9,4:3', '1.5:1', '16/9', '-16:9'],
    ...['123456:1', '1:123456', '16:9%0A', '%2016:9', 'x'.repeat(5000), ...repeated('16:9', 'aspectRatio')],
  ],
  seed: [
    '',
    'x'.repeat(65),
    '\u{1F600}'.repeat(65),
    '+'.repeat(65),
    'x'.repeat(5000),
    ...repeated('1', 'seed'),
  ],
};

await forEachEngineInDepth(async (engine) => {
  const service = await startKnownService({ engine, clock });
  const tokens = { none: {}, list: (await makeToken(service.config, ['image:list'])).headers };
  const { rejects, accepts } = testMakers(service, tokens);

  describe('malformed', () => {
    // An empty `match` is not given.
    for (const [name, all] of Object.entries(malformed))
      for (const text of name === 'match' ? all : [undefined, ...all]) {
        const query = text === undefined ? name : `${name}=${text.replaceAll('\u{1F600}', '%F0%9F%98%80')}`;
        rejects(
          `?${query.slice(0, 60)} on every endpoint with ${name}, and names it`,
          (paths[name] ?? ['/image/random']).map((path) => `${path}?${query}`),
          'list',
          400,
          invalid(name),
        );
      }

    test('the message names every invalid parameter', async () => {
      const answer = await service.get(
        '/api/image/random?nsfw=x&orientation=&match=x&seed=&artist=1&limit=0',
      );
      for (const name of ['nsfw', 'orientation', 'match', 'seed', 'artist', 'limit'])
        assertError(answer, 400, invalid(name));
    });

    const unknown: [query: string, named: string[], unnamed: string[]][] = [
      ['exclude=nope', ['nope'], []],
      ['exclude=catgirl,nope,Nada,KIMONO', ['nope', 'Nada'], ['catgirl', 'kimono']],
      ['exclude=catgirl&exclude=nope%20way,Nada', ['nope way', 'Nada'], ['catgirl']],
      ['exclude=night', ['night'], ['night sky']],
      ['exclude=%E3%81%AD%E3%81%93&categories=catgirl', ['ねこ'], ['catgirl']],
      [`exclude=${uuid(1, 1)}`, [uuid(1, 1)], []],
      ['exclude=nope&seed=1', ['nope'], []],
      ['exclude=nope&nsfw=sfw&orientation=square&match=any&categories=kimono', ['nope'], ['kimono']],
    ];
    for (const [query, named, unnamed] of unknown)
      test(`${query} is rejected, and the message names the unknown categories`, async () => {
        const answer = await service.get(`/api/image/random?${query}`);
        assertError(answer, 400, /exclude/);
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

    test('the message names the parameter of an unknown category', async () => {
      for (const query of ['match=any&categories=catgirl,nope', 'exclude=catgirl&categories=nope&seed=1'])
        assertError(await service.get(`/api/image/random?${query}`), 400, /categories.*nope/);
    });
  });

  describe('well-formed', () => {
    const seeds = [
      'x'.repeat(64),
      '\u{1F600}'.repeat(64),
      'é'.repeat(64),
      ' ',
      '\0',
      '0',
      ',',
      "';--",
      '%',
      '\n',
    ];
    accepts(
      'a seed of any 1 to 64 code points',
      seeds.map((seed) => `/image/random?seed=${encodeURIComponent(seed)}`),
      'none',
    );
    accepts(
      'parameters of other endpoints, whatever their values',
      [
        ...['/image?seed=&cursor=x&match=x&exclude=no', '/artist?nsfw=x&orientation='],
        ...[
          `/artist/${artist}/images?seed=&cursor=x&exclude=no&artist=x&excludeArtist=&match=`,
          `/image/${uuid(4, 1)}?nsfw=`,
        ],
        ...['/category?nsfw=', '/character?orientation=x&seed=', '/stats?nsfw=x', `/artist/${artist}?nsfw=x`],
      ],
      'list',
    );
  });

  describe('unknown ids', () => {
    for (const query of ['', '&seed=1']) {
      const of = (name: string, id: string) => [`/image/random?${name}=${id}${query}`];
      rejects(`an unknown artist, with "${query}"`, of('artist', missing), 'none', 404, /artist/i);
      rejects(`an unknown character, with "${query}"`, of('character', missing), 'none', 404, /character/i);
      rejects(
        `the id of a character as artist, with "${query}"`,
        of('artist', character),
        'none',
        404,
        /artist/i,
      );
      rejects(
        `the id of an artist as character, with "${query}"`,
        of('character', artist),
        'none',
        404,
        /character/i,
      );
      rejects(
        `the id of an image as artist, with "${query}"`,
        of('artist', uuid(4, 1)),
        'none',
        404,
        /artist/i,
      );
    }
    rejects(
      'an unknown character with a known artist',
      [`/image/random?artist=${artist}&character=${missing}`],
      'none',
      404,
    );
    rejects(
      'an unknown artist among known ones, or to exclude',
      ['/image/random', '/image/latest', '/image', `/image/${uuid(4, 1)}/similar`].flatMap((path) => [
        `${path}?artist=${artist},${missing}`,
        `${path}?excludeArtist=${missing}`,
      ]),
      'list',
      404,
      /^Artist not found\.$/,
    );
    accepts(
      'an artist without images',
      [`/image/random?artist=${uuid(2, 4)}`, `/image/random?artist=${uuid(2, 4)}&seed=1`],
      'none',
    );
  });
});
