/** The states of many clients. A sweep cycles through them, a few per request, and drops those that have expired. */
import { expiresAt, type RateState } from '../access/rate.ts';

/** A growing Map rehashes all of its entries: 100 ms for one map of all clients, at most 2 ms for a shard. */
const SHARDS = 64;
/** More than one, to drop clients faster than new ones arrive. */
const SWEPT_PER_REQUEST = 2;

export class ClientTable {
  readonly #shards = Array.from({ length: SHARDS }, () => new Map<string, RateState>());
  readonly #sweep = this.#startSweep();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(client: string): RateState | undefined {
    return this.#size === 0 ? undefined : this.#shardOf(client).get(client);
  }

  set(client: string, state: RateState): void {
    const shard = this.#shardOf(client);
    const sizeBefore = shard.size;
    shard.set(client, state);
    this.#size += shard.size - sizeBefore;
  }

  delete(client: string): void {
    if (this.#size > 0 && this.#shardOf(client).delete(client)) this.#size--;
  }

  /** Drops clients whose state has expired, and others until at most `maxSize` are left. */
  sweep(now: number, maxSize: number): void {
    for (let swept = 0; swept < SWEPT_PER_REQUEST && this.#size > 0; swept++) this.#sweep.next(now);
    while (this.#size > maxSize) this.#sweep.next(Number.POSITIVE_INFINITY);
  }

  /** Each step checks one client or moves to the next shard. It receives the time by which states must not have expired. */
  *#startSweep(): Generator<void, never, number> {
    let now = yield;
    for (;;) {
      for (const shard of this.#shards) {
        for (const [client, state] of shard) {
          if (expiresAt(state) <= now) this.delete(client);
          now = yield;
        }
        now = yield;
      }
    }
  }

  #shardOf(client: string): Map<string, RateState> {
    return this.#shards[hash(client) % SHARDS] as Map<string, RateState>;
  }
}

function hash(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) >>> 0;
  return sum;
}
