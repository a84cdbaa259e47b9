/** Whether chance treats all alike: many draws of random images, and chi-square over what came. */
import assert from 'node:assert/strict';
import type { Service } from './service.ts';

export const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);

export const hit = <T>(counts: Map<T, number>, cell: T) => counts.set(cell, (counts.get(cell) ?? 0) + 1);

/** By fetch, because it keeps its connection, and uncompressed: there are thousands of draws. */
export async function draw(service: Service, query: string): Promise<string[]> {
  const address = `${service.origin}/api/image/random?${query}`;
  const answer = await fetch(address, { headers: { 'Accept-Encoding': 'identity' } });
  const body = (await answer.json()) as { data: { id: string }[] };
  assert.equal(answer.status, 200, `${query}: ${JSON.stringify(body)}`);
  const ids = body.data.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, 'no image comes twice');
  return ids;
}

/** Where a chi-square value lies in its distribution, as a standard normal deviate (Wilson and Hilferty). */
function deviate(value: number, freedom: number): number {
  const spread = 2 / (9 * freedom);
  return (Math.cbrt(value / freedom) - (1 - spread)) / Math.sqrt(spread);
}

/**
 * How often each cell was hit must be as uniform as chance makes it, neither less nor more. When `each` cells are
 * hit at once without repeats, counts vary less; the factor makes up for that. Beyond 3.9 lies 1 seed in 10,000.
 */
export function assertUniform(counts: Map<unknown, number>, cells: number, each = 1): void {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const mean = total / cells;
  assert.ok(mean >= 5, `${mean} hits a cell are too few to judge`);
  assert.ok(counts.size <= cells, `${counts.size} cells were hit`);
  const squares = [...counts.values()].reduce((sum, count) => sum + (count - mean) ** 2, 0);
  const value = ((squares + (cells - counts.size) * mean ** 2) / mean) * ((cells - 1) / (cells - each));
  const off = deviate(value, cells - 1);
  assert.ok(Math.abs(off) < 3.9, `chi-square ${value.toFixed(1)} over ${cells} cells, ${off.toFixed(2)} off`);
}

/** Judges many draws: how often each image came at all, and what part of them came at which place of the answer. */
export async function assertFair(
  service: Service,
  query: string,
  qualify: string[],
  limit: number,
  times: number,
): Promise<void> {
  const each = Math.min(limit, qualify.length);
  const numbers = new Map(qualify.map((id, index) => [id, index]));
  const parts = range(1, 26).findLast((part) => qualify.length % part === 0) ?? 1;
  const came = new Map<number, number>();
  const places = [...new Set([0, Math.min(1, each - 1), each - 1])];
  const hits = places.map(() => new Map<number, number>());
  for (let time = 0; time < times; time += 1) {
    const ids = await draw(service, `${query}&limit=${limit}`);
    assert.equal(ids.length, each);
    const found = ids.map((id) => numbers.get(id) ?? assert.fail(`${id} does not qualify`));
    for (const number of found) hit(came, number);
    for (const [at, place] of places.entries())
      hit(hits[at] ?? came, Math.floor(((found[place] ?? 0) * parts) / qualify.length));
  }
  if (each < qualify.length) assertUniform(came, qualify.length, each);
  for (const counts of hits) assertUniform(counts, parts);
}
