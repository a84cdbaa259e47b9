/** Lists of entries in the embedded catalogue, and counts of what is in it. */
import type { Kind, Page, Statistics, Window } from '../../catalogue/types.ts';
import { buildStatistics } from '../shared/shelves.ts';
import type { ReadTransaction } from './reader.ts';
import { firstColumn, rowOf } from './statements.ts';
import { verifyEntry } from './verification.ts';

/** Pages of 25 entries at most. */
const MAX_CACHED_PAGES = 500;

export function readPage(transaction: ReadTransaction, kind: Kind, { offset, limit }: Window): Page {
  const { pages, statements } = transaction;
  const key = `${kind} ${offset} ${limit}`;
  const cached = pages.get(key);
  if (cached) return cached;
  const items = firstColumn(statements.entries.all(kind, offset, offset + limit)).map(verifyEntry);
  const page = { total: countEntries(transaction, kind), items };
  if (pages.size < MAX_CACHED_PAGES) pages.set(key, page);
  return page;
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
