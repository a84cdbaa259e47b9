/** Random searches over a small vocabulary, and the documented rule for what they find: slow and obvious. */
import type { Kind, Orientation, Rating } from '../../../src/catalogue/schemas.ts';
import { hasPhrase, mayGoOn, splitWords } from '../../../src/catalogue/search/words.ts';
import type { RandomInt } from '../../../src/lib/random.ts';

/** An image as a search sees it. */
export interface Searched {
  id: string;
  /** Of its entries: names and aliases. */
  names: Partial<Record<Kind, readonly string[]>>;
  title: string;
  /** The description and the alternative text. */
  others: readonly string[];
  rating: Rating;
  orientation: Orientation;
  isAnimated: boolean;
}

export interface SearchWord {
  /** Before the colon. */
  prefix: string;
  text: string;
  isQuoted: boolean;
  isExcluded: boolean;
}

const VOCABULARY = [
  'red',
  'Fox',
  'foxes',
  'FOXGLOVE',
  'Élan',
  'elan vital',
  'moon',
  '赤い狐',
  '赤',
  'x',
  "fox's",
  'Straße',
];
const TYPED = [
  'fo',
  'fox',
  'RED',
  'm',
  'x',
  'élan',
  'vit',
  '赤',
  'い狐',
  '赤い',
  'strass',
  'fox-s',
  'zebra',
  'moon',
  's',
];
const PHRASES = ['red fox', 'fox red', 'elan vital', 'moon x', 'fox s', '赤 い', 'moon'];
const KINDS: Kind[] = ['artist', 'category', 'character', 'album'];
const properties: Record<string, readonly string[]> = {
  rating: ['sfw', 'nsfw', 'sfw,questionable', 'none'],
  orientation: ['landscape', 'square'],
  is: ['animated', 'portrait', 'still'],
};

const pick = <T>(list: readonly T[], randomInt: RandomInt): T => list[randomInt(list.length)] as T;

export function randomText(randomInt: RandomInt, maxWords: number): string {
  return Array.from({ length: randomInt(maxWords + 1) }, () => pick(VOCABULARY, randomInt)).join(' ');
}

export function randomSearch(randomInt: RandomInt): SearchWord[] {
  return Array.from({ length: 1 + randomInt(3) }, () => {
    const isExcluded = randomInt(4) === 0;
    if (randomInt(6) === 0) {
      const prefix = pick(Object.keys(properties), randomInt);
      return { prefix, text: pick(properties[prefix] ?? [], randomInt), isQuoted: false, isExcluded };
    }
    const prefix = randomInt(3) === 0 ? pick([...KINDS, 'title'], randomInt) : '';
    const isQuoted = randomInt(4) === 0;
    return { prefix, text: pick(isQuoted ? PHRASES : TYPED, randomInt), isQuoted, isExcluded };
  });
}

export const typed = (words: readonly SearchWord[]): string => words.map(typedWord).join(' ');

export function typedWord({ prefix, text, isQuoted, isExcluded }: SearchWord): string {
  return (isExcluded ? '-' : '') + (prefix && `${prefix}:`) + (isQuoted ? `"${text}"` : text);
}

/** How well an image matches a word: 0 by a name, 1 by its title, 2 by another text. Undefined if it does not. */
function levelOf(
  { names, title, others }: Searched,
  { prefix, text, isQuoted }: SearchWord,
): number | undefined {
  const words = splitWords(text);
  const isBegun = !isQuoted && mayGoOn(words.at(-1) ?? '');
  const has = (texts: readonly string[]) =>
    texts.some((one) => hasPhrase([splitWords(one)], { words, isBegun }));
  const isIn = (...wanted: string[]) => prefix === '' || wanted.includes(prefix);
  if (KINDS.some((kind) => isIn(kind) && has(names[kind] ?? []))) return 0;
  if (isIn('title') && has([title])) return 1;
  return isIn() && has(others) ? 2 : undefined;
}

function hasProperty({ rating, orientation, isAnimated }: Searched, { text }: SearchWord): boolean {
  return text
    .split(',')
    .some((value) => [rating, orientation, isAnimated ? 'animated' : 'still'].includes(value as Rating));
}

const propertyOf = ({ prefix, text }: SearchWord) =>
  prefix === 'is' ? (text === 'portrait' ? 'orientation' : 'animated') : prefix;

/** The ids of the images that a search finds, the best ones first. `images` are oldest first. */
export function findSearched(images: readonly Searched[], search: readonly SearchWord[]): string[] {
  const named = search.filter(({ prefix }) => prefix in properties);
  const words = search.filter((word) => !named.includes(word));
  if (named.some(({ text }) => text === 'none')) return [];
  const ranked: { id: string; rank: number }[] = [];
  for (const image of images.toReversed()) {
    const fits = named.every((word) => {
      const same = named.filter((other) => !other.isExcluded && propertyOf(other) === propertyOf(word));
      return word.isExcluded ? !hasProperty(image, word) : same.some((one) => hasProperty(image, one));
    });
    const levels = words.filter(({ isExcluded }) => !isExcluded).map((word) => levelOf(image, word));
    const isExcluded = words.some((word) => word.isExcluded && levelOf(image, word) !== undefined);
    if (fits && !isExcluded && !levels.includes(undefined))
      ranked.push({ id: image.id, rank: Math.max(0, ...(levels as number[])) });
  }
  return ranked.sort((one, other) => one.rank - other.rank).map(({ id }) => id);
}

/** Whether a word is about any image. */
export const isKnown = (images: readonly Searched[], word: SearchWord): boolean =>
  word.prefix in properties
    ? word.text !== 'none'
    : images.some((image) => levelOf(image, word) !== undefined);
