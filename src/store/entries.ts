/** Artists, characters, categories and albums: in pages, by name and by id, with the documents of their covers if wanted. */
import type { Caller, EntryDetails, EntryWindow } from '../catalogue/catalogue.ts';
import type { Kind, Page, Window } from '../catalogue/types.ts';
import { LruCache } from '../lib/lru-cache.ts';
import type { Tuning } from '../lib/tuning.ts';
import type { Documents } from './documents.ts';
import type { NameSearch } from './read/entries.ts';
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
  return entries.reduce((sum, { document }) => sum + document.length, 0) * BYTES_PER_CHARACTER;
}
