/**
 * Searches by words: which images every word is about, the best ones first, entries whose names have the words, and near spellings
 * of words that are about nothing.
 */
import type {
  Caller,
  EntryDetails,
  Filter,
  FilterProblem,
  Found,
  FoundFilters,
  FoundWord,
  Suggestion,
} from '../../catalogue/catalogue.ts';
import type { Category, Kind } from '../../catalogue/schemas.ts';
import { type NearText, nearText } from '../../catalogue/search/name-words.ts';
import {
  MAX_QUERY_LENGTH,
  parseQuery,
  replaceTerm,
  type Term,
  toValueFilter,
  type WordTerm,
  wordsFor,
} from '../../catalogue/search/query.ts';
import { type Text, type TextField, wordOf, wordsFrom } from '../../catalogue/search/words.ts';
import type { ImageSet } from '../../catalogue/sets/image-set.ts';
import { newestBelow, type SearchPosition } from '../../catalogue/sets/orders.ts';
import { parseJsonBytes } from '../../lib/byte-string.ts';
import type { Documents } from '../document-cache/cache.ts';
import { type Call, expectVersion, get, type View } from '../view.ts';
import type { Entries, NamedEntry, NameSearch } from './entries.ts';
import type { ImageNumbers } from './image-numbers.ts';
import { type Meaning, type Selection, select, selectTexts } from './selection.ts';

/** How many entries of each kind `/search` returns. */
const MAX_FOUND = 10;
/** Entries that a filter names. */
const MAX_FILTER_ENTRIES = 10;
const MAX_SUGGESTIONS = 3;
/** Corrected searches that are tried, and near spellings of each word. */
const MAX_TRIED = 8;
const MAX_NEAR = 4;

const ALL_FIELDS: readonly TextField[] = ['title', 'other'];
/** Where texts are looked for, by how well images match: names only, titles too, all texts. */
const LEVELS: readonly (readonly TextField[])[] = [[], ['title'], ALL_FIELDS];

/** A term, and the entries that it is about if it is a word. */
interface Understood {
  term: Term;
  entries: NamedEntry[];
}

export class WordSearch {
  readonly #names: NameSearch;
  readonly #entries: Entries;
  readonly #documents: Documents;
  readonly #numbers: ImageNumbers;

  constructor(names: NameSearch, entries: Entries, documents: Documents, numbers: ImageNumbers) {
    this.#names = names;
    this.#entries = entries;
    this.#documents = documents;
    this.#numbers = numbers;
  }

  /** What a filter means, with its text. */
  *select(view: View, filter: Filter, caller: Caller): Call<Selection | FilterProblem> {
    if (filter.q === undefined) return yield* select(view, filter);
    return yield* select(view, filter, toMeaning(yield* this.#understand(view, filter.q, caller)));
  }

  *find(
    view: View,
    filter: Filter,
    from: SearchPosition | undefined,
    limit: number,
    caller: Caller,
  ): Call<Found | FilterProblem> {
    const { q = '' } = filter;
    const understood = yield* this.#understand(view, q, caller);
    const sets = yield* this.#levels(view, { ...filter, q }, understood, caller);
    if ('problem' in sets) return sets;
    const total = sets.reduce((sum, { size }) => sum + size, 0);
    const { numbers, next } = pageOf(sets, from, limit, view.snapshot.lastImage);
    const unknown = yield* this.#unknownWords(view, understood, total > 0, caller);
    const entriesOf = (kind: Kind) => this.#findEntries(view, kind, understood, caller);
    return {
      artists: yield* entriesOf('artist'),
      characters: yield* entriesOf('character'),
      categories: yield* entriesOf('category'),
      albums: yield* entriesOf('album'),
      images: yield* this.#documents.read(view, numbers),
      total,
      next,
      words: understood.map((word) => describeWord(word, !unknown.includes(word.term))),
      filters: yield* this.#toFilters(view, understood),
      suggestions: yield* this.#suggest(view, { ...filter, q }, unknown, caller),
    };
  }

  *#understand(view: View, q: string, caller: Caller): Call<Understood[]> {
    const terms = parseQuery(q);
    const words = terms.filter((term) => term.type === 'word');
    const found = (yield* get(this.#names.about(view.snapshot.version, words, caller))).values();
    return terms.map((term) => ({ term, entries: term.type === 'word' ? (found.next().value ?? []) : [] }));
  }

  /** The images of each level that are not in a better one. */
  *#levels(
    view: View,
    filter: Filter,
    understood: Understood[],
    caller: Caller,
  ): Call<ImageSet[] | FilterProblem> {
    const hasTexts = understood.some(({ term }) => !term.isNegated && textsOf(term, ['title']).length > 0);
    const sets: ImageSet[] = [];
    let better: Selection | undefined;
    for (const fields of hasTexts ? LEVELS : LEVELS.slice(-1)) {
      const selection = yield* select(view, filter, toMeaning(understood, fields));
      if ('problem' in selection) return selection;
      sets.push(yield* this.#numbers.all(better ? { ...selection, except: better } : selection, caller));
      better = selection;
    }
    return sets;
  }

  /** The words that are about no image. If something was found, every word that must be is about some. */
  *#unknownWords(view: View, understood: Understood[], hasImages: boolean, caller: Caller): Call<Term[]> {
    const unknown: Term[] = [];
    for (const { term, entries } of understood) {
      if (term.type === 'value' && term.values.length === 0) unknown.push(term);
      if (term.type !== 'word' || (hasImages && !term.isNegated)) continue;
      if (entries.some(({ shelf }) => shelf.size > 0)) continue;
      const texts = textsOf(term);
      const isFound =
        texts.length > 0 && (yield* this.#numbers.all(selectTexts(view.snapshot, texts), caller)).size > 0;
      if (!isFound) unknown.push(term);
    }
    return unknown;
  }

  *#findEntries(view: View, kind: Kind, understood: Understood[], caller: Caller): Call<EntryDetails[]> {
    const phrases = wordsFor(
      kind,
      understood.map(({ term }) => term),
    );
    if (phrases.length === 0) return [];
    const { version, positions } = yield* get(this.#names.best(kind, phrases, MAX_FOUND, caller));
    expectVersion(version, view.snapshot.version);
    return yield* this.#entries.at(view, kind, positions);
  }

  /** Exactly the search: what parameters can say, and the rest as a text. */
  *#toFilters(view: View, understood: Understood[]): Call<FoundFilters> {
    const terms = understood.map(({ term }) => term);
    const values = toValueFilter(terms);
    const filters: FoundFilters = { ...values };
    const hasMeaning = terms.some(({ type }) => type !== 'empty');
    const rest: string[] = [];
    for (const { term, entries } of understood) {
      const parameter = parameterFor(term, entries, terms);
      const names = parameter ? yield* readNames(view, entries) : [];
      // A comma separates names.
      if (parameter && !names.some((name) => name.includes(',')))
        filters[parameter] = [...new Set([...(filters[parameter] ?? []), ...names])];
      else if (term.type === 'word' || !(term.type === 'value' ? values : hasMeaning)) rest.push(term.source);
    }
    return rest.length > 0 ? { ...filters, q: rest.join(' ') } : filters;
  }

  /** The search with near spellings of the words that are about nothing, if there are images that it finds. */
  *#suggest(view: View, filter: Filter, unknown: Term[], caller: Caller): Call<Suggestion[]> {
    let corrected = [{ q: filter.q ?? '', distance: 0 }];
    // From the last word on, so that the others stay where they are.
    for (const term of unknown.toReversed()) {
      const near = term.type === 'word' ? yield* this.#near(view, term, caller) : [];
      if (near.length === 0) continue;
      corrected = corrected
        .flatMap(({ q, distance }) =>
          near.map(({ text, distance: more }) => ({
            q: replaceTerm(q, term, text),
            distance: distance + more,
          })),
        )
        .sort((a, b) => a.distance - b.distance)
        .slice(0, MAX_TRIED);
    }
    const suggestions: Suggestion[] = [];
    for (const { q, distance } of corrected) {
      if (distance === 0 || [...q].length > MAX_QUERY_LENGTH) continue;
      const selection = yield* this.select(view, { ...filter, q }, caller);
      const images = 'problem' in selection ? 0 : (yield* this.#numbers.all(selection, caller)).size;
      if (images > 0) suggestions.push({ q, images });
      if (suggestions.length === MAX_SUGGESTIONS) break;
    }
    return suggestions;
  }

  /** The nearest first. */
  *#near(view: View, { field, phrase }: WordTerm, caller: Caller): Call<NearText[]> {
    const text = phrase.words.join(' ');
    const maxDistance = Math.max(1, Math.floor([...text].length / 3));
    const found = field === 'title' ? [] : yield* get(this.#names.near(field, text, maxDistance, caller));
    if (field === undefined || field === 'title')
      found.push(...(yield* nearTitleWords(view, text, maxDistance)));
    const nearest = new Map<string, NearText>();
    for (const near of found.sort((a, b) => a.distance - b.distance))
      if (near.distance > 0 && !nearest.has(near.text)) nearest.set(near.text, near);
    return [...nearest.values()].slice(0, MAX_NEAR);
  }
}

/** What an understood text demands, with texts of these fields only. What must not be is excluded wherever it is. */
function toMeaning(understood: readonly Understood[], fields: readonly TextField[] = ALL_FIELDS): Meaning {
  const terms = understood.map(({ term }) => term);
  return {
    values: terms.some(({ type }) => type !== 'empty') ? toValueFilter(terms) : undefined,
    words: understood
      .filter(({ term }) => term.type === 'word')
      .map(({ term, entries }) => ({
        isNegated: term.isNegated,
        shelves: entries.map(({ shelf }) => shelf),
        texts: textsOf(term, term.isNegated ? ALL_FIELDS : fields),
      })),
  };
}

/** Where a word is looked for in texts. */
function textsOf(term: Term, fields: readonly TextField[] = ALL_FIELDS): Text[] {
  if (term.type !== 'word' || !(term.field === undefined || term.field === 'title')) return [];
  return fields
    .filter((field) => term.field === undefined || field === 'title')
    .map((field) => ({ field, ...term.phrase }));
}

/** That are compared with a text, in their order. */
const MAX_TITLE_WORDS = 2000;

/** Words of titles that begin like a text, and are spelt nearly like it. */
function* nearTitleWords(view: View, text: string, maxDistance: number): Call<NearText[]> {
  if (text.includes(' ')) return [];
  const start = [...text].slice(0, 2).join('');
  const { from, to } = wordsFrom('title', start);
  const terms = yield* get(view.list('terms', from, to, MAX_TITLE_WORDS));
  return terms.flatMap((term) => nearText(text, wordOf(term), maxDistance) ?? []);
}

/** A page of the images of several levels, those of the first level first, and the newest first within one. */
function pageOf(
  sets: readonly ImageSet[],
  from: SearchPosition | undefined,
  limit: number,
  lastImage: number,
) {
  const numbers: number[] = [];
  for (let level = from?.level ?? 0; level < sets.length; level++) {
    const set = sets[level] as ImageSet;
    const below = level === from?.level ? from.below : lastImage + 1;
    if (numbers.length === limit && set.size > 0) return { numbers, next: { level, below } };
    const page = newestBelow(set, below, limit - numbers.length);
    numbers.push(...page.numbers);
    if (page.next !== undefined) return { numbers, next: { level, below: page.next } };
  }
  return { numbers, next: undefined };
}

/** The parameter that says the same as a word about entries; undefined if none does. */
function parameterFor(term: Term, entries: NamedEntry[], terms: Term[]): EntryParameter | undefined {
  if (term.type !== 'word' || term.field === undefined || term.field === 'title') return undefined;
  if (entries.length === 0 || entries.length > MAX_FILTER_ENTRIES) return undefined;
  const { field, isNegated } = term;
  const [including, excluding] = PARAMETERS[field];
  if (isNegated) return excluding;
  // An image must be in all categories of a filter, and with any of the others.
  const isSame = (other: Term) => other.type === 'word' && !other.isNegated && other.field === field;
  const isExact = field === 'category' ? entries.length === 1 : terms.filter(isSame).length === 1;
  return isExact ? including : undefined;
}

/** The parameters that filter by the entries of each kind, and that leave them out. */
const PARAMETERS = {
  category: ['categories', 'exclude'],
  artist: ['artist', 'excludeArtist'],
  character: ['character', undefined],
  album: ['album', undefined],
} as const;
type EntryParameter = NonNullable<(typeof PARAMETERS)[Kind][number]>;

/** What a parameter has for entries of one kind: names of categories, and ids of all others. */
function* readNames(view: View, entries: NamedEntry[]): Call<string[]> {
  const [{ kind } = { kind: 'category' as Kind }] = entries;
  const positions = entries.map(({ position }) => position);
  const records = yield* get(view.entriesAt(kind, positions));
  return records.map(({ id, json }) => (kind === 'category' ? (parseJsonBytes(json) as Category).name : id));
}

const VALUE_NAMES = {
  nsfw: 'rating',
  orientation: 'orientation',
  type: 'type',
  animated: 'animation',
} as const;

function describeWord({ term, entries }: Understood, isFound: boolean): FoundWord {
  const as =
    term.type === 'empty'
      ? 'nothing'
      : term.type === 'value'
        ? VALUE_NAMES[term.field]
        : (term.field ?? (term.isQuoted || term.phrase.words.length > 1 ? 'phrase' : 'word'));
  return {
    text: term.source,
    as,
    kinds: [...new Set(entries.map(({ kind }) => kind))],
    excluded: term.isNegated,
    found: isFound,
  };
}
