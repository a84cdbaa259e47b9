/**
 * The language of searches: words and "quoted phrases", each perhaps with `-` for what must not be, and with a prefix such as `artist:`
 * for where to look. People type it, so every text is valid. Pure.
 */
import { type FileType, fileTypes, type Kind, type Orientation, RATINGS, type Rating } from '../schemas.ts';
import { foldText, type Phrase, toPhrase } from './words.ts';

/** What a word may be about if its prefix says so. */
export type WordField = Kind | 'title';
/** What an image has one of, by the name of its parameter. */
export type ValueField = keyof typeof values;

/** A word or a phrase. Every term is one entry of the response, in the order of the text. */
export interface WordTerm extends Place {
  type: 'word';
  /** Undefined for what may be anything. */
  field: WordField | undefined;
  phrase: Phrase;
  isQuoted: boolean;
}

/** A property of images; several of the same are alternatives. */
export interface ValueTerm extends Place {
  type: 'value';
  field: ValueField;
  /** Empty if one of them is unknown: then no image matches. */
  values: string[];
}

/** Something without letters or digits, or that somebody has only begun to type. It has no meaning. */
export interface EmptyTerm extends Place {
  type: 'empty';
}

export type Term = WordTerm | ValueTerm | EmptyTerm;

interface Place {
  /** As it was typed. */
  source: string;
  /** Where the source starts in the text. */
  at: number;
  isNegated: boolean;
}

/** In code points. */
export const MAX_QUERY_LENGTH = 100;

const values = {
  nsfw: [...RATINGS],
  orientation: ['landscape', 'portrait', 'square'] satisfies Orientation[],
  type: [...fileTypes],
  animated: ['animated', 'still'],
};

/** The prefixes of words that are properties of images. */
const valuePrefixes: Record<string, ValueField[]> = {
  rating: ['nsfw'],
  orientation: ['orientation'],
  type: ['type'],
  is: ['animated', 'orientation'],
};
const wordPrefixes: readonly string[] = [
  'artist',
  'character',
  'category',
  'album',
  'title',
] satisfies WordField[];
const prefixes = [...wordPrefixes, ...Object.keys(valuePrefixes)].join('|');

/** A minus, a prefix, and a phrase, whose closing quote may be missing, or a word. */
const TERM = new RegExp(`(-?)(?:(${prefixes}):)?(?:"((?:\\\\["\\\\]|[^"])*)"?|(\\S+))?`, 'giu');

export function parseQuery(text: string): Term[] {
  const found = text.toWellFormed().matchAll(TERM);
  return [...found.filter(([source]) => source !== '').map(readTerm)];
}

function readTerm({
  0: source,
  1: minus,
  2: prefix = '',
  3: quoted,
  4: word = '',
  index: at,
}: RegExpExecArray): Term {
  const place: Place = { source, at, isNegated: minus === '-' };
  const text = quoted?.replaceAll(/\\(["\\])/g, '$1') ?? word;
  const name = prefix.toLowerCase();
  const fields = valuePrefixes[name];
  if (text.trim() === '') return { ...place, type: 'empty' };
  if (fields) return readValues(place, fields, text);
  const isQuoted = quoted !== undefined;
  const field = name === '' ? undefined : (name as WordField);
  const phrase = toPhrase(text, !isQuoted);
  // A name such as ★ is found as a whole.
  return phrase || field
    ? {
        ...place,
        type: 'word',
        field,
        phrase: phrase ?? { words: [foldText(text)], isBegun: false },
        isQuoted,
      }
    : { ...place, type: 'empty' };
}

/** All of them are of the first field that has the first one. */
function readValues(place: Place, fields: readonly ValueField[], text: string): ValueTerm {
  const given = text.split(',').map((value) => foldText(value).trim().replace(/^jpg$/, 'jpeg'));
  const isKnown = (field: ValueField) => given.every((value) => (values[field] as string[]).includes(value));
  const field = fields.find(isKnown);
  return { ...place, type: 'value', field: field ?? (fields[0] as ValueField), values: field ? given : [] };
}

/** What a text says of the properties of images, as parameters. */
export interface ValueFilter {
  nsfw?: Rating[];
  orientation?: Orientation[];
  type?: FileType[];
  animated?: boolean;
}

/** Undefined if no image can be all of it. */
export function toValueFilter(terms: readonly Term[]): ValueFilter | undefined {
  const filter: Record<string, string[] | boolean> = {};
  for (const [field, all] of Object.entries(values)) {
    const own = terms.filter((term) => term.type === 'value' && term.field === field) as ValueTerm[];
    const [negated = [], named = []] = [true, false].map((isNegated) =>
      own.filter((term) => term.isNegated === isNegated).flatMap(({ values }) => values),
    );
    const left = all.filter(
      (value) => (named.length === 0 || named.includes(value)) && !negated.includes(value),
    );
    if (left.length === 0 || own.some(({ values }) => values.length === 0)) return undefined;
    if (left.length < all.length) filter[field] = field === 'animated' ? left[0] === 'animated' : left;
  }
  return filter;
}

/** The words that entries of a kind are found by: those with its prefix or, if there are none, those without any. */
export function wordsFor(kind: Kind, terms: readonly Term[]): Phrase[] {
  const positive = terms.filter((term) => term.type === 'word' && !term.isNegated) as WordTerm[];
  const own = positive.filter(({ field }) => field === kind);
  return (own.length > 0 ? own : positive.filter(({ field }) => field === undefined)).map(
    ({ phrase }) => phrase,
  );
}

/** The text with another word or phrase in place of one. */
export function replaceTerm(text: string, { source, at }: Term, word: string): string {
  const [start = ''] = new RegExp(`^-?(?:(?:${prefixes}):)?`, 'iu').exec(source) ?? [];
  const quoted = source.includes('"') || word.includes(' ') ? `"${word.replaceAll(/["\\]/g, '\\$&')}"` : word;
  return text.slice(0, at) + start + quoted + text.slice(at + source.length);
}
