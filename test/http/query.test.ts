/** Reading a request: its query, its escapes, and who prefers HTML. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ignoredParameters, readQuery } from '../../src/api/parameters.ts';
import { routes } from '../../src/api/routes.ts';
import {
  decodeEscapes,
  hasTooManyParameters,
  MAX_PARAMETERS,
  parseQuery,
  preferredType,
  prefersHtml,
} from '../../src/http/request.ts';
import { decodePath } from '../../src/http/server.ts';
import * as Type from '../../src/lib/json-schema.ts';
import { character } from '../support/characters.ts';

/** Every parameter of the API: of two with the same name, either. */
const everything = Type.Object<Type.TProperties>(
  Object.assign({}, ...routes.map(({ query }) => query.properties)),
);
const read = (search: string): Record<string, unknown> => readQuery(everything, parseQuery(search));
const rules = Object.entries(everything.properties) as [string, { type?: string; items?: object }][];
const isList = ([, { type }]: (typeof rules)[number]) => type === 'array';
const lists = rules.filter(isList);
const singles = rules.filter((rule) => !isList(rule)).map(([name]) => name);

/** Values that the list takes: ids, some of its choices, or any names. */
function valuesOf({
  items,
}: {
  items?: { pattern?: string; anyOf?: { const: string }[] };
}): fc.Arbitrary<string[]> {
  if (items?.pattern) return fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 8 });
  const choices = items?.anyOf?.map((choice) => choice.const);
  if (choices) return fc.subarray(choices, { minLength: 1 });
  const name = fc.string({ unit: character, minLength: 1, maxLength: 12 });
  const isName = (text: string) => text.trim() === text && !text.includes(',');
  return fc.uniqueArray(name.filter(isName), { minLength: 1, maxLength: 8 });
}

/** Ways to write the name in front of some of the values. */
const spelling = fc.oneof(
  fc.constantFrom('', '[]', '%5B%5D', '%5b]'),
  fc.nat({ max: 99_999 }).map((index) => `[${index}]`),
  fc.bigInt({ min: 0n, max: 10n ** 30n }).map((index) => `%5B${index}%5D`),
);

describe('a list', () => {
  assert.ok(lists.length >= 4);
  for (const [name, rule] of lists)
    test(`${name} reads the same in every encoding`, () => {
      const parts = fc.infiniteStream(fc.record({ spelling, isJoined: fc.boolean() }));
      fc.assert(
        fc.property(
          valuesOf(rule),
          parts,
          fc.constantFrom(',', '%2C', ', ', '+,%20'),
          (values, how, comma) => {
            const pieces: string[] = [];
            for (const value of values) {
              const { spelling, isJoined } = how.next().value;
              const escaped = encodeURIComponent(value);
              if (isJoined && pieces.length > 0) pieces.push(`${pieces.pop()}${comma}${escaped}`);
              else pieces.push(`${name}${spelling}=${escaped}`);
            }
            const search = pieces.join('&');
            assert.deepEqual(read(search)[name], values, search);
            assert.equal(ignoredParameters(everything, parseQuery(search)), undefined);
          },
        ),
      );
    });

  test('takes as many values in brackets as there may be parameters', () => {
    const indices = Array.from({ length: MAX_PARAMETERS }, (_, index) => index);
    const search = indices.map((index) => `exclude[${index}]=${index}`).join('&');
    assert.ok(!hasTooManyParameters(search) && hasTooManyParameters(`${search}&`));
    assert.deepEqual(read(search).exclude, indices.map(String));
    assert.deepEqual(read(`${search}&exclude[]=more`).exclude, indices.map(String));
  });

  test('takes up to 100 values, in one parameter or several', () => {
    const names = Array.from({ length: 100 }, (_, index) => `c${index}`);
    assert.deepEqual(read(`exclude=${names}`).exclude, names);
    assert.deepEqual(read(`exclude=${names.slice(0, 60)}&exclude[]=${names.slice(60)}`).exclude, names);
    const message = 'Invalid exclude: it must not have more than 100 values.';
    for (const search of [`exclude=${names}&exclude=more`, `exclude=${names},more`])
      assert.throws(() => read(search), { status: 400, message });
  });

  test('takes up to 4000 characters', () => {
    const names = ['x'.repeat(2000), 'é'.repeat(1999)];
    assert.deepEqual(read(`exclude=${names.map(encodeURIComponent)}`).exclude, names);
    const message = 'Invalid exclude: it must not be longer than 4000 characters.';
    for (const search of [`exclude=${names}x`, `exclude=${names[0]}&exclude[]=${'x'.repeat(2000)}`])
      assert.throws(() => read(search), { status: 400, message });
  });

  test('is not given by other brackets, which are reported', () => {
    const names = [
      'nsfw[a]',
      'nsfw[][]',
      'nsfw[0][1]',
      'nsfw[-1]',
      'nsfw[',
      'nsfw]',
      'nsfw[1',
      '[nsfw]',
      'nsfw[]x',
    ];
    for (const name of names) {
      const raw = parseQuery(`${name}=sfw`);
      assert.equal(readQuery(everything, raw).nsfw, undefined, name);
      assert.equal(ignoredParameters(everything, raw), name);
    }
  });
});

describe('a single value', () => {
  for (const name of singles)
    test(`${name} in brackets is rejected, not ignored`, () => {
      for (const search of [
        `${name}[]=5`,
        `${name}%5B0%5D=5`,
        `${name}=5&${name}[]=5`,
        `${name}=5&${name}=5`,
      ]) {
        const message = /^Invalid [\w ]+: it must be a single value\.$/;
        assert.throws(() => read(search), { status: 400, message }, search);
      }
    });
});

/** The text after `name=`. */
const notIntegers = [
  ...['', ...'-1 1.0 1e1 +1 %201 1%0A 0x1 abc 1,2 %EF%BC%91 %D9%A1 NaN null %00 %zz "1" [1] 1n'.split(' ')],
];
const id = '20000000-0000-4000-8000-000000000001';
const notIds = [
  ...['', ',', 'x', '1', '%00', 'null', id.slice(1), `${id}0`, `g${id.slice(1)}`, `{${id}}`],
  ...[id.replaceAll('-', ''), `${id},x`, `${id};${id}`, 'x'.repeat(5000), 'Mariko'],
  Array.from({ length: 101 }, () => id).join(),
];
const malformed: Record<string, string[]> = {
  limit: [...notIntegers, '0', '00', '26', '100', '9'.repeat(30), '9'.repeat(400)],
  offset: notIntegers,
  expiry: [...notIntegers, '0', '1', '29', '30', '030'],
  search: ['x'.repeat(51), 'x'.repeat(2000), '😀'.repeat(51), 'é'.repeat(51), '+'.repeat(51)],
  nsfw: [
    ...['', ',', '&nsfw=', 'sfw&nsfw=', 'SFW', 'safe', 'all', '0', 'sfw%00', 'sfw,safe', 'sfw&nsfw=safe'],
    ...['sfw;nsfw', 'sfw%20nsfw', '!sfw', '*', '__proto__', 'constructor', '%EF%BD%93fw', 'x'.repeat(5000)],
  ],
  orientation: [
    ...['', '&orientation=,', 'Landscape', 'any', 'square,wide', 'square&orientation=tall', '__proto__'],
  ],
  match: ['ALL', 'none', 'any,all', '1', 'any%20', '%00', 'constructor'],
  artist: [...notIds, `${id}&artist=x`],
  excludeArtist: notIds,
  character: notIds,
  album: notIds,
  animated: ['', '1', 'tRUE', 'true,True', 'yes', 'true,false', '%00'],
  minWidth: ['', '0', '-1', '1.5', '1e3', '0x10', '%201', '9,9'],
  minHeight: ['', '0', 'many'],
  maxWidth: ['', '0', '1.5', '9,9'],
  maxHeight: ['', '0', 'few'],
  type: ['', ',', 'WEBP', 'image/webp', 'webp,svg', 'webp&type=', '*', 'constructor', 'x'.repeat(5000)],
  exclude: ['', '%20', ',', '%20,&exclude=', 'catgirl&exclude=', '&exclude=catgirl'],
  aspectRatio: [
    ...['', '16', '16:', ':9', '0:9', '16:0', '016:9', '16:9:1', '16:9,4:3', '1.5:1', '16/9', '-16:9'],
    ...['123456:1', '1:123456', '16:9%0A', '%2016:9', 'x'.repeat(5000)],
  ],
  include: ['thumbnail', 'artist,everything', 'Artist', 'count,thumbnails', 'Cover', 'images'],
  width: ['', '0', '-1', '1.5', 'x', '1&width=2'],
  seed: ['', 'x'.repeat(65), '\u{1F600}'.repeat(65), '+'.repeat(65), 'x'.repeat(5000)],
};

/** test/http/precedence.test.ts sends each parameter to each endpoint. */
describe('a malformed value is refused, with its name, by every endpoint that has it:', () => {
  for (const [name, texts] of Object.entries(malformed))
    test(name, () => {
      const queries = routes.map(({ query }) => query).filter(({ properties }) => name in properties);
      assert.ok(queries.length > 0);
      // Without a text, these are not given.
      for (const text of ['match', 'search', 'include'].includes(name) ? texts : [undefined, ...texts])
        for (const query of queries)
          assert.throws(
            () => readQuery(query, parseQuery(text === undefined ? name : `${name}=${text}`)),
            { status: 400, message: new RegExp(`^Invalid ${name}\\b`) },
            `${text}`,
          );
    });
});

test('the message names the values that there are', () => {
  const message = /^Invalid include: it must be one or more of "count", "cover"\.$/;
  const entries = routes.find(({ path }) => path === '/artist')?.query ?? assert.fail();
  assert.throws(() => readQuery(entries, parseQuery('include=images')), { message });
});

test('a text may have as many code points as its parameter allows', () => {
  for (const text of ['x', '😀', 'é', ' ', '\0', ',', '%', '\n', "'"])
    for (const [name, length] of [['search', 50] as const, ['seed', 64] as const])
      assert.equal(read(`${name}=${encodeURIComponent(text.repeat(length))}`)[name], text.repeat(length));
});

test('names of object properties are parameters like any other', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    for (const search of [`${name}=1`, `${name}[]=1`, `${name}[0]=1&${name}[1]=2`]) {
      assert.deepEqual(read(search), read(''), search);
      assert.equal(ignoredParameters(everything, parseQuery(search)), name);
    }
});

describe('ignored parameters', () => {
  const query = Type.Object({ limit: Type.Integer() });
  const report = (search: string) => ignoredParameters(query, parseQuery(search));

  const cases: [search: string, expected: string | undefined][] = [
    ['', undefined],
    ['limit=1', undefined],
    ['&&=&=1&[]=1', undefined],
    ['category=a&limit=1&tags[]=b&tags[]=c', 'category, tags'],
    ['Limit=1&limit%20=1&a+b=1', 'Limit, limit%20, a%20b'],
    ['a%0d%0aSet-Cookie:%20x=1', 'a%0D%0ASet-Cookie%3A%20x'],
    ['%E5%9B%B3=1&%zz=1&%00=1', '%E5%9B%B3, %25zz, %00'],
    ['a%2Cb=1&"=1&a%5Bb%5D=1', 'a%2Cb, %22, a[b]'],
    [`${'x'.repeat(40)}=1&${'y'.repeat(41)}=1`, `${'x'.repeat(40)}, ${'y'.repeat(40)}...`],
    [`${'x'.repeat(38)}%C3%A9=1`, `${'x'.repeat(38)}...`],
    ['abcdefghij'.split('').join('&'), 'a, b, c, d, e, f, g, h, i, j'],
    ['abcdefghijkl'.split('').join('&'), 'a, b, c, d, e, f, g, h, i, j, ...'],
  ];
  for (const [search, expected] of cases)
    test(`of ?${search}`, () => {
      assert.equal(report(search), expected);
    });

  test('are always reported in a short and safe header', () => {
    const unit = fc.constantFrom(...'&=%,[]\r\n\0"<>aé図😀', '\ud800');
    const hostile = fc.string({ unit, maxLength: 60 });
    const escaped = hostile.map((text) => encodeURIComponent(text.toWellFormed()));
    const names = fc.array(fc.oneof(hostile, escaped), { maxLength: 15 });
    fc.assert(
      fc.property(names, (names) => {
        const value = report(names.join('&')) ?? 'none';
        assert.match(value, /^[A-Za-z0-9\-_.!~*'()%[\]]+(, [A-Za-z0-9\-_.!~*'()%[\]]+)*$/);
        assert.ok(value.length < 500);
      }),
    );
  });
});

// Percent-encoded text is decoded as `decodeURIComponent` does, but without exceptions.

function reference(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

test('gives what decodeURIComponent gives, and invalid text as it is', () => {
  const byte = fc.nat({ max: 255 }).map((value) => `%${value.toString(16).padStart(2, '0')}`);
  const edges =
    '%c1%bf %c2%80 %df%bf %e0%9f%80 %e0%a0%80 %ed%9f%bf %ed%a0%80 %ef%bf%bf %f0%8f%80%80 %f0%90%80%80';
  const more = '%f4%8f%bf%bf %f4%90%80%80 %f5%80%80%80 %C3%A9 %E5%9B%B3 %F0%9F%98%80 % %4 %zz %% é 図';
  const part = fc.oneof(byte, fc.constantFrom(...`${edges} ${more}`.split(' ')), fc.string({ maxLength: 3 }));
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (text) => assert.equal(decodeEscapes(text), reference(text))),
    { numRuns: 3000 },
  );
});

test('throws no exception inside', () => {
  let errors = 0;
  const { decodeURIComponent: decode } = globalThis;
  globalThis.decodeURIComponent = (text) => {
    try {
      return decode(text);
    } catch (error) {
      errors++;
      throw error;
    }
  };
  try {
    parseQuery('%ff&%ff=%zz&%&a=%c3%28&%E5%9B%B3');
    decodePath('/api/%ff');
  } finally {
    globalThis.decodeURIComponent = decode;
  }
  assert.equal(errors, 0);
});

test('a path that is longer than any address stays as it is', () => {
  assert.equal(decodePath('/%61pi/a%2Fb'), '/api/a%2Fb');
  const long = `/api/${'%41'.repeat(400)}`;
  assert.equal(decodePath(long), long);
});

// Who prefers HTML to JSON.

const cases: [what: string, accept: string | undefined, expected: boolean][] = [
  ['Chromium', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', true],
  ['Firefox', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['Lynx', 'text/html, text/plain, text/sgml, text/css, */*;q=0.01', true],
  ['curl', '*/*', false],
  ['a client without Accept', undefined, false],
  ['an empty Accept', '', false],
  ['axios', 'application/json, text/plain, */*', false],
  ['an image', 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', false],
  ['HTML only', 'text/html', true],
  ['HTML in capitals, with parameters and spaces', ' TEXT/HTML ; charset=utf-8 ; Q=0.4 ', true],
  ['any text', 'text/*', true],
  ['HTML before anything', 'text/html, */*', true],
  ['any text before anything', '*/*, text/*', true],
  ['both', 'text/html, application/json', false],
  ['both, HTML first', 'text/html;q=0.9, application/json;q=0.8', true],
  ['both, JSON first', 'text/html;q=0.8, application/json;q=0.9', false],
  ['HTML last', 'text/html;q=0.1, */*', false],
  ['no HTML', 'text/html;q=0, */*', false],
  ['no HTML, and nothing else', 'text/html;q=0', false],
  ['no JSON', 'application/json;q=0, */*', true],
  ['an invalid weight', 'text/html;q=high, */*;q=0.1', false],
  ['another type', 'image/png', false],
  ['nonsense', ',;,;q=1,text,/html,text/htmlx', false],
  // Node joins repeated headers, so an empty Accept before another gives this.
  ['JSON after an empty range', ', application/json', false],
  ['JSON after an empty range with parameters', ';;q, application/json', false],
  ['names of object properties', '__proto__, constructor;q=1', false],
  ['a long header', `${'a/b;q=0.5,'.repeat(80)}text/html`, true],
  ['a header that is longer than any client needs', `${'a/b;q=0.5,'.repeat(5000)}text/html`, false],
];

for (const [what, accept, expected] of cases)
  test(`${what} ${expected ? 'prefers' : 'does not prefer'} HTML`, () => {
    assert.equal(prefersHtml(accept), expected);
  });

test('no preference is not a preference for JSON', () => {
  for (const accept of [undefined, '', '*/*', 'text/html, application/json', 'image/png'])
    assert.equal(preferredType(accept), undefined, `${accept}`);
  for (const accept of ['application/json', 'application/*', 'application/json, */*', 'text/html;q=0, */*'])
    assert.equal(preferredType(accept), 'json', accept);
  assert.equal(preferredType('text/html'), 'html');
});
