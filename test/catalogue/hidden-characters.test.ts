/** Which characters texts must not have, because nobody sees them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanName, findFlaw, withoutHidden } from '../../src/catalogue/names.ts';

const useful = [
  ...['plain', 'ｆｕｌｌ 図鑑 é', 'e\u0301', 'a\u00a0b', '  ', ''],
  // Persian, Hindi, Sinhala, Khmer, Mongolian, and marks of the direction.
  ...['می\u200cخواهم', 'क्\u200dष', 'ශ්\u200dරී', 'ក\u200bខ', 'ᠮᠣᠩ\u180bᠭ', 'שלום\u200e C++', 'C++ \u200fעברית'],
  // A keycap, a heart, letters that are emoji, a family, a detective, flags, and the form of a Japanese name.
  ...[
    '1\ufe0f\u20e3',
    '❤\ufe0f',
    'ℹ\ufe0fⓂ\ufe0f',
    '👩\u200d👩\u200d👧',
    '🕵🏽\u200d♂\ufe0f',
    '🏳\ufe0f\u200d🌈',
    '葛\u{e0100}城',
  ],
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
];

test('keeps what scripts and emoji need', () => {
  for (const text of useful) {
    assert.equal(findFlaw(text), undefined, JSON.stringify(text));
    assert.equal(withoutHidden(text), text);
  }
});

test('finds everything else, and says what it is and where', () => {
  const cases: [text: string, place: number, code: string, clean: string][] = [
    ['\0a', 1, '0000', 'a'],
    ['a\x1b[31m', 2, '001B', 'a[31m'],
    ['a\x7fb', 2, '007F', 'ab'],
    ['a\u009bb', 2, '009B', 'ab'],
    ['😀\nb', 2, '000A', '😀 b'],
    ['a\u2028b', 2, '2028', 'a b'],
    ['a\u202egnp', 2, '202E', 'agnp'],
    ['a\u2066b\u2069', 2, '2066', 'ab'],
    ['שלום\u202e', 5, '202E', 'שלום'],
    ['a\u200eb', 2, '200E', 'ab'],
    ['a\u061cb\u200f', 2, '061C', 'ab'],
    ['fo\u00adx', 3, '00AD', 'fox'],
    ['a\u200bb', 2, '200B', 'ab'],
    ['a\u200cb', 2, '200C', 'ab'],
    ['a\u200db', 2, '200D', 'ab'],
    ['क\u200d\u200d', 3, '200D', 'क\u200d'],
    ['👩\u200db', 2, '200D', '👩b'],
    ['a\ufe0f', 2, 'FE0F', 'a'],
    ['葛\u{e0100}\u{e0101}', 3, 'E0101', '葛\u{e0100}'],
    ['a\u{e0067}', 2, 'E0067', 'a'],
    ['\ufeffa', 1, 'FEFF', 'a'],
    ['\u3164', 1, '3164', ''],
    ['a\u115f', 2, '115F', 'a'],
    ['a\ufff9b', 2, 'FFF9', 'ab'],
    ['a\u{1ffff}', 2, '1FFFF', 'a'],
  ];
  for (const [text, place, code, clean] of cases) {
    assert.ok(findFlaw(text)?.startsWith(`character ${place} is U+${code},`), `${code}: ${findFlaw(text)}`);
    assert.equal(cleanName(text), clean, code);
  }
  for (const name of ['\u2800', ' \u2800\u00a0']) {
    assert.equal(findFlaw(name), 'must have something visible');
    assert.equal(cleanName(name), '');
  }
});

test('texts of several lines may have line breaks, tabs and places to hyphenate', () => {
  const lines = 'a\n\tb\r\nfo\u00adx\u2028c\u2029d';
  assert.equal(findFlaw(lines, true), undefined);
  assert.equal(withoutHidden(lines, true), lines);
  assert.match(findFlaw('a\n\x1b', true) ?? '', /^character 3 is U\+001B/);
});

test('what is left after cleaning has no flaw, and is what people saw', () => {
  const units = [
    ...new Set(useful.join('')),
    ...'\0\n\t\x7f\u0085\u2028\u202e\u2066\u00ad\ufeff\u3164\u2800\u0301\u061c',
    '\u{1f3f4}',
  ];
  const any = fc.string({ unit: fc.constantFrom(...units), maxLength: 12 });
  const unseen = /[\s\p{Cc}\p{DI}\p{Z}]/gu;
  fc.assert(
    fc.property(any, fc.boolean(), (text, hasLines) => {
      const clean = withoutHidden(text, hasLines);
      assert.equal(withoutHidden(clean, hasLines), clean);
      assert.equal(clean.replace(unseen, ''), text.replace(unseen, ''));
      const flaw = findFlaw(clean, hasLines);
      assert.ok(flaw === undefined || flaw === 'must have something visible', String(flaw));
      const name = cleanName(text);
      assert.equal(findFlaw(name), undefined);
      assert.equal(cleanName(name), name);
      if (text === name) assert.equal(findFlaw(text), undefined);
    }),
  );
});
