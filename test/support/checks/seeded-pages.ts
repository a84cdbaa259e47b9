/** Pages of random images in the order of a seed. */

import assert from 'node:assert/strict';
import type { Catalogue, Filter } from '../../../src/catalogue/catalogue.ts';
import type { SeedPosition } from '../../../src/catalogue/sets/orders.ts';
import { caller } from '../zukan/caller.ts';
import { idsOf } from './distribution.ts';

/** Reads all pages of a seed. Every page but the last must be full. */
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
