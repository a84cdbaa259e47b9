/** Artists, characters and categories: in pages, by name and by id, with the documents of their covers if wanted. */
import type { Kind, Page, Window } from '../catalogue/types.ts';
import type { Tuning } from '../lib/tuning.ts';
import type { Caller, EntryDetails } from './contract/catalogue.ts';
import type { Documents } from './documents.ts';
import type { NameSearch } from './name-search.ts';
import { expectVersion } from './versions.ts';
import { type Call, get, type StoredEntry, type View } from './view.ts';

/** Pages of 25 entries at most. */
const MAX_CACHED_PAGES = 500;

export class Entries {
  readonly #documents: Documents;
  readonly #search: NameSearch;
  readonly #isCaching: boolean;
  /** Pages of one version. Always the same objects, because responses are cached by them. */
  readonly #pages = new Map<string, Page<StoredEntry>>();
  #version: number | undefined;

  constructor(documents: Documents, search: NameSearch, { isCaching }: Tuning) {
    this.#documents = documents;
    this.#search = search;
    this.#isCaching = isCaching;
  }

  *list(view: View, kind: Kind, window: Window, hasCovers: boolean): Call<Page<EntryDetails>> {
    const page = yield* this.#readPage(view, kind, window);
    return hasCovers ? { total: page.total, items: yield* this.#addCovers(view, page.items) } : page;
  }

  *find(
    view: View,
    kind: Kind,
    pattern: string,
    { offset, limit }: Window,
    caller: Caller,
    hasCovers: boolean,
  ): Call<Page<EntryDetails>> {
    const { version, positions } = yield* get(this.#search.find(kind, pattern, caller));
    expectVersion(version, view.snapshot.version);
    const entries = yield* get(view.entriesAt(kind, positions.slice(offset, offset + limit)));
    const items = hasCovers ? yield* this.#addCovers(view, entries) : entries;
    return { total: positions.length, items };
  }

  *one(view: View, kind: Kind, id: string, hasCover: boolean): Call<EntryDetails | undefined> {
    const entry = yield* get(view.entry(kind, id));
    return entry && hasCover ? (yield* this.#addCovers(view, [entry]))[0] : entry;
  }

  /** Those at positions of the list, with their covers. */
  *at(view: View, kind: Kind, positions: number[]): Call<EntryDetails[]> {
    return yield* this.#addCovers(view, yield* get(view.entriesAt(kind, positions)));
  }

  *#readPage(view: View, kind: Kind, { offset, limit }: Window): Call<Page<StoredEntry>> {
    const { version, counts } = view.snapshot;
    if (version !== this.#version || !this.#isCaching) this.#pages.clear();
    this.#version = version;
    const key = `${kind} ${offset} ${limit}`;
    const cached = this.#pages.get(key);
    if (cached) return cached;
    const length = Math.min(limit, Math.max(0, counts[kind] - offset));
    const positions = Array.from({ length }, (_, index) => offset + index);
    const page = { total: counts[kind], items: yield* get(view.entriesAt(kind, positions)) };
    // Another call may have read a newer version meanwhile.
    if (version === this.#version && this.#pages.size < MAX_CACHED_PAGES) this.#pages.set(key, page);
    return page;
  }

  *#addCovers(view: View, entries: StoredEntry[]): Call<EntryDetails[]> {
    const numbers = entries.flatMap(({ coverNumber }) => coverNumber ?? []);
    const covers = (yield* this.#documents.read(view, numbers)).values();
    return entries.map((entry) =>
      entry.coverNumber === null ? entry : { ...entry, cover: covers.next().value },
    );
  }
}
