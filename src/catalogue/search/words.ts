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
