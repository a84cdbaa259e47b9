/** The language of searches, and the words of texts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Kind } from '../../../src/catalogue/schemas.ts';
import { NameWords, toLine } from '../../../src/catalogue/search/name-words.ts';
import { parseQuery, replaceTerm, toValueFilter, wordsFor } from '../../../src/catalogue/search/query.ts';
import {
  foldText,
  hasPhrase,
  isIdeograph,
  mayGoOn,
  splitWords,
  toPhrase,
} from '../../../src/catalogue/search/words.ts';
import { atDepth } from '../../support/depth.ts';

/** `-artist:"a b"` for an excluded phrase; words that may go on end with `…`. */
function show(text: string): string[] {
  return parseQuery(text).map((term) => {
    const minus = term.isNegated ? '-' : '';
    if (term.type === 'empty') return `${minus}∅`;
    if (term.type === 'value') return `${minus}${term.field}=${term.values.join('|')}`;
    const { words, isBegun } = term.phrase;
    return `${minus}${term.field ? `${term.field}:` : ''}${words.join(' ')}${isBegun ? '…' : ''}`;
  });
}

describe('a text is words, phrases, properties and what must not be', () => {
  const cases: [string, string[]][] = [
    ['', []],
    ['  \t ', []],
    ['Fox  GIRL', ['fox…', 'girl…']],
    ['"Night  Sky" fox', ['night sky', 'fox…']],
    ['fox -night -"red moon"', ['fox…', '-night…', '-red moon']],
    ['artist:"Hoshino Ink" rating:SFW', ['artist:hoshino ink', 'nsfw=sfw']],
    ['-Artist:abe -orientation:square', ['-artist:abe…', '-orientation=square']],
    ['album:holi title:sun character:Ann', ['album:holi…', 'title:sun…', 'character:ann…']],
    ['is:animated -is:portrait is:still', ['animated=animated', '-orientation=portrait', 'animated=still']],
    ['type:jpg,webp rating:sfw,nsfw', ['type=jpeg|webp', 'nsfw=sfw|nsfw']],
    ['rating:safe is:big is:animated,square', ['nsfw=', 'animated=', 'animated=']],
    ['re:zero http://xy a-b', ['re zero…', 'http xy…', 'a b']],
    ['foo:"a b"', ['foo a', 'b']],
    ['"never closed', ['never closed']],
    ['"the \\"red\\" fox" "a\\\\b"', ['the red fox', 'a b']],
    ['赤い f 2', ['赤 い', 'f', '2']],
    ['müller İzmir', ['muller…', 'izmir…']],
    // Somebody is still typing, or there is no word.
    ['fox -', ['fox…', '-∅']],
    ['artist: -artist: "" -"" ★ …', ['∅', '-∅', '∅', '-∅', '∅', '∅']],
    ['category:★', ['category:★']],
    ['"artist:"', ['artist']],
  ];
  for (const [text, expected] of cases)
    test(JSON.stringify(text), () => assert.deepEqual(show(text), expected));

  test('any text is valid, none of it is lost, and reading it takes no longer than its length', () => {
    const character = fc.constantFrom(
      ...'-":aé \t%_\\\u0000\ud800\udc00',
      '\u{1f98a}',
      'artist:',
      'is:',
      'か',
    );
    const text = fc.array(character, { maxLength: 100 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(text, (text) => {
        let rest = text.toWellFormed();
        for (const term of parseQuery(text).toReversed()) {
          assert.equal(rest.slice(term.at, term.at + term.source.length), term.source);
          rest = rest.slice(0, term.at) + rest.slice(term.at + term.source.length);
          if (term.type === 'word') assert.ok(term.phrase.words.length > 0);
        }
        assert.equal(rest.trim(), '');
      }),
      { seed: 3, numRuns: 300 },
    );
  });
});

test('a prefix narrows the names of its kind, and leaves the others to the words without one', () => {
  const words = (kind: Kind, text: string) => wordsFor(kind, parseQuery(text)).map(({ words }) => words);
  const text = 'fox artist:hosh -night rating:sfw title:sea';
  assert.deepEqual(words('artist', text), [['hosh']]);
  assert.deepEqual(words('category', text), [['fox']]);
  assert.deepEqual(words('category', 'artist:hosh'), []);
});

test('properties are those that are named, without those that must not be', () => {
  const values = (text: string) => toValueFilter(parseQuery(text));
  assert.deepEqual(values('fox'), {});
  assert.deepEqual(values('rating:sfw rating:nsfw'), { nsfw: ['sfw', 'nsfw'] });
  assert.deepEqual(values('-rating:nsfw is:square'), {
    nsfw: ['sfw', 'questionable'],
    orientation: ['square'],
  });
  assert.deepEqual(values('-is:animated type:jpg'), { animated: false, type: ['jpeg'] });
  assert.deepEqual(values('is:animated is:still'), {});
  // What cannot be met, and what nobody knows, must not let everything through.
  for (const text of ['rating:safe', '-rating:safe', 'rating:sfw -rating:sfw', 'is:animated -is:animated'])
    assert.equal(values(text), undefined, text);
});

test('another spelling takes the place of a word with its prefix', () => {
  const replace = (text: string, index: number, word: string) =>
    replaceTerm(text, parseQuery(text)[index] as ReturnType<typeof parseQuery>[number], word);
  assert.equal(replace('red foxgrl -x', 1, 'foxgirl'), 'red foxgirl -x');
  assert.equal(replace('-artist:hoshno fox', 0, 'hoshino'), '-artist:hoshino fox');
  assert.equal(replace('artist:"hoshno ink"', 0, 'hoshino ink'), 'artist:"hoshino ink"');
  assert.equal(replace('hoshno-ink', 0, 'hoshino ink'), '"hoshino ink"');
});

describe('names by their words', () => {
  const names = [
    'A fox',
    'Fox',
    'Fox Den',
    'Foxtrot',
    'Müller Outfox',
    'the outfoxed',
    'vixen',
    '赤い狐',
    '★',
  ];
  const sizes = [9, 1, 2, 3, 4, 5, 0, 1, 1].map((size) => ({ size }));
  const lines = [...names, 'fox'];
  const words = new NameWords(1, lines.map(toLine), [...names.keys(), 6]);
  const phrase = (text: string, isBegun = true) =>
    toPhrase(text, isBegun) ?? { words: [text], isBegun: false };
  const find = (text: string, isBegun?: boolean, limit = 99) =>
    words.find(phrase(text, isBegun), limit).map((position) => names[position]);
  const best = async (texts: string[], limit = 10) =>
    (
      await words.best(
        texts.map((text) => phrase(text)),
        sizes,
        limit,
        () => undefined,
      )
    ).map((at) => names[at]);

  test('a phrase is found where its words begin, each entry once', () => {
    assert.deepEqual(find('fox'), ['A fox', 'Fox', 'Fox Den', 'Foxtrot', 'vixen']);
    assert.deepEqual(find('fox', false), ['A fox', 'Fox', 'Fox Den', 'vixen']);
    assert.deepEqual(find('fox', true, 2), ['A fox', 'Fox']);
    assert.deepEqual(find('muller'), ['Müller Outfox']);
    assert.deepEqual([find('fox d'), find('fox den', false), find('den fox')], [[], ['Fox Den'], []]);
    assert.deepEqual([find('赤い'), find('い狐'), find('赤狐')], [['赤い狐'], ['赤い狐'], []]);
    assert.deepEqual([find('a'), find('★'), find('vixen 赤')], [['A fox'], ['★'], []]);
  });

  test('the best names: equal, starting, with words that start, containing; then those with more images', async () => {
    const all = ['Fox', 'vixen', 'Foxtrot', 'Fox Den', 'A fox', 'the outfoxed', 'Müller Outfox'];
    assert.deepEqual(await best(['fox']), all);
    assert.deepEqual(await best(['fox'], 2), ['Fox', 'vixen']);
    assert.deepEqual(await best(['den', 'fox', 'fox']), ['Fox Den']);
    assert.deepEqual(await best(['den', 'hare']), []);
  });

  test('near spellings are words, or whole names for several words', async () => {
    const near = async (text: string, max: number) =>
      (await words.near(text, max, () => undefined)).map(({ text, distance }) => `${text} ${distance}`);
    assert.deepEqual(await near('foxtort', 1), ['foxtrot 1']);
    assert.deepEqual(await near('fox dem', 2), ['fox den 1']);
    assert.deepEqual(await near('hound', 1), []);
  });

  test('a repeated word costs as much as one', async () => {
    const workOf = async (texts: string[]) => {
      let work = 0;
      await words.best(
        texts.map((text) => phrase(text)),
        sizes,
        10,
        (more) => {
          work += more;
          return undefined;
        },
      );
      return work;
    };
    assert.equal(await workOf(['fox', 'fox']), await workOf(['fox']));
  });
});

// The words of texts: which are equal, where they end, and which phrases a text has.

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
