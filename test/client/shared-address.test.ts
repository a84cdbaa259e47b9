/** Programs that share an address: each has its own client, and the service counts them as one. Time is virtual. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ZukanError } from '../../client/index.ts';
import { Transport } from '../../client/transport.ts';
import { createLimiterMemory, MemoryLimiter } from '../../src/access/limits/memory.ts';
import { admit } from '../../src/api/call.ts';
import type { Services } from '../../src/api/endpoint.ts';
import { ApiError, type Exchange } from '../../src/http/exchange.ts';
import { atDepth } from '../support/depth.ts';
import { seededRandomInt } from '../support/zukan/service.ts';

const MINUTES = 10;
const END = MINUTES * 60_000;

/** Time goes on when everything waits. */
class VirtualTime {
  #now = 0;
  #sleepers: { at: number; wake: () => void }[] = [];
  readonly now = () => this.#now;
  readonly sleep = (milliseconds: number) =>
    new Promise<void>((wake) => {
      const at = this.#now + milliseconds;
      const later = this.#sleepers.findIndex((sleeper) => sleeper.at > at);
      this.#sleepers.splice(later < 0 ? this.#sleepers.length : later, 0, { at, wake });
    });

  async run(end: number): Promise<void> {
    for (;;) {
      await setImmediate();
      const next = this.#sleepers.shift();
      if (!next || next.at > end) return;
      this.#now = next.at;
      next.wake();
    }
  }
}

interface Run {
  /** When each client was served. */
  served: number[][];
  refusals: number;
  isBlocked: boolean;
  errors: ZukanError[];
}

/** Clients that call without a pause, from different moments within `spread` on. */
async function simulate(seed: number, clients: number, spread: number, perSecond = 1): Promise<Run> {
  const randomInt = seededRandomInt(seed);
  const random = () => randomInt(2 ** 30) / 2 ** 30;
  const time = new VirtualTime();
  const limiter = new MemoryLimiter(perSecond, time.now, createLimiterMemory(2));
  const run: Run = { served: [], refusals: 0, isBlocked: false, errors: [] };
  const services = {
    limiter,
    clientOf: () => '203.0.113.1',
    isInExemptNetwork: () => false,
    noticeClient() {},
    decisions: {
      count({ isAllowed, isBlocked }: { isAllowed: boolean; isBlocked: boolean }) {
        if (!isAllowed) run.refusals++;
        if (isBlocked) run.isBlocked = true;
      },
    },
  } as unknown as Services;
  const latency = () => time.sleep(2 + random() * 40);
  const fetch = async () => {
    await latency();
    let headers: Record<string, string> = {};
    const exchange = { request: { headers: {} }, headers: (added: typeof headers) => (headers = added) };
    const refusal = await admit(services, exchange as unknown as Exchange);
    await latency();
    const isRefused = refusal instanceof ApiError;
    return {
      ...{ ok: !isRefused, status: isRefused ? 429 : 200 },
      headers: new Headers(isRefused ? refusal.headers : headers),
      text: async () => '{ "success": true }',
    } as Response;
  };
  for (let client = 0; client < clients; client++) {
    const served: number[] = [];
    run.served.push(served);
    const transport = new Transport({ origin: 'http://example.org', fetch }, time, random);
    void (async () => {
      for (await time.sleep(random() * spread); ; )
        try {
          await transport.get('/stats', {}, {});
          served.push(time.now());
        } catch (error) {
          run.errors.push(error as ZukanError);
          await time.sleep(END);
        }
    })();
  }
  await time.run(END);
  return run;
}

/** The longest time that one of the clients was not served. */
const longestGap = ({ served }: Run) =>
  Math.max(
    ...served.map((times) => Math.max(...[...times, END].map((at, index) => at - (times[index - 1] ?? 0)))),
  );

for (const [name, spread] of Object.entries({
  'at once': 50,
  'within three seconds': 3000,
  'one by one': 30_000,
}))
  test(`two to eight clients that start ${name} are all served for ten minutes, and never blocked`, async () => {
    for (let clients = 2; clients <= 8; clients++)
      for (let seed = 1; seed <= atDepth(2, 100); seed++) {
        const run = await simulate(seed, clients, spread);
        const label = `${clients} clients, seed ${seed}: ${run.refusals} refusals`;
        assert.equal(run.isBlocked, false, label);
        // More than six may come near a block if they are unlucky.
        if (clients > 6 && run.errors.length > 0) continue;
        assert.deepEqual(run.errors, [], label);
        assert.ok(longestGap(run) < 90_000, `${label}, a gap of ${longestGap(run)} ms`);
      }
  });
