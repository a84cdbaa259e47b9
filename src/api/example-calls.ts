/** The calls in the reference. They are made of records of the catalogue, so that they work on it. */
import type { Kind } from '../catalogue/types.ts';
import * as samples from './examples.ts';

export interface Named {
  id: string;
  name: string;
}

/** The records that the calls are about. */
export interface ExampleRecords extends Record<Kind, Named> {
  image: { id: string };
  /** The names of categories that one image has all of. */
  categories: readonly string[];
}

export interface ExampleCall {
  /** Stands for `{id}` in the path. */
  id?: string;
  query?: Record<string, string>;
}

export const demoRecords: ExampleRecords = {
  image: samples.image,
  artist: samples.artist,
  character: samples.character,
  category: samples.category,
  categories: ['foxgirl', 'kimono'],
};

/** No filter if there are no names. */
export function inCategories(names: readonly string[]): Record<string, string> {
  return names.length > 0 ? { categories: names.join() } : {};
}

/** Matches names that contain the last word of this one: `%ink%`. Letters and digits stand for themselves. */
export function containingPattern(name: string): string {
  const words = name.match(/[\p{L}\p{N}]{2,20}/gu) ?? [];
  return words.length > 0 ? `%${lower(words.at(-1) as string)}%` : '%';
}

/** Matches names that start with the first letters of this one: `ko%`. */
export function startingPattern(name: string): string {
  return `${lower(/^[\p{L}\p{N}]{1,2}/u.exec(name)?.[0] ?? '')}%`;
}

/** Matches names of the same length and first letter: `d__`. */
export function outlinePattern(name: string): string {
  return /^[a-z0-9][a-z0-9 -]{1,19}$/i.test(name)
    ? lower(name.slice(0, 1)) + '_'.repeat(name.length - 1)
    : startingPattern(name);
}

/** To show that case does not matter. In other alphabets, lower case may have more letters. */
function lower(text: string): string {
  return /^[A-Z0-9]*$/i.test(text) ? text.toLowerCase() : text;
}
