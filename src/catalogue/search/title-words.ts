/** The words of titles, by which images are found. Pure. */
import { foldName } from '../names.ts';
import type { Term } from './query.ts';

/** Bounds what one title adds to the index. */
export const MAX_TITLE_WORDS = 64;

/** Chinese and Japanese have no spaces between words, so each of their characters is one. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}])+/gu;

/** Each once, folded. */
export function titleWords(title: string): string[] {
  return [...new Set(splitWords(foldName(title)))].slice(0, MAX_TITLE_WORDS);
}

const splitWords = (folded: string): string[] => folded.match(WORD) ?? [];

export interface TitleQuery {
  /** What titles must have, each of them. */
  words: string[];
  /** What one of their words must begin with. */
  prefix: string | undefined;
}

/** Titles match the terms without field. The last word may be unfinished, unless it is quoted. */
export function titleQuery(terms: readonly Term[]): TitleQuery {
  const own = terms.filter(({ field, isNegated }) => field === undefined && !isNegated);
  const words = own.flatMap(({ text }) => splitWords(text));
  const last = own.at(-1);
  const prefix = last && !last.isQuoted ? splitWords(last.text).at(-1) : undefined;
  if (prefix !== undefined) words.pop();
  return { words: [...new Set(words)], prefix };
}
