/** The rate limit of one process, in bounded memory. */

import type { Decision } from '../access/rate.ts';
import { decide, forgettableFrom, freshState, type RateState } from '../access/rate.ts';
import type { Clock } from '../clock.ts';
import type { Limiter } from './limiter.ts';

/** The time of day as it was when the process began, and steady since: setting the clock back must not block anyone. */
export const steadyClock: Clock = () => performance.timeOrigin + performance.now();

/** More clients than this are not remembered at a time; beyond, one is forgotten for each that comes. */
const MAX_CLIENTS = 500_000;
/** How many clients each decision looks at to see whether they can be forgotten. */
const LOOKED_AT = 2;
/** A map that grows is copied whole: of one for all clients that takes 100 ms, of one of so many no more than two. */
const MAPS = 64;

export class MemoryLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #maps = Array.from({ length: MAPS }, () => new Map<string, RateState>());
  /** Goes round the clients, a few steps a decision, so that forgetting never takes long at a time. */
  readonly #round = this.#goRound();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#size;
  }

  async decide(client: string): Promise<Decision> {
    const now = this.#clock();
    for (let looked = 0; looked < LOOKED_AT; looked++) this.#round.next(now);
    const clients = this.#maps[hash(client) % MAPS] as Map<string, RateState>;
    const before = clients.get(client);
    const { state, decision } = decide(before ?? freshState, now);
    clients.set(client, state);
    if (!before) this.#size++;
    return decision;
  }

  degradedReason(): undefined {
    return undefined;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  /** Looks at one client a step, and is told the time with each. */
  *#goRound(): Generator<void, never, number> {
    for (;;) {
      let now = yield;
      for (const clients of this.#maps) {
        for (const [client, state] of clients) {
          if (forgettableFrom(state) <= now || this.#size >= MAX_CLIENTS) {
            clients.delete(client);
            this.#size--;
          }
          now = yield;
        }
      }
    }
  }
}

function hash(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) >>> 0;
  return sum;
}
