/** Markers of explicit pictures fail safe: what is not known to be safe is never imported as safe. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Rating } from '../../src/catalogue/schemas.ts';
import { mergeFields, toRecord } from '../../src/import/sidecar/fields.ts';
import { readSidecar } from '../../src/import/sidecar/read.ts';
import { atDepth } from '../support/depth.ts';

/** Undefined if nothing says how explicit the picture is. */
async function ratingOf(sidecar: unknown): Promise<Rating | undefined> {
  const read = await readSidecar('a.json', Buffer.from(JSON.stringify(sidecar)));
  const { nsfw, openFields } = toRecord('a.jpg', [], mergeFields([read]));
  return openFields?.includes('nsfw') ? undefined : nsfw;
}

test('understands the markers of sites', async () => {
  const cases: [Rating | undefined, object[]][] = [
    [
      'nsfw',
      [
        ...'e explicit Explicit R-18 R-18G r18 Ｒ－１８ R18+ Adult Mature unsafe 18+'.split(' ').map(rated),
        ...[1, 2, '1'].map((x_restrict) => ({ x_restrict })),
        ...'over_18 nsfw is_nsfw isNsfw is_mature isMature mature mature_content adult'.split(' ').map(on),
        ...'adult_content hasAdultContent is_adult sensitive possibly_sensitive isSensitive'
          .split(' ')
          .map(on),
        ...'is_sensitive channel_nsfw r18 is_r18 explicit NSFW Over18'.split(' ').map(on),
        { nsfw: 'true' },
        { nsfw: 1 },
        { is_safe: false },
        { safety: 'unsafe' },
        { purity: 'nsfw' },
        { maturity_rating: 'NSFW' },
        { contentRating: 'pornographic' },
        { nsfwLevel: 16 },
        { nsfw: 'X' },
        { rating: ['General', 'Explicit'] },
        { post: { data: [{ over_18: true }] } },
        { tags: ['rating:explicit'] },
        { tags: 'a rating:e b' },
        { tag_string: 'a rating:e b' },
        { tags_general: 'a rating:e' },
        { my: { own: ['rating:e'] } },
        { tags: ['R-18'] },
        { tags: ['NSFW'] },
        { rating: 's', nsfw: true },
        { nsfw: 'sfw', rating: 'e' },
        { rating: 'm', category: 'newgrounds' },
        { labels: [{ val: 'nudity' }] },
      ],
    ],
    [
      'questionable',
      [
        ...['q', 'questionable', 'sensitive', 'suggestive', 'sketchy', 'R15+'].map(rated),
        { safety: 'sketchy' },
        { rating: 's', tags: ['rating:q'] },
        { rating: 's', category: 'danbooru' },
        { rating: 't', category: 'newgrounds' },
        { nsfw: 'questionable' },
        { x_restrict: 0, sanity_level: 6 },
      ],
    ],
    [
      'sfw',
      [
        ...['g', 's', 'general', 'General', 'safe', 'sfw', 'G', 'Everyone', 'all ages'].map(rated),
        ...['over_18', 'nsfw', 'is_mature', 'sensitive', 'adult'].map((name) => ({ [name]: false })),
        { x_restrict: 0, rating: 'General', sanity_level: 2 },
        { rating: 'e', category: 'newgrounds' },
        { nsfw: 0 },
        { nsfw: '0' },
        { is_safe: true },
        { tags: ['rating:safe'] },
      ],
    ],
    [
      undefined,
      [
        {},
        { rating: null },
        { rating: '' },
        { rating: [] },
        { sensitive: null, labels: [] },
        { rating: 3.7, category: '500px' },
        { rating_locked: false, avatar_rating: 'e', score: 3, restrict: 1, labels: ['cat'] },
        { tags: ['safe', 'sfw', 'mature_female', 're:zero'] },
        { labels: [{ val: '!no-unauthenticated' }] },
      ],
    ],
  ];
  for (const [rating, sidecars] of cases)
    for (const sidecar of sidecars) assert.equal(await ratingOf(sidecar), rating, JSON.stringify(sidecar));

  function on(name: string): object {
    return { [name]: true };
  }

  function rated(rating: string): object {
    return { rating };
  }
});

/** What a text, a folder or the file itself says about a picture that nothing else marks. */
async function ratingIn({ sidecar = [] as [string, string][], folders = [] as string[], file = 'a.jpg' }) {
  const read = await Promise.all(sidecar.map(([name, text]) => readSidecar(name, Buffer.from(text))));
  const { nsfw, openFields, atLeast } = toRecord(file, folders, mergeFields(read));
  return openFields?.includes('nsfw') ? atLeast : nsfw;
}

test('what stands inside a tag, a text or a name makes a picture more explicit, and never less', async () => {
  const texts: [string, Rating | undefined][] = [
    ['1girl solo rating:explicit', 'nsfw'],
    ['1girl solo rating: q', 'questionable'],
    ['1girl, solo rating:explicit, hat', 'nsfw'],
    ['score_9, rating_explicit, 1girl', 'nsfw'],
    ['score_9, rating_safe, 1girl', 'sfw'],
    ['1girl nsfw solo', 'nsfw'],
    ['1girl questionable solo', 'questionable'],
    ['#nsfw #fox', 'nsfw'],
    ['nsfw; fox; solo', 'nsfw'],
    ['- explicit\n- fox', 'nsfw'],
    ['fox (explicit), hat', 'nsfw'],
    ['A long day - explicit', 'nsfw'],
    ['1girl, solo rating:safe, hat', undefined],
    ['https://example.org/?a=1&rating=safe', undefined],
    ['questionable taste, explicit warning', undefined],
    ['r180, 180+, nsfwish', undefined],
    ['fox 18禁', 'nsfw'],
    ['【R18禁】狐', 'nsfw'],
    ['狐（１８禁）', 'nsfw'],
    ['R-18イラスト', 'nsfw'],
    ['狐Ｒ－１８', 'nsfw'],
    ['R‐18 fox', 'nsfw'],
    ['成人向けイラスト', 'nsfw'],
    ['Adults only!', 'nsfw'],
    ['completely nude', 'nsfw'],
    ['lewd_fox', 'nsfw'],
    ['denuded, nudes2, lewdness, 118禁, 2018禁止, young adults, only fox', undefined],
  ];
  for (const [text, rating] of texts)
    assert.equal(await ratingIn({ sidecar: [['a.txt', text]] }), rating, text);
  const others: [Parameters<typeof ratingIn>[0], Rating | undefined][] = [
    [{ folders: ['NSFW art'] }, 'nsfw'],
    [{ folders: ['foxes (questionable)'] }, 'questionable'],
    [{ file: 'fox_nsfw.png' }, 'nsfw'],
    [{ file: 'old/explicit.png' }, 'nsfw'],
    [{ folders: ['18禁'] }, 'nsfw'],
    [{ file: 'fox_nude.png' }, 'nsfw'],
    [{ file: 'fox_sfw.png' }, undefined],
    [{ file: 'fox_nsfw.png', sidecar: [['a.json', '{"nsfw":"sfw"}']] }, 'nsfw'],
    [{ sidecar: [['a.json', '{"fileName":"fox_nsfw.png"}']] }, 'nsfw'],
    [{ sidecar: [['a.json', '{"title":"Fox [NSFW]"}']] }, 'nsfw'],
    [{ sidecar: [['a.json', '{"keywords":["fox","explicit"]}']] }, 'nsfw'],
    [{ sidecar: [['a.json', '{"keywords":"fox, explicit"}']] }, 'nsfw'],
    [{ sidecar: [['a.json', '{"hashtags":["#nsfw"]}']] }, 'nsfw'],
    [{ sidecar: [['a.yml', 'rating: explicit']] }, 'nsfw'],
  ];
  for (const [picture, rating] of others)
    assert.equal(await ratingIn(picture), rating, JSON.stringify(picture));
});

test('lists the markers that it does not understand', async () => {
  const read = async (value: object) =>
    (await readSidecar('a.json', Buffer.from(JSON.stringify(value)))).marked;
  assert.deepEqual(await read({ rating: 'odd', nsfw: 'maybe', over_18: { a: 1 }, tags: ['rating:7'] }), {
    rating: 'nsfw',
    unknown: [
      { field: 'rating', value: 'odd' },
      { field: 'nsfw', value: 'maybe' },
      { field: 'over_18', value: 'a structure' },
      { field: 'rating', value: '7' },
    ],
  });
  const { unknown } = await read({ rating: ['\ud800'.repeat(1000), ...Array(1000).keys()] });
  assert.equal(unknown.length, 5);
  assert.equal(unknown[0]?.value, `${'\ufffd'.repeat(60)}…`);
});

/** Names that sites use, and the values that are known to be safe in any of them. */
const names = [
  ...'rating ratings nsfw is_nsfw isNsfw safety sensitive possibly_sensitive over_18 is_mature mature'.split(
    ' ',
  ),
  ...'x_restrict adult adult_content r18 contentRating maturity_rating purity nsfwLevel rating_id'.split(' '),
  ...'rating_name safety_level is_safe hasAdultContent explicit'.split(' '),
];
const safe =
  /^(g|general|generalaudiences|s|safe|sfw|all|allages|everyone|clean|pg|0|1|2|4|false|true|no|yes|none)$/;
const isSafe = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.every(isSafe)
    : value === null ||
      (typeof value !== 'object' &&
        (String(value).trim() === '' ||
          safe.test(
            String(value)
              .normalize('NFKC')
              .trim()
              .toLowerCase()
              .replace(/[\s_-]/g, ''),
          )));

test('no marker with a value that is not known to be safe gives sfw, wherever it is', async () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ maxLength: 6, unit: fc.constantFrom(...'gsqexr18+-_ !?') }),
    fc.constantFrom(
      'e',
      'explicit',
      'x',
      '18',
      'unsafe',
      '-1',
      '3',
      '!safe',
      'not safe',
      'unsafe',
      's.',
      'safe?',
    ),
  );
  const place = fc.array(fc.constantFrom('post', 'data', 'metadata', 'category', 'tags', 'user', '[]'), {
    maxLength: 4,
  });
  // A name that is nearly one of ours would be refused.
  const otherName = fc.string().map((text) => `other ${text}`);
  const others = fc.dictionary(otherName, fc.jsonValue({ maxDepth: 2 }));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), value, place, others, async (name, value, place, others) => {
      fc.pre(!isSafe(value));
      let sidecar: unknown = { rating: 's', ...others, [name]: value };
      for (const key of place)
        sidecar = key === '[]' ? { list: [sidecar] } : { ...others, rating: 'safe', [key]: sidecar };
      const rating = await ratingOf(sidecar);
      assert.ok(rating === 'nsfw' || rating === 'questionable', `${rating}: ${JSON.stringify(sidecar)}`);
    }),
    { numRuns: atDepth(200, 1000) },
  );
});

test('no tag with a rating that is not known to be safe gives sfw', async () => {
  const value = fc
    .string({ minLength: 1, maxLength: 8 })
    .filter((text) => text.trim() !== '' && !isSafe(text));
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom('rating:', 'Rating: ', 'rating='), async (value, prefix) => {
      for (const sidecar of [{ tags: [prefix + value] }, { any: { list: [prefix + value] } }])
        assert.notEqual((await ratingOf(sidecar)) ?? 'sfw', 'sfw', JSON.stringify(sidecar));
      const text = await readSidecar(
        'a.txt',
        Buffer.from(`cat\n${prefix}${value.replace(/[\r\n,]/g, 'x')}\n`),
      );
      assert.notEqual(text.marked.rating ?? 'sfw', 'sfw');
    }),
    { numRuns: atDepth(100, 300) },
  );
});
