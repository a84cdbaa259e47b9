/** Entries of the embedded catalogue, in pages and one by one, and counts of what is in it. */
import type { EntryDetails } from '../../catalogue/catalogue.ts';
import type { Kind, Page, Statistics, Window } from '../../catalogue/types.ts';
import { buildStatistics } from '../shared/shelves.ts';
import type { Images } from './images.ts';
import type { ReadTransaction, StoredEntry } from './reader.ts';
import { rowOf } from './statements.ts';
import { verifyEntry } from './verification.ts';

/** Pages of 25 entries at most. */
const MAX_CACHED_PAGES = 500;

/** `covers` reads the covers, if they are wanted. */
export function readPage(
  transaction: ReadTransaction,
  kind: Kind,
  window: Window,
  covers: Images | undefined,
): Page<EntryDetails> {
  const page = readPlainPage(transaction, kind, window);
  // Without covers, always the same object: responses are cached by it.
  return covers ? { ...page, items: addCovers(transaction, page.items, covers) } : page;
}

export function readEntriesAt(
  transaction: ReadTransaction,
  kind: Kind,
  positions: number[],
  covers: Images | undefined,
): EntryDetails[] {
  const { entryAt } = transaction.statements;
  const entries = positions.map((position) => toEntry(entryAt.get(kind, position)));
  return covers ? addCovers(transaction, entries, covers) : entries;
}

export function readEntry(
  transaction: ReadTransaction,
  kind: Kind,
  id: string,
  covers: Images | undefined,
): EntryDetails | undefined {
  const row = transaction.statements.entry.get(kind, id);
  if (!row) return undefined;
  return covers ? addCovers(transaction, [toEntry(row)], covers)[0] : toEntry(row);
}

function readPlainPage(
  transaction: ReadTransaction,
  kind: Kind,
  { offset, limit }: Window,
): Page<StoredEntry> {
  const { pages, statements } = transaction;
  const key = `${kind} ${offset} ${limit}`;
  const cached = pages.get(key);
  if (cached) return cached;
  const items = statements.entries.all(kind, offset, offset + limit).map(toEntry);
  const page = { total: countEntries(transaction, kind), items };
  if (pages.size < MAX_CACHED_PAGES) pages.set(key, page);
  return page;
}

function addCovers(transaction: ReadTransaction, entries: StoredEntry[], covers: Images): EntryDetails[] {
  const numbers = entries.flatMap(({ coverNumber }) => coverNumber ?? []);
  const images = covers.byNumbers(transaction, numbers).values();
  return entries.map((entry) =>
    entry.coverNumber === null ? entry : { ...entry, cover: images.next().value },
  );
}

function toEntry(row: unknown): StoredEntry {
  const [document, images = 0, coverNumber = null] = rowOf<[string, number, number | null]>(row) ?? [];
  return { document: verifyEntry(document), images, coverNumber };
}

export function readStatistics(transaction: ReadTransaction): Statistics {
  const sizes = new Map(transaction.statements.sizes.all() as unknown as [string, number][]);
  for (const kind of ['artist', 'category', 'character'] as const)
    sizes.set(kind, countEntries(transaction, kind));
  return buildStatistics(sizes);
}

function countEntries({ statements }: ReadTransaction, kind: Kind): number {
  return rowOf<[number | null]>(statements.entryCount.get(kind))?.[0] ?? 0;
}
