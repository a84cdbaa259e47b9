/**
 * The words of texts, by which searches find images and entries: what is equal, where a word ends, and what the index of texts
 * has of them. Pure.
 */

/** A text may have several fields; matches in titles rank higher than those in descriptions and alternative texts. */
export type TextField = 'title' | 'other';

/** Words that follow each other in a text of a field, at least one. */
export interface Phrase {
  /** Of `splitWords`. */
  words: string[];
  /** Whether the last word may go on, if it can (`mayGoOn`). */
  isBegun: boolean;
}

/** What a search finds images by: a phrase in one of the texts of a field. */
export interface Text extends Phrase {
  field: TextField;
}

/** Longer runs of letters are several words: an index cannot have terms of any length. */
const MAX_WORD_LENGTH = 64;

/** Chinese and Japanese have no spaces between words, so each of their characters is one. */
const IDEOGRAPH = '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}ー';
const WORD = new RegExp(
  `[${IDEOGRAPH}]\\p{M}{0,2}|[[\\p{L}\\p{M}\\p{N}]--[${IDEOGRAPH}]]{1,${MAX_WORD_LENGTH}}`,
  'gv',
);
const ASCII_WORD = new RegExp(`[a-z0-9]{1,${MAX_WORD_LENGTH}}`, 'g');
const IS_IDEOGRAPH = new RegExp(`^[${IDEOGRAPH}]`, 'v');
/** For speed: no ideograph comes before it. */
const FIRST_IDEOGRAPH = 0x2e80;
const IS_ASCII = /^[\0-\x7f]*$/;
/** Accents, and what nobody sees, such as a place to hyphenate. The marks of kana and of other scripts are parts of letters. */
const IGNORED = /[\u0300-\u036f\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Texts that differ in case, accents or the form of characters only are equal. Lower case comes first because `ẞ` has no upper
 * case, and again because `ß` and `ss` have the same one.
 */
export function foldText(text: string): string {
  if (IS_ASCII.test(text)) return text.toLowerCase();
  const letters = text.toWellFormed().normalize('NFKD').replaceAll(IGNORED, '');
  return letters.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** In the order of the text, folded. */
export function splitWords(text: string): string[] {
  const folded = foldText(text);
  return folded.match(IS_ASCII.test(folded) ? ASCII_WORD : WORD) ?? [];
}

export const isIdeograph = (word: string): boolean =>
  word.charCodeAt(0) >= FIRST_IDEOGRAPH && IS_IDEOGRAPH.test(word);

/** Whether words that begin with this one match it, too. A single letter would match too much; Hangul writes several as one. */
export const mayGoOn = (word: string): boolean => !isIdeograph(word) && [...word.normalize('NFD')].length > 1;

/** The same for equal texts only. */
export const textKey = ({ field, words, isBegun }: Text): string =>
  `${field}:${words.join(' ')}${isBegun ? '*' : ''}`;

/** Undefined for a text without words. */
export function toPhrase(text: string, isBegun: boolean): Phrase | undefined {
  const words = splitWords(text);
  const last = words.at(-1);
  return last === undefined ? undefined : { words, isBegun: isBegun && mayGoOn(last) };
}

/**
 * Whether a phrase is in one of the texts of a field, which are given as their words. Of a phrase of ideographs, it is enough
 * that each two that are adjacent in it are adjacent in the texts, because the index has such pairs.
 */
export function hasPhrase(texts: string[][], { words, isBegun }: Phrase): boolean {
  const isAt = (text: string[], at: number, part: string[]) =>
    part.every((word, index) => text[at + index] === word);
  const has = (part: string[]) => texts.some((text) => text.some((_, at) => isAt(text, at, part)));
  if (words.length > 1 && words.every(isIdeograph)) return pairsOf(words).every(has);
  if (!isBegun) return has(words);
  const [first, last] = [words.slice(0, -1), words.at(-1) as string];
  return texts.some((text) =>
    text.some((word, at) => word.startsWith(last) && isAt(text, at - first.length, first)),
  );
}

const pairsOf = (words: string[]): [string, string][] =>
  words.slice(1).map((word, index) => [words[index] as string, word]);

// The terms of the index of texts (`text_block`), which has the images of each: a digit for the field, and a word of it, two
// ideographs that are adjacent in it, or the first two letters of a word. Pure.

/** The texts of an image. */
export type Texts = Record<TextField, string[]>;

const WORDS: Record<TextField, string> = { title: '0', other: '1' };
const BEGINNINGS: Record<TextField, string> = { title: '2', other: '3' };
/** No word contains it. */
const LAST_CHARACTER = '\u{10ffff}';

/** Each once. */
export function termsOf(texts: Texts): Set<string> {
  const terms = new Set<string>();
  for (const field of ['title', 'other'] as const)
    for (const text of texts[field]) {
      let before = '';
      for (const word of splitWords(text)) {
        const isOneCharacter = isIdeograph(word);
        terms.add(WORDS[field] + word);
        if (isOneCharacter && before !== '') terms.add(WORDS[field] + before + word);
        const beginning = isOneCharacter ? undefined : firstLetters(word);
        if (beginning !== undefined) terms.add(BEGINNINGS[field] + beginning);
        before = isOneCharacter ? word : '';
      }
    }
  return terms;
}

/** Two code points; undefined if there is only one. */
function firstLetters(word: string): string | undefined {
  const second = lengthAt(word, 0);
  return word.length > second ? word.slice(0, second + lengthAt(word, second)) : undefined;
}

const lengthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** Terms from one to another, both included. */
export interface TermRange {
  from: string;
  to: string;
}

/** Undefined for a phrase that no term stands for: `partsOf` has what is in it. */
export function rangeOf({ field, words, isBegun }: Text): TermRange | undefined {
  if (words.length > 2 || (words.length === 2 && !words.every(isIdeograph))) return undefined;
  const text = words.join('');
  const hasTerm = !isBegun || firstLetters(text) === text;
  if (!hasTerm) return wordsFrom(field, text);
  const term = (isBegun ? BEGINNINGS : WORDS)[field] + text;
  return { from: term, to: term };
}

/** All words that begin with a text. */
export const wordsFrom = (field: TextField, text: string): TermRange => ({
  from: WORDS[field] + text,
  to: WORDS[field] + text + LAST_CHARACTER,
});

/** That of a term of `wordsFrom`. */
export const wordOf = (term: string): string => term.slice(1);

/** Texts that every image with a phrase has: pairs of ideographs, or words. */
export function partsOf({ field, words, isBegun }: Text): Text[] {
  if (words.every(isIdeograph))
    return words
      .slice(1)
      .map((word, index) => ({ field, words: [words[index] as string, word], isBegun: false }));
  return words.map((word, index) => ({
    field,
    words: [word],
    isBegun: isBegun && index === words.length - 1,
  }));
}

/** Whether images that have all parts of a phrase may not have it: its words may be apart in them. */
export const isVague = ({ words }: Text): boolean => words.length > 1 && !words.every(isIdeograph);

export const hasText = (texts: Texts, text: Text): boolean =>
  hasPhrase(texts[text.field].map(splitWords), text);
