/** Artists, characters, categories and albums: in pages, by name and by id, with the documents of their covers if wanted. */
import type { Caller, EntryDetails, EntryWindow } from '../../catalogue/catalogue.ts';
import { isId, normaliseName } from '../../catalogue/names.ts';
import type { Kind, Page, Window } from '../../catalogue/schemas.ts';
import { bestNames, findEqual, type NameSizes, sortBySize } from '../../catalogue/search/best-names.ts';
import { fold } from '../../catalogue/search/fold.ts';
import { type Node, parsePattern } from '../../catalogue/search/pattern.ts';
import { type NameList, SearchTooLong, scan } from '../../catalogue/search/scan.ts';
import { splitAtWildcards } from '../../catalogue/search/shape.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import { defaultTuning, type Tuning } from '../../lib/tuning.ts';
import type { Documents } from '../document-cache/cache.ts';
import {
  type Call,
  expectVersion,
  get,
  retryOnChange,
  type StoredEntry,
  VersionedCache,
  type View,
} from '../view.ts';
import { CHEAP_WORK, FairQueue, readAliases, readSlices, type SliceReader, type Spend } from './slices.ts';

// Searching the names of a kind. The folded names and aliases are cached until the catalogue changes.

/** Positions in the list of a kind, as of one version of the catalogue. */
interface Matches {
  version: number;
  positions: number[];
}

/** Names and aliases, as of one version of the catalogue. */
interface ExactNames {
  version: number;
  /** Positions in the list of the kind. */
  find(name: string): readonly number[];
}

interface Result {
  version: number;
  /** Undefined if the search takes too long. */
  positions: number[] | undefined;
  bytes: number;
}

/** Pages of the same search, and clients that repeat one, need no other scan. */
const MAX_RESULT_BYTES = 8 * 1024 * 1024;

export class NameSearch {
  readonly #reader: SliceReader;
  readonly #isCaching: boolean;
  readonly #names: Record<Kind, VersionedCache<NameList>>;
  readonly #sizes: Record<Kind, VersionedCache<NameSizes>>;
  readonly #queue = new FairQueue();
  /** By method, kind and pattern or words. Begins with the method, because a pattern can look like words. */
  readonly #results = new LruCache<string, Result>(MAX_RESULT_BYTES);

  constructor(reader: SliceReader, tuning = defaultTuning) {
    this.#reader = reader;
    this.#isCaching = tuning.isCaching;
    const cache = <T extends { version: number }>(read: (kind: Kind) => Promise<T>) => {
      const cacheOf = (kind: Kind) =>
        new VersionedCache(
          () => read(kind),
          () => reader.currentVersion(),
          tuning,
        );
      return {
        artist: cacheOf('artist'),
        category: cacheOf('category'),
        character: cacheOf('character'),
        album: cacheOf('album'),
      };
    };
    this.#names = cache((kind) => this.#readNames(kind));
    this.#sizes = cache((kind) => this.#readSizes(kind));
  }

  async find(kind: Kind, text: string, caller: Caller): Promise<Matches> {
    const pattern = normaliseName(text);
    const parsed = parsePattern(pattern);
    const names = await this.#names[kind].get();
    // Patterns of literals are always cheap, so they overtake the others even before any has started.
    const expected = splitAtWildcards(parsed) ? 0 : CHEAP_WORK;
    const { version, positions } = await this.#compute(
      `find ${kind} ${pattern}`,
      names.version,
      caller,
      expected,
      (spend) => runScan(parsed, names, spend),
    );
    if (!positions) throw new SearchTooLong();
    return { version, positions };
  }

  /** The names that match the pattern or, without one, all names: those with most images first, then in list order. */
  async largest(kind: Kind, pattern: string | undefined, caller: Caller): Promise<Matches> {
    const sizes = await this.#sizes[kind].get();
    const { version } = sizes;
    const found = pattern === undefined ? undefined : await this.find(kind, pattern, caller);
    if (found) expectVersion(found.version, version);
    const key = `largest ${kind} ${pattern ?? '%'}`;
    const { positions = [] } = await this.#compute(key, version, caller, 0, async (spend) => {
      const positions = await sortBySize(found?.positions ?? sizes.sizes.keys(), sizes, spend);
      return { version, positions, bytes: 8 * positions.length };
    });
    return { version, positions };
  }

  /** The names that contain every word, which is folded; at most `limit`, the best ones first. */
  async best(kind: Kind, words: readonly string[], limit: number, caller: Caller): Promise<Matches> {
    const names = await this.#names[kind].get();
    const sizes = await this.#sizes[kind].get();
    const { version } = names;
    expectVersion(sizes.version, version);
    const key = `best ${kind} ${limit} ${JSON.stringify(words)}`;
    const { positions = [] } = await this.#compute(key, version, caller, 0, async (spend) => {
      const positions = await bestNames(words, names, sizes, limit, spend);
      return { version, positions, bytes: 8 * positions.length };
    });
    return { version, positions };
  }

  /** Finds entries by a whole name, folded, or else by an alias. */
  async exact(kind: Kind): Promise<ExactNames> {
    const { version, folded, aliases } = await this.#names[kind].get();
    const find = (name: string) => {
      const positions = findEqual(folded, name);
      return positions.length > 0 ? positions : (aliases.get(name) ?? []);
    };
    return { version, find };
  }

  /** The result for a key in a version, from the cache or computed when it is the caller's turn. */
  async #compute(
    key: string,
    version: number,
    caller: Caller,
    expected: number,
    compute: (spend: Spend) => Promise<Result>,
  ): Promise<Result> {
    const cached = () => {
      const result = this.#results.get(key);
      return result?.version === version ? result : undefined;
    };
    const run = async (spend: Spend) => {
      const result = cached() ?? (await compute(spend));
      if (this.#isCaching) this.#results.set(key, result);
      return result;
    };
    return cached() ?? (await this.#queue.run(caller, expected, run));
  }

  #readNames(kind: Kind): Promise<NameList> {
    const { namesPerSlice } = this.#reader;
    return retryOnChange(async () => {
      const folded: string[] = [];
      const version = await readSlices(
        namesPerSlice,
        (from, to) => this.#reader.readNames(kind, from, to),
        (name) => folded.push(fold(name)),
      );
      const aliases = new Map<string, number[]>();
      await readAliases(this.#reader, kind, version, ([, name, position]) => {
        const alias = fold(name);
        if (!isId(alias)) aliases.set(alias, [...(aliases.get(alias) ?? []), position]);
      });
      return { kind, version, folded, aliases };
    });
  }

  #readSizes(kind: Kind): Promise<NameSizes> {
    return retryOnChange(async () => {
      const sizes: number[] = [];
      const version = await readSlices(
        this.#reader.namesPerSlice,
        (from, to) => this.#reader.readSizes(kind, from, to),
        (size) => sizes.push(size),
      );
      return { version, sizes };
    });
  }
}

async function runScan(pattern: Node, names: NameList, spend: Spend): Promise<Result> {
  const { version } = names;
  try {
    const positions = await scan(pattern, names, spend);
    return { version, positions, bytes: 8 * positions.length };
  } catch (error) {
    if (!(error instanceof SearchTooLong)) throw error;
    return { version, positions: undefined, bytes: 0 };
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
    return yield* this.#addCovers(view, yield* get(view.entriesAt(kind, positions)));
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
