/** Artists, characters, categories and albums: in pages, by name and by id, with the documents of their covers if wanted. */
import type { Kind, Page, Window } from '../catalogue/types.ts';
import { LruCache } from '../lib/lru-cache.ts';
import type { Tuning } from '../lib/tuning.ts';
import type { Caller, EntryDetails, EntryWindow } from './contract/catalogue.ts';
import type { Documents } from './documents.ts';
import type { NameSearch } from './name-search.ts';
import { expectVersion } from './versions.ts';
import { type Call, get, type StoredEntry, type View } from './view.ts';

/** Of entries and pages, and of the responses that are kept with them, which take about as much again twice. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
const BYTES_PER_CHARACTER = 4;

/** What one version of the catalogue returned. */
interface Cached {
  result: Page<StoredEntry> | StoredEntry;
  bytes: number;
}

export class Entries {
  readonly #documents: Documents;
  readonly #search: NameSearch;
  readonly #isCaching: boolean;
  /** Always the same objects of one version, because responses are kept with them. */
  readonly #cache = new LruCache<string, Cached>(MAX_CACHED_BYTES);
  #version: number | undefined;

  constructor(documents: Documents, search: NameSearch, { isCaching }: Tuning) {
    this.#documents = documents;
    this.#search = search;
    this.#isCaching = isCaching;
  }

  *list(view: View, kind: Kind, window: Window, hasCovers: boolean): Call<Page<EntryDetails>> {
    const { offset, limit } = window;
    const page = yield* this.#keep(view, `list ${kind} ${offset} ${limit}`, () =>
      readPage(view, kind, window),
    );
    return yield* this.#withCovers(view, page, hasCovers);
  }

  *find(
    view: View,
    kind: Kind,
    pattern: string | undefined,
    { offset, limit, sort = 'name' }: EntryWindow,
    caller: Caller,
    hasCovers: boolean,
  ): Call<Page<EntryDetails>> {
    const search = this.#search;
    const key = `find ${kind} ${offset} ${limit} ${sort} ${pattern ?? ''}`;
    const page = yield* this.#keep(view, key, function* () {
      const { version, positions } = yield* get(
        sort === 'images' ? search.largest(kind, pattern, caller) : search.find(kind, pattern ?? '%', caller),
      );
      expectVersion(version, view.snapshot.version);
      const items = yield* get(view.entriesAt(kind, positions.slice(offset, offset + limit)));
      return { total: positions.length, items };
    });
    return yield* this.#withCovers(view, page, hasCovers);
  }

  *one(view: View, kind: Kind, id: string, hasCover: boolean): Call<EntryDetails | undefined> {
    const entry = yield* this.#keep(view, `one ${kind} ${id}`, () => get(view.entry(kind, id)));
    return entry && hasCover ? (yield* this.#addCovers(view, [entry]))[0] : entry;
  }

  /** Those at positions of the list, with their covers. */
  *at(view: View, kind: Kind, positions: number[]): Call<EntryDetails[]> {
    return yield* this.#addCovers(view, yield* get(view.entriesAt(kind, positions)));
  }

  /** What `read` returns, from the cache if it is there. */
  *#keep<Result extends Page<StoredEntry> | StoredEntry | undefined>(
    view: View,
    key: string,
    read: () => Call<Result>,
  ): Call<Result> {
    const { version } = view.snapshot;
    if (version !== this.#version || !this.#isCaching) this.#cache.clear();
    this.#version = version;
    const cached = this.#cache.get(key);
    if (cached) return cached.result as Result;
    const result = yield* read();
    // Another call may have read a newer version meanwhile.
    if (result && version === this.#version) this.#cache.set(key, { result, bytes: sizeOf(result) });
    return result;
  }

  *#withCovers(view: View, page: Page<StoredEntry>, hasCovers: boolean): Call<Page<EntryDetails>> {
    return hasCovers ? { total: page.total, items: yield* this.#addCovers(view, page.items) } : page;
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
  return entries.reduce((sum, { document }) => sum + document.length, 0) * BYTES_PER_CHARACTER;
}
