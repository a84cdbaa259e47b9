/** The language of one search: how a text is read, and which entries, ratings and orientations it means. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { MentionedKind as Kind } from '../../../src/catalogue/schemas.ts';
import { bestNames, findEqual } from '../../../src/catalogue/search/best-names.ts';
import {
  findMeant,
  orientationsOf,
  parseQuery,
  ratingsOf,
  wordsFor,
} from '../../../src/catalogue/search/query.ts';

/** `-artist:"a b"` for a negated quoted term. */
function show(text: string): string[] {
  return parseQuery(text).map(({ text, field, isNegated, isQuoted }) => {
    const quote = isQuoted ? '"' : '';
    return `${isNegated ? '-' : ''}${field ? `${field}:` : ''}${quote}${text}${quote}`;
  });
}

describe('a text is words, phrases, fields and what must not be', () => {
  const cases: [string, string[]][] = [
    ['', []],
    ['  \t ', []],
    ['Fox  GIRL', ['fox', 'girl']],
    ['"Night  Sky" fox', ['"night sky"', 'fox']],
    ['fox -night -"red moon"', ['fox', '-night', '-"red moon"']],
    ['artist:"Hoshino Ink" rating:SFW', ['artist:"hoshino ink"', 'rating:sfw']],
    ['-Artist:abe -orientation:square', ['-artist:abe', '-orientation:square']],
    ['re:zero http://x a-b', ['re:zero', 'http://x', 'a-b']],
    ['foo:"a b"', ['foo:"a', 'b"']],
    ['"never closed', ['"never closed"']],
    // Somebody is still typing.
    ['fox -', ['fox']],
    ['fox artist:', ['fox']],
    ['artist: -artist: "" -"" category:""', []],
    ['cafe\u0301', ['caf\u00e9']],
    ['"artist:"', ['"artist:"']],
  ];
  for (const [text, expected] of cases)
    test(JSON.stringify(text), () => assert.deepEqual(show(text), expected));

  test('any text is valid, and reading it takes no longer than its length', () => {
    const character = fc.constantFrom(...'-":aé \t%_\\\u0000\ud800\udc00', '\u{1f98a}', 'artist:', 'か');
    const text = fc.array(character, { maxLength: 100 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(text, (text) => {
        for (const { text: word } of parseQuery(text)) assert.ok(word !== '' && word.trim() === word);
        findMeant(parseQuery(text), () => []);
      }),
      { seed: 3, numRuns: 300 },
    );
  });
});

test('a field narrows the names of its kind, and leaves the others to the words without one', () => {
  const terms = parseQuery('fox artist:hosh -night');
  const words = (kind: Kind) => wordsFor(kind, terms);
  assert.deepEqual(words('artist'), ['hosh']);
  assert.deepEqual(words('category'), ['fox']);
  assert.deepEqual(wordsFor('category', parseQuery('artist:hosh')), []);
});

test('the longest runs of words that are names are meant, categories before artists and characters', () => {
  const names: Record<Kind, string[]> = {
    category: ['night sky', 'fox', 'mari'],
    artist: ['mari', 'hoshino ink', 'fox hunter'],
    character: ['yuki', 'hoshino ink'],
  };
  const meant = (text: string) =>
    findMeant(parseQuery(text), (kind, name) => {
      const at = names[kind].indexOf(name);
      return at < 0 ? [] : [at];
    }).map(
      ({ kind, isNegated, positions }) =>
        `${isNegated ? '-' : ''}${names[kind][positions[0] as number]}@${kind}`,
    );
  assert.deepEqual(meant('fox night sky'), ['fox@category', 'night sky@category']);
  assert.deepEqual(meant('fox hunter'), ['fox hunter@artist']);
  assert.deepEqual(meant('red fox yuki Hoshino INK'), [
    'fox@category',
    'yuki@character',
    'hoshino ink@artist',
  ]);
  assert.deepEqual(meant('night -sky'), []);
  assert.deepEqual(meant('-fox -"night sky" -yuki'), [
    '-fox@category',
    '-night sky@category',
    '-yuki@character',
  ]);
  assert.deepEqual(meant('mari artist:mari character:mari'), ['mari@category', 'mari@artist']);
  assert.deepEqual(meant('"fox hunter" "night" sky'), ['fox hunter@artist']);
});

test('ratings and orientations are those that are named, or all others than those that must not be', () => {
  assert.deepEqual(ratingsOf(parseQuery('rating:sfw rating:nsfw')), ['sfw', 'nsfw']);
  assert.deepEqual(ratingsOf(parseQuery('-rating:nsfw')), ['sfw', 'questionable']);
  assert.deepEqual(ratingsOf(parseQuery('rating:safe fox')), []);
  assert.deepEqual(ratingsOf(parseQuery('rating:sfw -rating:sfw')), ['questionable', 'nsfw']);
  assert.deepEqual(ratingsOf(parseQuery('-rating:sfw -rating:questionable -rating:nsfw')), []);
  assert.deepEqual(orientationsOf(parseQuery('orientation:square rating:sfw')), ['square']);
});

test('the best names come first: equal, starting, with words that start, containing; then those with more images', async () => {
  const folded = ['a fox', 'fox', 'fox den', 'foxtrot', 'outfox', 'the outfoxed', 'vixen'];
  const names = { kind: 'artist' as const, version: 1, folded, aliases: new Map([['fox', [6]]]) };
  const sizes = { version: 1, sizes: [9, 1, 2, 3, 4, 5, 0] };
  const best = async (words: string[], limit = 10) =>
    (await bestNames(words, names, sizes, limit, () => undefined)).map((position) => folded[position]);
  assert.deepEqual(await best(['fox']), [
    'fox',
    'vixen',
    'foxtrot',
    'fox den',
    'a fox',
    'the outfoxed',
    'outfox',
  ]);
  assert.deepEqual(await best(['fox'], 2), ['fox', 'vixen']);
  assert.deepEqual(await best(['den', 'fox']), ['fox den']);
  assert.deepEqual(await best(['den', 'hare']), []);
});

test('looks up few runs of many words, and counts a repeated word once', async () => {
  let lookups = 0;
  findMeant(parseQuery('a '.repeat(50)), () => {
    lookups++;
    return [];
  });
  assert.ok(lookups <= 50 * 8 * 3, String(lookups));
  let work = 0;
  const names = {
    kind: 'artist' as const,
    version: 1,
    folded: ['duran', 'duran duran', 'duran duran 2'],
    aliases: new Map(),
  };
  const best = async (words: string[]) => {
    work = 0;
    return await bestNames(words, names, { version: 1, sizes: [1, 1, 1] }, 10, (more) => {
      work += more;
      return undefined;
    });
  };
  await best(['duran']);
  const workOfOne = work;
  assert.deepEqual(await best(['duran', 'duran']), [1, 2, 0]);
  assert.equal(work, workOfOne);
});

test('equal names are found in a sorted list', () => {
  const sorted = ['a', 'b', 'b', '\uffee', '\u{1f98a}', '\u{1f98a}'];
  assert.deepEqual(findEqual(sorted, 'b'), [1, 2]);
  assert.deepEqual(findEqual(sorted, '\u{1f98a}'), [4, 5]);
  assert.deepEqual(findEqual(sorted, '\uffee'), [3]);
  assert.deepEqual(findEqual(sorted, 'c'), []);
  assert.deepEqual(findEqual([], 'c'), []);
});
