/** The warning about a proxy that hides its clients. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hiddenClientsRule, SharedAddressWatch } from '../../src/access/clients.ts';
import { MemoryBudget } from '../../src/access/limits/memory.ts';

const MINUTE = 60_000;
const times = (count: number, client: string) => Array.from({ length: count }, () => client);
const visitors = (count: number) => Array.from({ length: count }, (_, index) => `203.0.113.${index}`);

let now = Date.parse('2026-05-01');

/** What the log says after each minute, in which these clients call. */
function warningsAfter(...minutes: string[][]): string[][] {
  const warned: string[] = [];
  const budget = new MemoryBudget(hiddenClientsRule, () => now);
  const watch = new SharedAddressWatch(budget, (address) => warned.push(address));
  watch.count('198.51.100.1', now);
  return minutes.map((clients) => {
    now += MINUTE;
    for (const client of clients) watch.count(client, now);
    now += MINUTE;
    watch.count('198.51.100.1', now);
    return warned.splice(0);
  });
}

describe('warns about', () => {
  for (const address of ['172.28.0.1', '127.0.0.1', '10.1.2.3', '192.168.1.1', '100.64.0.1', '169.254.1.1'])
    test(address, () => assert.deepEqual(warningsAfter(times(20, address)), [[address]]));
  for (const network of ['fd00:1:2:3::/64', 'fe80:0:0:0::/64', '0:0:0:0::/64'])
    test(network, () => assert.deepEqual(warningsAfter(times(20, network)), [[network]]));
});

describe('does not warn about', () => {
  const cases: Record<string, string[]> = {
    'a public address': times(30, '203.0.113.9'),
    'a public network': times(30, '2001:db8:1:2::/64'),
    'an unknown address': times(30, 'unknown'),
    'a few requests': times(18, '127.0.0.1'),
    'less than half of all requests': [...times(30, '127.0.0.1'), ...visitors(31)],
  };
  for (const [what, clients] of Object.entries(cases))
    test(what, () => assert.deepEqual(warningsAfter(clients), [[]]));
});

test('three quarters are noticed among others, in any order', () => {
  const [proxy, others] = [times(60, '172.17.0.1'), visitors(20)];
  const mixed = others.flatMap((other, index) => [other, ...proxy.slice(index * 3, index * 3 + 3)]);
  for (const clients of [[...proxy, ...others], [...others, ...proxy], mixed])
    assert.deepEqual(warningsAfter(clients), [['172.17.0.1']]);
});

test('warns once per hour and address, and when the clock was set back', () => {
  const [first, second] = [times(20, '10.0.0.1'), times(20, '10.0.0.2')];
  assert.deepEqual(warningsAfter(first, first, second), [['10.0.0.1'], [], ['10.0.0.2']]);
  const hour = Array.from({ length: 40 }, () => first);
  assert.equal(warningsAfter(...hour).flat().length, 2);
});
