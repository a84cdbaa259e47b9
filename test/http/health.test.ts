/** What the health check notices, and how often it asks. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Catalogue } from '../../src/catalogue/catalogue.ts';
import { until } from '../support/until.ts';
import { importKnownCatalogue } from '../support/zukan/service.ts';
import { startWrapped } from '../support/zukan/wrapped-catalogue.ts';

describe('/health/ready and /metrics share one check per second', async () => {
  const config = await importKnownCatalogue();
  let [calls, arrived, now] = [0, 0, 1_000_000];
  let respond = (statistics: () => Promise<unknown>) => statistics();
  const wrap = (catalogue: Catalogue): Catalogue =>
    new Proxy(catalogue, {
      get: (target, name) => {
        const method = Reflect.get(target, name).bind(target);
        if (name !== 'statistics') return method;
        calls++;
        return () => respond(method);
      },
    });
  const get = await startWrapped(config, wrap, () => {
    arrived++;
    return now;
  });
  const ask = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => get(n % 2 ? '/metrics' : '/health/ready')));

  test('one look for many requests, and another one a second later', async () => {
    for (const answer of [...(await ask(20)), ...(await ask(20))]) assert.equal(answer.status, 200);
    assert.equal(calls, 1);
    now += 1000;
    await ask(20);
    assert.equal(calls, 2);
  });

  test('looks again when the clock is set back', async () => {
    now -= 3_600_000;
    await ask(1);
    assert.equal(calls, 3);
  });

  test('never more than one at a time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    respond = (statistics) => promise.then(statistics);
    now += 1000;
    const first = ask(2);
    await until('the check runs', () => calls === 4);
    now += 5000;
    const before = arrived;
    const second = get('/health/ready');
    await until('the second request waits', () => arrived > before);
    resolve();
    await Promise.all([first, second]);
    assert.equal(calls, 4);
  });
});
