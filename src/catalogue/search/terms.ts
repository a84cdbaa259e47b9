/**
 * The terms of the index of texts (`text_block`), which has the images of each: a digit for the field, and a word of it, two
 * ideographs that are adjacent in it, or the first two letters of a word. Pure.
 */
import { hasPhrase, isIdeograph, splitWords, type Text, type TextField } from './words.ts';

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
