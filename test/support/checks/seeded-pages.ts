/** Pages of random images in the order of a seed, by cursor or by `Link`. */

import assert from 'node:assert/strict';
import type { Catalogue, Filter } from '../../../src/catalogue/catalogue.ts';
import type { SeedPosition } from '../../../src/catalogue/sets/orders.ts';
import { related } from '../zukan/api.ts';
import { caller } from '../zukan/caller.ts';
import type { Service } from '../zukan/service.ts';
import { idsOf } from './distribution.ts';

export interface Page {
  ids: string[];
  cursor: string | null;
  /** The address in `Link: rel="next"`. */
  next: string | undefined;
}

/** Reads one page, by a query or a whole address. `fetch` reuses its connections, and uncompressed is faster. */
export async function readPage(service: Service, where: string): Promise<Page> {
  const address = where.startsWith('http') ? where : `${service.origin}/api/image/random?${where}`;
  const response = await fetch(address, { headers: { 'Accept-Encoding': 'identity' } });
  const body = (await response.json()) as { data: { id: string }[] };
  assert.equal(response.status, 200, `${where}: ${JSON.stringify(body)}`);
  const link = response.headers.get('link') ?? undefined;
  return {
    ids: body.data.map(({ id }) => id),
    cursor: response.headers.get('x-next-cursor'),
    next: related({ headers: { link } }, 'next', address),
  };
}

const cursorParameter = (cursor: string | null | undefined) =>
  cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';

/** Reads all pages of a query with a seed, starting at a cursor. Every page but the last must be full. */
export async function readAllPages(
  service: Service,
  query: string,
  nextLimit: () => number = () => 25,
  from?: string | null,
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = from; ; ) {
    const limit = nextLimit();
    const page = await readPage(service, `${query}&limit=${limit}${cursorParameter(cursor)}`);
    ids.push(...page.ids);
    assert.equal(page.cursor === null, page.next === undefined, 'Link and X-Next-Cursor come together');
    assert.ok(page.ids.length <= limit, `${page.ids.length} images for a limit of ${limit}`);
    if (page.ids.length === 0) assert.equal(cursor, from, 'a next page that was announced is not empty');
    if (page.cursor === null) return ids;
    assert.equal(page.ids.length, limit, 'a page before another one is full');
    assert.ok(ids.length <= 10_007, 'the pages must come to an end');
    cursor = page.cursor;
  }
}

/** The same from the catalogue itself, without HTTP. */
export async function readAllImages(
  catalogue: Catalogue,
  filter: Filter,
  seed: string,
  nextLimit: () => number = () => 1000,
): Promise<string[]> {
  const ids: string[] = [];
  for (let from: SeedPosition | undefined; ; ) {
    const limit = nextLimit();
    const page = await catalogue.seededImages(filter, seed, from, limit, caller);
    if ('problem' in page) assert.fail(JSON.stringify(page));
    ids.push(...idsOf(page.images));
    if (!page.next) return ids;
    assert.equal(page.images.length, limit, 'a page before another one is full');
    assert.ok(ids.length <= 10_007, 'the pages must come to an end');
    from = page.next;
  }
}

/** The order without all other ids. */
export const keepOnly = (order: string[], ids: Iterable<string>): string[] => {
  const kept = new Set(ids);
  return order.filter((id) => kept.has(id));
};
