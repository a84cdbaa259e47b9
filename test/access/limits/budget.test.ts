/** Budgets of clients, in memory that threads share. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { previewRule, tokenRule } from '../../../src/access/limiter.ts';
import { createLimiterMemory, MemoryBudget, MemoryLimiter } from '../../../src/access/limits/memory.ts';

let now = 1e12;
const clock = () => now;

function count(budget: MemoryBudget, client: string): number {
  let taken = 0;
  while (budget.take(client).isAllowed) taken++;
  assert.equal(budget.hasLeft(client), false);
  return taken;
}

test('a budget comes back with time, also after the clock was set back', () => {
  const budget = new MemoryBudget(previewRule, clock);
  const at = (time: number, client: string) => {
    now = time;
    return count(budget, client);
  };
  assert.equal(at(1e12, 'a'), 20);
  assert.equal(at(1e12, 'b'), 20);
  assert.equal(at(1e12 + 3500, 'a'), 3);
  assert.equal(at(1e12 + 60_000, 'a'), 20);
  assert.equal(at(1e12 - 3_600_000, 'a'), 20);
  assert.equal(at(1e12 - 3_600_000 + 1000, 'a'), 1);
});

test('threads share a budget, but not with another one or the rate limit', () => {
  const memory = createLimiterMemory(1000);
  const [first, second] = [1, 2].map((owner) => new MemoryBudget(previewRule, clock, memory, owner));
  for (let taken = 0; taken < 12; taken++) assert.ok(first?.take('a').isAllowed);
  assert.equal(count(second as MemoryBudget, 'a'), 8);
  assert.equal(first?.hasLeft('a'), false);
  assert.equal(count(new MemoryBudget(tokenRule, clock, memory, 3), 'a'), 1);
  assert.ok(new MemoryLimiter(1, clock, memory, 4).decide('a').isAllowed);
});
