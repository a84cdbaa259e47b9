/** The rate limit of one process, in bounded memory. */
import { decide, forgettableFrom, freshState, type RateState } from '../access/rate.ts';
import type { Clock, Decision, Limiter } from '../model.ts';

/** The time of day as it was when the process began, and steady since: setting the clock back must not block anyone. */
export const steadyClock: Clock = () => performance.timeOrigin + performance.now();

/** More clients than this are not remembered at a time; beyond, one is forgotten for each that comes. */
const MOST_CLIENTS = 500_000;
/** How many clients each decision looks at to see whether they can be forgotten. */
const LOOKED_AT = 2;

export class MemoryLimiter implements Limiter {
  readonly #clock: Clock;
  readonly #clients = new Map<string, RateState>();
  /** Goes round the clients, a few steps a decision, so that forgetting never takes long at a time. */
  #round = this.#clients.entries();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#clients.size;
  }

  async decide(client: string): Promise<Decision> {
    const now = this.#clock();
    this.#forget(now);
    const { state, decision } = decide(this.#clients.get(client) ?? freshState, now);
    this.#clients.set(client, state);
    return decision;
  }

  isDegraded(): boolean {
    return false;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  #forget(now: number): void {
    for (let looked = 0; looked < LOOKED_AT; looked++) {
      const { value, done } = this.#round.next();
      if (done) {
        this.#round = this.#clients.entries();
        return;
      }
      const [client, state] = value;
      if (forgettableFrom(state) <= now || this.#clients.size >= MOST_CLIENTS) this.#clients.delete(client);
    }
  }
}
