/** Budgets of clients, in memory that threads share. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLimiterMemory, MemoryBudget, MemoryLimiter } from '../../../src/access/limits/memory.ts';
import { pageRule, tokenRule } from '../../../src/access/rate.ts';

const rule = { name: 'test', burst: 20, intervalMs: 1000 };
let now = 1e12;
const clock = () => now;

function count(budget: MemoryBudget, client: string): number {
  let taken = 0;
  while (budget.take(client).isAllowed) taken++;
  assert.equal(budget.hasLeft(client), false);
  return taken;
}

test('a budget comes back with time, also after the clock was set back', () => {
  const budget = new MemoryBudget(rule, clock);
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
  const [first, second] = [1, 2].map((owner) => new MemoryBudget(rule, clock, memory, owner));
  for (let taken = 0; taken < 12; taken++) assert.ok(first?.take('a').isAllowed);
  assert.equal(count(second as MemoryBudget, 'a'), 8);
  assert.equal(first?.hasLeft('a'), false);
  assert.equal(count(new MemoryBudget(tokenRule, clock, memory, 3), 'a'), 1);
  assert.ok(new MemoryLimiter(1, clock, memory, 4).decide('a').isAllowed);
});

test('a visitor who clicks fast never meets the limit of pages, and a flood gets four a second', () => {
  const budget = new MemoryBudget(pageRule, clock);
  const open = (client: string, pages: number, intervalMs: number) => {
    let refused = 0;
    for (let page = 0; page < pages; page++) {
      refused += Number(!budget.take(client).isAllowed);
      now += intervalMs;
    }
    return refused;
  };
  assert.equal(open('visitor', 200, 333), 0);
  assert.equal(open('visitor', 60, 0), 0, 'so many tabs at once');
  assert.equal(open('two visitors', 350, 166), 0);
  assert.equal(open('flood', 6000, 10), 6000 - pageRule.burst - 60 * 4 + 1);
});
