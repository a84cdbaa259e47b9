/** Artists, characters, categories and albums: in pages, by name and by id, with the documents of their covers if wanted. */
import type { Caller, EntryDetails, EntryWindow } from '../../catalogue/catalogue.ts';
import { fold, isId, normaliseName } from '../../catalogue/names.ts';
import { forEachKind, type Kind, type Page, type Window } from '../../catalogue/schemas.ts';
import { NameWords, type NearText, sortBySize, toLine } from '../../catalogue/search/name-words.ts';
import { parsePattern, splitAtWildcards } from '../../catalogue/search/pattern.ts';
import type { WordField, WordTerm } from '../../catalogue/search/query.ts';
import { type NameList, SearchTooLong, scan } from '../../catalogue/search/scan.ts';
import type { Phrase } from '../../catalogue/search/words.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import { defaultTuning, type Tuning } from '../../lib/tuning.ts';
import type { Documents } from '../document-cache/cache.ts';
import {
  type Call,
  cacheVersion,
  expectVersion,
  get,
  type Shelf,
  type StoredEntry,
  type View,
} from '../view.ts';
import { CHEAP_WORK, FairQueue, readAll, type SliceReader, type Spend } from './slices.ts';

// Searching the names of a kind. The folded names and aliases are cached until the catalogue changes.

/** Positions in the list of a kind, as of one version of the catalogue. */
interface Matches {
  version: number;
  positions: number[];
}

/** The shelves of a kind in the order of its list, as of one version. */
interface KindShelves {
  version: number;
  shelves: Shelf[];
}

/** An entry that a word is about. */
export interface NamedEntry {
  kind: Kind;
  position: number;
  shelf: Shelf;
}

/** What was computed for one version. */
interface Result {
  version: number;
  bytes: number;
}

interface MatchResult extends Result {
  /** Undefined if the search takes too long. */
  positions: number[] | undefined;
}

const KINDS = ['category', 'artist', 'character', 'album'] as const satisfies Kind[];
/** Of all words of a search. */
const MAX_NAMED = 10_000;
const BYTES_PER_ENTRY = 64;

/** Pages of the same search, and clients that repeat one, need no other scan. */
const MAX_RESULT_BYTES = 8 * 1024 * 1024;

export class NameSearch {
  readonly #reader: SliceReader;
  readonly #isCaching: boolean;
  readonly #names: Record<Kind, () => Promise<NameList>>;
  readonly #words: Record<Kind, () => Promise<NameWords>>;
  readonly #shelves: Record<Kind, () => Promise<KindShelves>>;
  readonly #queue = new FairQueue();
  /** By method, kind and pattern or words. Begins with the method, because a pattern can look like words. */
  readonly #results = new LruCache<string, Result>(MAX_RESULT_BYTES);

  constructor(reader: SliceReader, tuning = defaultTuning) {
    this.#reader = reader;
    this.#isCaching = tuning.isCaching;
    const current = () => reader.currentVersion();
    const cache = <T extends { version: number }>(read: (kind: Kind) => Promise<T>) =>
      forEachKind((kind) => cacheVersion(() => read(kind), current, tuning));
    this.#names = cache((kind) => this.#readNames(kind));
    this.#words = cache((kind) => this.#readWords(kind));
    this.#shelves = cache((kind) => this.#readShelves(kind));
  }

  async find(kind: Kind, text: string, caller: Caller): Promise<Matches> {
    const pattern = normaliseName(text);
    const parsed = parsePattern(pattern);
    const names = await this.#names[kind]();
    // Patterns of literals are always cheap, so they overtake the others even before any has started.
    const expected = splitAtWildcards(parsed) ? 0 : CHEAP_WORK;
    return this.#match(`find ${kind} ${pattern}`, names.version, caller, expected, (spend) =>
      scan(parsed, names, spend),
    );
  }

  /** The names that match the pattern or, without one, all names: those with most images first, then in list order. */
  async largest(kind: Kind, pattern: string | undefined, caller: Caller): Promise<Matches> {
    const { version, shelves } = await this.#shelves[kind]();
    const found = pattern === undefined ? undefined : await this.find(kind, pattern, caller);
    if (found) expectVersion(found.version, version);
    return this.#match(`largest ${kind} ${pattern ?? '%'}`, version, caller, 0, (spend) =>
      sortBySize(found?.positions ?? shelves.keys(), shelves, spend),
    );
  }

  /** The names that contain every phrase; at most `limit`, the best ones first. */
  async best(kind: Kind, phrases: readonly Phrase[], limit: number, caller: Caller): Promise<Matches> {
    const words = await this.#words[kind]();
    const { version, shelves } = await this.#shelves[kind]();
    expectVersion(words.version, version);
    const key = `best ${kind} ${limit} ${JSON.stringify(phrases)}`;
    return this.#match(key, version, caller, 0, (spend) => words.best(phrases, shelves, limit, spend));
  }

  /** The entries that each of the words is about, as of this version. Throws CatalogueChanged, or SearchTooLong. */
  async about(version: number, terms: readonly WordTerm[], caller: Caller): Promise<NamedEntry[][]> {
    const key = `about ${JSON.stringify(terms.map(({ field, phrase }) => [field, phrase]))}`;
    const { entries } = await this.#compute<Result & { entries: NamedEntry[][] }>(
      key,
      version,
      caller,
      0,
      async (spend) => {
        const entries: NamedEntry[][] = terms.map(() => []);
        let left = MAX_NAMED;
        for (const kind of KINDS) {
          const words = await this.#words[kind]();
          const { version: actual, shelves } = await this.#shelves[kind]();
          for (const found of [words.version, actual]) expectVersion(found, version);
          for (const [index, { field, phrase }] of terms.entries()) {
            if (field !== undefined && field !== kind) continue;
            const positions = words.find(phrase, left + 1);
            left -= positions.length;
            if (left < 0) throw new SearchTooLong();
            for (const position of positions)
              entries[index]?.push({ kind, position, shelf: shelves[position] as Shelf });
            await spend(words.work);
          }
        }
        return { version, entries, bytes: BYTES_PER_ENTRY * (MAX_NAMED - left) };
      },
    );
    return entries;
  }

  /** Words of names, and names, that are spelt nearly like a text. */
  async near(
    field: WordField | undefined,
    text: string,
    maxDistance: number,
    caller: Caller,
  ): Promise<NearText[]> {
    const kinds = KINDS.filter((kind) => field === undefined || field === kind);
    const lists = await Promise.all(kinds.map((kind) => this.#words[kind]()));
    return this.#queue.run(caller, 0, async (spend) => {
      const near: NearText[] = [];
      for (const words of lists) near.push(...(await words.near(text, maxDistance, spend)));
      return near;
    });
  }

  /** Positions, computed or from the cache, which also knows which searches take too long. */
  async #match(
    key: string,
    version: number,
    caller: Caller,
    expected: number,
    find: (spend: Spend) => Promise<number[]>,
  ): Promise<Matches> {
    const compute = async (spend: Spend): Promise<MatchResult> => {
      try {
        const positions = await find(spend);
        return { version, positions, bytes: 8 * positions.length };
      } catch (error) {
        if (!(error instanceof SearchTooLong)) throw error;
        return { version, positions: undefined, bytes: 0 };
      }
    };
    const { positions } = await this.#compute(key, version, caller, expected, compute);
    if (!positions) throw new SearchTooLong();
    return { version, positions };
  }

  /** The result for a key in a version, from the cache or computed when it is the caller's turn. */
  async #compute<T extends Result>(
    key: string,
    version: number,
    caller: Caller,
    expected: number,
    compute: (spend: Spend) => Promise<T>,
  ): Promise<T> {
    const cached = () => {
      const result = this.#results.get(key);
      return result?.version === version ? (result as T) : undefined;
    };
    const run = async (spend: Spend) => {
      const result = cached() ?? (await compute(spend));
      if (this.#isCaching) this.#results.set(key, result);
      return result;
    };
    return cached() ?? (await this.#queue.run(caller, expected, run));
  }

  async #readNames(kind: Kind): Promise<NameList> {
    const folded: string[] = [];
    const aliases = new Map<string, number[]>();
    const version = await this.#eachName(
      kind,
      (name) => folded.push(fold(name)),
      (name, position) => {
        const alias = fold(name);
        aliases.set(alias, [...(aliases.get(alias) ?? []), position]);
      },
    );
    return { kind, version, folded, aliases };
  }

  async #readWords(kind: Kind): Promise<NameWords> {
    const lines: string[] = [];
    const positions: number[] = [];
    const add = (name: string, position: number) => {
      lines.push(toLine(name));
      positions.push(position);
    };
    return new NameWords(await this.#eachName(kind, add, add), lines, positions);
  }

  /** Visits the names of a kind in the order of its list, then the aliases. Returns their version. */
  async #eachName(
    kind: Kind,
    onName: (name: string, position: number) => void,
    onAlias: (name: string, position: number) => void,
  ): Promise<number> {
    let next = 0;
    const version = await readAll(
      this.#reader,
      'names',
      (_, size) => [kind, next, size],
      (name) => onName(name, next++),
    );
    return readAll(
      this.#reader,
      'aliases',
      ([key] = ['', '', 0], size) => [kind, key, size],
      ([, name, position]) => {
        if (!isId(name)) onAlias(name, position);
      },
      version,
    );
  }

  async #readShelves(kind: Kind): Promise<KindShelves> {
    const shelves: Shelf[] = [];
    const version = await readAll(
      this.#reader,
      'shelves',
      (_, size) => [kind, shelves.length, size],
      ([number, size]) => shelves.push({ number, size }),
    );
    return { version, shelves };
  }
}

/** Of entries and pages, and of the responses that are kept with them, plain and compressed. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
const COPIES = 3;

/** What one version of the catalogue returned. */
interface Cached {
  result: Page<StoredEntry> | StoredEntry;
  bytes: number;
}

export class Entries {
  readonly #documents: Documents;
  readonly #names: NameSearch;
  readonly #isCaching: boolean;
  /** Always the same objects of one version, because responses are kept with them. */
  readonly #cache = new LruCache<string, Cached>(MAX_CACHED_BYTES);
  #version: number | undefined;

  constructor(documents: Documents, names: NameSearch, { isCaching }: Tuning) {
    this.#documents = documents;
    this.#names = names;
    this.#isCaching = isCaching;
  }

  *list(view: View, kind: Kind, window: Window, hasCovers: boolean): Call<Page<EntryDetails>> {
    const key = `list ${kind} ${window.offset} ${window.limit}`;
    const page =
      this.#cached<Page<StoredEntry>>(view, key) ??
      this.#keep(view, key, yield* readPage(view, kind, window));
    return hasCovers ? yield* this.#withCovers(view, page) : page;
  }

  *find(
    view: View,
    kind: Kind,
    pattern: string | undefined,
    window: EntryWindow,
    caller: Caller,
    hasCovers: boolean,
  ): Call<Page<EntryDetails>> {
    const { offset, limit, sort = 'name' } = window;
    const key = `find ${kind} ${offset} ${limit} ${sort} ${pattern ?? ''}`;
    const page =
      this.#cached<Page<StoredEntry>>(view, key) ??
      this.#keep(view, key, yield* this.#search(view, kind, pattern, window, caller));
    return hasCovers ? yield* this.#withCovers(view, page) : page;
  }

  *one(view: View, kind: Kind, id: string, hasCover: boolean): Call<EntryDetails | undefined> {
    const key = `one ${kind} ${id}`;
    const entry =
      this.#cached<StoredEntry>(view, key) ?? this.#keep(view, key, yield* get(view.entry(kind, id)));
    return entry && hasCover ? (yield* this.#addCovers(view, [entry]))[0] : entry;
  }

  /** Those at positions of the list, with their covers. */
  *at(view: View, kind: Kind, positions: number[]): Call<EntryDetails[]> {
    const keyOf = (position: number) => `at ${kind} ${position}`;
    const entries = new Map(
      positions.map((position) => [position, this.#cached<StoredEntry>(view, keyOf(position))]),
    );
    const missing = positions.filter((position) => !entries.get(position));
    const read = missing.length > 0 ? yield* get(view.entriesAt(kind, missing)) : [];
    for (const [index, position] of missing.entries())
      entries.set(position, this.#keep(view, keyOf(position), read[index]));
    return yield* this.#addCovers(
      view,
      positions.flatMap((position) => entries.get(position) ?? []),
    );
  }

  #cached<Result extends Cached['result']>(view: View, key: string): Result | undefined {
    const { version } = view.snapshot;
    if (version !== this.#version || !this.#isCaching) this.#cache.clear();
    this.#version = version;
    return this.#cache.get(key)?.result as Result | undefined;
  }

  /** Returns the result. */
  #keep<Result extends Cached['result'] | undefined>(view: View, key: string, result: Result): Result {
    // Another call may have read a newer version meanwhile.
    if (result && view.snapshot.version === this.#version)
      this.#cache.set(key, { result, bytes: sizeOf(result) });
    return result;
  }

  *#search(
    view: View,
    kind: Kind,
    pattern: string | undefined,
    { offset, limit, sort }: EntryWindow,
    caller: Caller,
  ): Call<Page<StoredEntry>> {
    const search = this.#names;
    const { version, positions } = yield* get(
      sort === 'images' ? search.largest(kind, pattern, caller) : search.find(kind, pattern ?? '%', caller),
    );
    expectVersion(version, view.snapshot.version);
    const items = yield* get(view.entriesAt(kind, positions.slice(offset, offset + limit)));
    return { total: positions.length, items };
  }

  *#withCovers(view: View, { total, items }: Page<StoredEntry>): Call<Page<EntryDetails>> {
    return { total, items: yield* this.#addCovers(view, items) };
  }

  *#addCovers(view: View, entries: StoredEntry[]): Call<EntryDetails[]> {
    const numbers = entries.flatMap(({ coverNumber }) => coverNumber ?? []);
    const covers = (yield* this.#documents.read(view, numbers)).values();
    return entries.map((entry) =>
      entry.coverNumber === null ? entry : { ...entry, cover: covers.next().value },
    );
  }
}

function* readPage(view: View, kind: Kind, { offset, limit }: Window): Call<Page<StoredEntry>> {
  const total = view.snapshot.counts[kind];
  const length = Math.min(limit, Math.max(0, total - offset));
  const positions = Array.from({ length }, (_, index) => offset + index);
  return { total, items: yield* get(view.entriesAt(kind, positions)) };
}

function sizeOf(result: Page<StoredEntry> | StoredEntry): number {
  const entries = 'items' in result ? result.items : [result];
  return entries.reduce((sum, { json }) => sum + json.length, 0) * COPIES;
}
