/** The language of searches: how a text is read, what it says of properties, and how names are found by their words. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Kind } from '../../../src/catalogue/schemas.ts';
import { NameWords, toLine } from '../../../src/catalogue/search/name-words.ts';
import { parseQuery, replaceTerm, toValueFilter, wordsFor } from '../../../src/catalogue/search/query.ts';
import { toPhrase } from '../../../src/catalogue/search/words.ts';

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
