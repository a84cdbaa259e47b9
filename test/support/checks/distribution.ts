/** Checks that random draws are uniform, with chi-square tests over many of them. */

import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Catalogue, Filter } from '../../../src/catalogue/catalogue.ts';
import type { ImageDocument } from '../../../src/catalogue/documents/image-document.ts';
import type { RandomInt } from '../../../src/lib/random.ts';
import { openStore } from '../../../src/server/engines.ts';
import { contentOf, sandbox } from '../catalogues/import.ts';
import type { Engine } from '../servers/engines.ts';
import { caller } from '../zukan/caller.ts';
import type { Service } from '../zukan/service.ts';

export const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

export const hit = <T>(counts: Map<T, number>, cell: T) => counts.set(cell, (counts.get(cell) ?? 0) + 1);

/** A catalogue with these records, without a web server: thousands of draws take a fraction of the time. */
export async function openMadeUpCatalogue(records: object[], engine?: Engine): Promise<Catalogue> {
  const box = sandbox(engine);
  await box.import(records);
  const store = await openStore(box.config);
  after(() => store[Symbol.asyncDispose]());
  return store.catalogue;
}

export const idsOf = (images: readonly ImageDocument[]): string[] =>
  images.map((image) => contentOf(image).id);

/** Draws from a catalogue. */
export async function drawFrom(
  catalogue: Catalogue,
  filter: Filter,
  limit: number,
  randomInt: RandomInt,
): Promise<string[]> {
  const images = await catalogue.randomImages(filter, limit, randomInt, caller);
  if ('problem' in images) assert.fail(JSON.stringify(images));
  const ids = idsOf(images);
  assert.equal(new Set(ids).size, ids.length, 'no image is repeated');
  return ids;
}

/** Draws over HTTP. `fetch` reuses its connections, and uncompressed is faster. */
export async function draw(service: Service, query: string): Promise<string[]> {
  const address = `${service.origin}/api/image/random?${query}`;
  const response = await fetch(address, { headers: { 'Accept-Encoding': 'identity' } });
  const body = (await response.json()) as { data: { id: string }[] };
  assert.equal(response.status, 200, `${query}: ${JSON.stringify(body)}`);
  const ids = body.data.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, 'no image is repeated');
  return ids;
}

/** A chi-square value as a standard normal deviate (Wilson and Hilferty). */
function toDeviate(value: number, freedom: number): number {
  const spread = 2 / (9 * freedom);
  return (Math.cbrt(value / freedom) - (1 - spread)) / Math.sqrt(spread);
}

/**
 * The counts must be as uniform as random counts are, neither less nor more. If `each` cells are hit at once without
 * repeats, counts vary less; the factor corrects for that. One random seed in 10,000 exceeds a deviate of 3.9.
 */
export function assertUniform(counts: Map<unknown, number>, cells: number, each = 1): void {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const mean = total / cells;
  assert.ok(mean >= 5, `${mean} hits per cell are too few for the test`);
  assert.ok(counts.size <= cells, `${counts.size} cells were hit`);
  const squares = [...counts.values()].reduce((sum, count) => sum + (count - mean) ** 2, 0);
  const value = ((squares + (cells - counts.size) * mean ** 2) / mean) * ((cells - 1) / (cells - each));
  const deviate = toDeviate(value, cells - 1);
  assert.ok(
    Math.abs(deviate) < 3.9,
    `chi-square ${value.toFixed(1)} over ${cells} cells: deviate ${deviate.toFixed(2)}`,
  );
}

/** Draws many times. Checks how often each image was drawn, and which part of the images at which position. */
export async function assertUniformDraws(
  catalogue: Catalogue,
  filter: Filter,
  matching: string[],
  limit: number,
  times: number,
  randomInt: RandomInt,
): Promise<void> {
  const each = Math.min(limit, matching.length);
  const numbers = new Map(matching.map((id, index) => [id, index]));
  const parts = range(1, 26).findLast((part) => matching.length % part === 0) ?? 1;
  const drawn = new Map<number, number>();
  const positions = [...new Set([0, Math.min(1, each - 1), each - 1])];
  const hits = positions.map(() => new Map<number, number>());
  for (let time = 0; time < times; time += 1) {
    const ids = await drawFrom(catalogue, filter, limit, randomInt);
    assert.equal(ids.length, each);
    const found = ids.map((id) => numbers.get(id) ?? assert.fail(`${id} does not match`));
    for (const number of found) hit(drawn, number);
    for (const [at, position] of positions.entries())
      hit(hits[at] ?? drawn, Math.floor(((found[position] ?? 0) * parts) / matching.length));
  }
  if (each < matching.length) assertUniform(drawn, matching.length, each);
  for (const counts of hits) assertUniform(counts, parts);
}
