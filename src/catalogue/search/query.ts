/**
 * The language of `GET /search`: words, "quoted phrases", `-` for what must not be, and `artist:`, `character:`, `category:`,
 * `rating:` and `orientation:` before a word or a phrase. People type it, so every text is valid. Pure.
 */
import { foldName } from '../names.ts';
import type { MentionedKind as Kind, Orientation, Rating } from '../schemas.ts';

export type Field = Kind | 'rating' | 'orientation';

export interface Term {
  /** Folded, with single spaces; never empty. */
  text: string;
  /** Undefined for what may be anything. */
  field: Field | undefined;
  isNegated: boolean;
  isQuoted: boolean;
}

const RATINGS: readonly Rating[] = ['sfw', 'questionable', 'nsfw'];
const ORIENTATIONS: readonly Orientation[] = ['landscape', 'portrait', 'square'];

/** A minus, a field, and a phrase, whose closing quote may be missing, or a word. */
const TERM = /(-?)(?:(artist|character|category|rating|orientation):)?(?:"([^"]*)"?|(\S+))/giu;

/** Somebody is about to type what follows. */
const UNFINISHED = /^-?(?:(?:artist|character|category|rating|orientation):)?$/u;

export function parseQuery(text: string): Term[] {
  const terms: Term[] = [];
  for (const [, minus, prefix, phrase, word = ''] of text.toWellFormed().matchAll(TERM)) {
    const folded = foldName((phrase ?? word).replaceAll(/\s+/g, ' ').trim());
    const isQuoted = phrase !== undefined;
    if (folded === '' || (!isQuoted && UNFINISHED.test(folded))) continue;
    const field = prefix?.toLowerCase() as Field | undefined;
    terms.push({ text: folded, field, isNegated: minus === '-', isQuoted });
  }
  return terms;
}

/** What the names of a kind must contain: the terms with its field or, if there are none, those without any. */
export function wordsFor(kind: Kind, terms: readonly Term[]): string[] {
  const positive = terms.filter(({ isNegated }) => !isNegated);
  const own = positive.filter(({ field }) => field === kind);
  return (own.length > 0 ? own : positive.filter(({ field }) => field === undefined)).map(({ text }) => text);
}

/** The entries of a kind with a name or alias, which is folded. */
export type FindExact = (kind: Kind, text: string) => readonly number[];

/** The entries that a text means: positions in the list of their kind. */
export interface Meant {
  kind: Kind;
  isNegated: boolean;
  positions: readonly number[];
}

/** An artist or a character is meant by a text without field only if no category has the name. */
const KINDS = ['category', 'artist', 'character'] as const;

/** Longer names are found in quotes. Bounds how many runs are looked up: a text can have 50 words. */
const MAX_RUN = 8;

/** The entries that the terms name. Of words in a row, the longest runs that are a name. */
export function findMeant(terms: readonly Term[], findExact: FindExact): Meant[] {
  const meant: Meant[] = [];
  const find = (text: string, kinds: readonly Kind[]) => {
    for (const kind of kinds) {
      const positions = findExact(kind, text);
      if (positions.length > 0) return { kind, positions };
    }
    return undefined;
  };
  for (let at = 0; at < terms.length; ) {
    const { field, isNegated } = terms[at] as Term;
    const kinds = KINDS.filter((kind) => field === undefined || field === kind);
    let length = countWords(terms, at);
    let found = find(joinTerms(terms, at, length), kinds);
    while (!found && length > 1) found = find(joinTerms(terms, at, --length), kinds);
    if (found) meant.push({ ...found, isNegated });
    at += length;
  }
  return meant;
}

/** How many plain words follow each other from a term on, up to a maximum; one if it is anything else. */
function countWords(terms: readonly Term[], from: number): number {
  const isPlain = ({ field, isNegated, isQuoted }: Term) => field === undefined && !isNegated && !isQuoted;
  const last = Math.min(terms.length, from + MAX_RUN);
  let end = from;
  while (end < last && isPlain(terms[end] as Term)) end++;
  return Math.max(1, end - from);
}

function joinTerms(terms: readonly Term[], from: number, length: number): string {
  return terms
    .slice(from, from + length)
    .map(({ text }) => text)
    .join(' ');
}

export function ratingsOf(terms: readonly Term[]): Rating[] {
  return choose('rating', RATINGS, terms);
}

export function orientationsOf(terms: readonly Term[]): Orientation[] {
  return choose('orientation', ORIENTATIONS, terms);
}

/** Those that are named, or else those that are not excluded; none if all are left. */
function choose<T extends string>(field: Field, all: readonly T[], terms: readonly Term[]): T[] {
  const named = (isNegated: boolean) =>
    all.filter((one) =>
      terms.some((term) => term.field === field && term.isNegated === isNegated && term.text === one),
    );
  const excluded = named(true);
  const left = all.filter((one) => !excluded.includes(one));
  const wanted = named(false).filter((one) => !excluded.includes(one));
  const chosen = wanted.length > 0 ? wanted : left;
  return chosen.length === all.length ? [] : chosen;
}
