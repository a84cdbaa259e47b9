/** The words of texts: which are equal, where they end, and which phrases a text has. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  foldText,
  hasPhrase,
  isIdeograph,
  mayGoOn,
  splitWords,
  toPhrase,
} from '../../../src/catalogue/search/words.ts';
import { atDepth } from '../../support/depth.ts';

const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }))
  .map((codes) => codes.map((code) => String.fromCodePoint(code)).join(''));

describe('texts that people take for the same are equal', () => {
  const groups = [
    ['muller', 'Müller', 'MÜLLER', 'mu\u0308ller'],
    ['istanbul', 'İSTANBUL', 'ISTANBUL', 'ıstanbul'],
    ['strasse', 'straße', 'STRAẞE', 'STRASSE'],
    ['οδυσσευσ', 'Ὀδυσσεύς', 'ΟΔΥΣΣΕΥΣ'],
    ['zeichnung', 'Zeich\u00adnung'],
    ['ガ', 'ｶﾞ', 'カ\u3099'],
    ['fire', 'ﬁre', 'ｆｉｒｅ'],
    ['한국', '한국'.normalize('NFD')],
  ];
  for (const [folded, ...others] of groups)
    test(others.join(' '), () => {
      for (const text of [folded as string, ...others]) assert.equal(foldText(text), folded);
    });
  test('but the voiced sounds of kana are others', () => assert.notEqual(foldText('か'), foldText('が')));
});

test('the case and the form of every character are ignored, and folding again changes nothing', () => {
  // The upper case of an iota below a letter is a letter of its own.
  const hasIota = (text: string) => text.normalize('NFD').includes('\u0345');
  const check = (text: string) => {
    const folded = foldText(text);
    assert.equal(foldText(folded), folded);
    if (hasIota(text)) return;
    for (const other of [
      text.toUpperCase(),
      text.toLowerCase(),
      text.normalize('NFD'),
      text.normalize('NFC'),
    ])
      assert.equal(foldText(other), folded);
  };
  for (let code = 0; code < atDepth(0x600, 0x110000); code++)
    if (code < 0xd800 || code > 0xdfff) check(String.fromCodePoint(code));
  fc.assert(fc.property(anyText, check), { numRuns: atDepth(200, 20_000) });
});

test('words are runs of letters, digits and marks; each character of a script without spaces is one', () => {
  assert.deepEqual(splitWords("The Fox's RED moon, the 2nd"), [
    'the',
    'fox',
    's',
    'red',
    'moon',
    'the',
    '2nd',
  ]);
  assert.deepEqual(splitWords('赤いfox スキー'), ['赤', 'い', 'fox', 'ス', 'キ', 'ー']);
  assert.deepEqual(splitWords('हिन्दी 한국어'), ['हिन्दी', '한국어']);
  assert.deepEqual(splitWords('…! 🦊'), []);
  assert.deepEqual(splitWords('a'.repeat(100)), ['a'.repeat(64), 'a'.repeat(36)]);
  assert.deepEqual(splitWords('\u{10400}'.repeat(65)), ['\u{10428}'.repeat(64), '\u{10428}']);
  const isBounded = (text: string) =>
    splitWords(text).every((word) => word.isWellFormed() && word.length <= 128 && foldText(word) === word);
  fc.assert(fc.property(anyText, isBounded), { numRuns: atDepth(200, 20_000) });
});

test('the last word of a phrase may go on, unless it is a single letter or an ideograph', () => {
  assert.deepEqual(['f', 'fo', '7', '赤', 'ー', '한', 'я'].filter(mayGoOn), ['fo', '한']);
  assert.deepEqual(toPhrase('Red Mo', true), { words: ['red', 'mo'], isBegun: true });
  assert.deepEqual(toPhrase('Red Mo', false), { words: ['red', 'mo'], isBegun: false });
  assert.deepEqual(toPhrase("fox's", true), { words: ['fox', 's'], isBegun: false });
  assert.equal(toPhrase('…', true), undefined);
});

test('a phrase is in a text that has its words in a row', () => {
  const has = (phrase: string, isBegun: boolean, ...texts: string[]) =>
    hasPhrase(texts.map(splitWords), toPhrase(phrase, isBegun) as NonNullable<ReturnType<typeof toPhrase>>);
  assert.ok(has('red moon', false, 'the Red Moon rises'));
  assert.ok(!has('red moo', false, 'the red moon'));
  assert.ok(has('red moo', true, 'the red moon'));
  assert.ok(has('moo', true, 'the red moon'));
  assert.ok(!has('oon', true, 'the red moon'));
  assert.ok(!has('moon red', false, 'the red moon'));
  assert.ok(!has('red moon', false, 'red', 'moon'));
  assert.ok(!has('f', true, 'fox') && has('f', true, 'grade f'));
  assert.ok(has('赤い', true, '月は赤い') && !has('い赤', true, '月は赤い'));
  // Each two of them are adjacent in one of the texts, which is all that the index knows.
  assert.ok(has('赤い月', false, '赤い空', '白い月') && !has('赤い月', false, '赤い空'));
});

test('a phrase is found like its words with a mark around each, whatever the text', () => {
  const text = fc.array(fc.constantFrom('a', 'ab', 'abc', 'b'), { maxLength: 8 });
  const found = (words: string[], phrase: string[], isBegun: boolean) =>
    ` ${words.join(' ')} `.includes(` ${phrase.join(' ')}${isBegun ? '' : ' '}`);
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 1 }), fc.boolean(), (words, texts, isBegun) => {
      fc.pre(words.length > 0);
      const expected = texts.some((own) => found(own, words, isBegun));
      assert.equal(hasPhrase(texts, { words, isBegun }), expected);
    }),
  );
  assert.ok(!isIdeograph('a'));
});
