/** Walks through random images by seed and cursor. */
import assert from 'node:assert/strict';
import { related } from './api.ts';
import type { Service } from './service.ts';

export interface Page {
  ids: string[];
  cursor: string | null;
  /** The address that `Link: rel="next"` names. */
  next: string | undefined;
}

/** One page of random images, from a query or a whole address. By fetch, because it keeps its connection, and uncompressed. */
export async function pageOf(service: Service, where: string): Promise<Page> {
  const address = where.startsWith('http') ? where : `${service.origin}/api/image/random?${where}`;
  const answer = await fetch(address, { headers: { 'Accept-Encoding': 'identity' } });
  const body = (await answer.json()) as { data: { id: string }[] };
  assert.equal(answer.status, 200, `${where}: ${JSON.stringify(body)}`);
  const link = answer.headers.get('link') ?? undefined;
  return {
    ids: body.data.map(({ id }) => id),
    cursor: answer.headers.get('x-next-cursor'),
    next: related({ headers: { link } }, 'next', address),
  };
}

const inCursor = (cursor: string | null | undefined) =>
  cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';

/** All pages of a query that has a seed, from a cursor on. Each is full, but for the last one, which is not empty. */
export async function walk(
  service: Service,
  query: string,
  limitOf: () => number = () => 25,
  from?: string | null,
): Promise<string[]> {
  const shown: string[] = [];
  for (let cursor = from; ; ) {
    const limit = limitOf();
    const page = await pageOf(service, `${query}&limit=${limit}${inCursor(cursor)}`);
    shown.push(...page.ids);
    assert.equal(page.cursor === null, page.next === undefined, 'Link and X-Next-Cursor come together');
    assert.ok(page.ids.length <= limit, `${page.ids.length} images where ${limit} were asked for`);
    if (page.ids.length === 0) assert.equal(cursor, from, 'what was said to follow does');
    if (page.cursor === null) return shown;
    assert.equal(page.ids.length, limit, 'a page that another follows is full');
    assert.ok(shown.length <= 10_007, 'the walk has no end');
    cursor = page.cursor;
  }
}

/** What is left of the order once only these count. */
export const only = (order: string[], ids: Iterable<string>): string[] => {
  const kept = new Set(ids);
  return order.filter((id) => kept.has(id));
};
