/** One search for everything: entries by their names, images by their titles, and the filters that a text means. */

import type { Caller, EntryDetails, Found, FoundFilters } from '../catalogue/catalogue.ts';
import type { ImageDocument } from '../catalogue/documents/image-document.ts';
import {
  findMeant,
  type Meant,
  orientationsOf,
  parseQuery,
  ratingsOf,
  type Term,
  wordsFor,
} from '../catalogue/search/query.ts';
import { titleQuery } from '../catalogue/search/title-words.ts';
import type { MentionedKind as Kind, Rating } from '../catalogue/types.ts';
import type { Documents } from './documents.ts';
import type { Entries } from './entries.ts';
import type { NameSearch } from './read/entries.ts';
import { expectVersion } from './versions.ts';
import { type Call, get, type View } from './view.ts';

/** Of each kind. */
const MAX_FOUND = 10;
/** A word that is being typed stands for the first of these, in the order of their code points. */
const MAX_COMPLETIONS = 20;
/** How many of the newest images with the rarest word are looked at. */
const MAX_SCANNED = 500;
/** How many of those with the words of the text are read to find some with a rating. */
const MAX_RATED = 5 * MAX_FOUND;
/** Entries with the same name that a filter has. */
const MAX_NAMESAKES = 10;

const KINDS = ['artist', 'character', 'category'] as const;

export class CombinedSearch {
  readonly #names: NameSearch;
  readonly #entries: Entries;
  readonly #documents: Documents;

  constructor(names: NameSearch, entries: Entries, documents: Documents) {
    this.#names = names;
    this.#entries = entries;
    this.#documents = documents;
  }

  /** `ratings` are those that found images may have, unless the text says it. */
  *find(view: View, text: string, ratings: readonly Rating[] | undefined, caller: Caller): Call<Found> {
    const terms = parseQuery(text);
    const meant = ratingsOf(terms);
    return {
      artists: yield* this.#findEntries(view, 'artist', terms, caller),
      characters: yield* this.#findEntries(view, 'character', terms, caller),
      categories: yield* this.#findEntries(view, 'category', terms, caller),
      images: yield* this.#findImages(view, terms, meant.length > 0 ? meant : ratings),
      filters: yield* this.#findFilters(view, terms),
    };
  }

  *#findImages(view: View, terms: Term[], ratings: readonly Rating[] | undefined): Call<ImageDocument[]> {
    if (ratings === undefined || ratings.length === view.snapshot.ratings.size)
      return yield* this.#documents.read(view, yield* findTitled(view, terms, MAX_FOUND));
    const images = yield* this.#documents.read(view, yield* findTitled(view, terms, MAX_RATED));
    return images.filter((image) => ratings.includes(image.rating)).slice(0, MAX_FOUND);
  }

  *#findEntries(view: View, kind: Kind, terms: Term[], caller: Caller): Call<EntryDetails[]> {
    const words = wordsFor(kind, terms);
    if (words.length === 0) return [];
    const { version, positions } = yield* get(this.#names.best(kind, words, MAX_FOUND, caller));
    expectVersion(version, view.snapshot.version);
    return yield* this.#entries.at(view, kind, positions);
  }

  *#findFilters(view: View, terms: Term[]): Call<FoundFilters> {
    const filters: FoundFilters = {};
    for (const { kind, isNegated, positions } of yield* this.#findMeant(view, terms)) {
      const key = isNegated ? EXCLUDING[kind] : INCLUDING[kind];
      if (!key) continue;
      const entries = yield* get(view.entriesAt(kind, positions.slice(0, MAX_NAMESAKES)));
      const values = entries.map(({ id, document }) => (kind === 'category' ? nameIn(document) : id));
      filters[key] = [...new Set([...(filters[key] ?? []), ...values])];
    }
    const [ratings, orientations] = [ratingsOf(terms), orientationsOf(terms)];
    if (ratings.length > 0) filters.nsfw = ratings;
    if (orientations.length > 0) filters.orientation = orientations;
    return filters;
  }

  *#findMeant(view: View, terms: Term[]): Call<Meant[]> {
    if (terms.length === 0) return [];
    const names = new Map<Kind, (name: string) => readonly number[]>();
    for (const kind of KINDS) {
      const { version, find } = yield* get(this.#names.exact(kind));
      expectVersion(version, view.snapshot.version);
      names.set(kind, find);
    }
    return findMeant(terms, (kind, text) => names.get(kind)?.(text) ?? []);
  }
}

/** The parameters of random images for the entries of each kind. No filter leaves out a character. */
const INCLUDING = { category: 'categories', artist: 'artist', character: 'character' } as const;
const EXCLUDING = { category: 'exclude', artist: 'excludeArtist', character: undefined } as const;

const nameIn = (document: string): string => JSON.parse(document).name;

/** The numbers of the newest images whose titles match. */
function* findTitled(view: View, terms: Term[], limit: number): Call<number[]> {
  const { words, prefix } = titleQuery(terms);
  const lists = words.map((word) => [word]);
  if (prefix !== undefined) lists.push(yield* get(view.titleWords(prefix, MAX_COMPLETIONS)));
  if (lists.length === 0 || lists.some((list) => list.length === 0)) return [];
  const counts = (yield* get(view.titleCounts(lists.flat(), MAX_SCANNED))).values();
  const counted = lists.map((list) => ({
    list,
    count: list.reduce((sum) => sum + (counts.next().value as number), 0),
  }));
  // The rarest words leave fewest images to look at, and the next rarest ones refuse most of these.
  const [rarest, ...others] = counted.toSorted((a, b) => a.count - b.count).map(({ list }) => list);
  if (!rarest || counted.some(({ count }) => count === 0)) return [];
  const scanned = others.length === 0 ? limit : MAX_SCANNED;
  return yield* get(
    view.titled({
      wanted: rarest,
      required: others.flatMap((list) => (list.length === 1 ? list : [])),
      // Only the completions are several words.
      oneOf: others.find((list) => list.length > 1) ?? [],
      scanned,
      limit,
    }),
  );
}
