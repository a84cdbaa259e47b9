/** The states of many clients. A sweep cycles through them, a few per request, and drops those that have expired. */
import { expiresAt, goodState, type RateState } from '../access/rate.ts';

/** Most clients have no violations. Their state is one number, the next arrival, which takes a quarter of the memory. */
type PackedState = number | RateState;

/** A growing Map rehashes all of its entries: 100 ms for one map of all clients, at most 2 ms for a shard. */
const SHARDS = 64;
/** More than one, to drop clients faster than new ones arrive. */
const SWEPT_PER_REQUEST = 2;

export class ClientTable {
  readonly #shards = Array.from({ length: SHARDS }, () => new Map<string, PackedState>());
  readonly #sweep = this.#startSweep();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many clients have a state that has not expired. */
  countLive(now: number): number {
    let count = 0;
    for (const shard of this.#shards)
      for (const packed of shard.values()) if (expiryOf(packed) > now) count++;
    return count;
  }

  get(client: string): RateState | undefined {
    const packed = this.#size === 0 ? undefined : this.#shardOf(client).get(client);
    return packed === undefined ? undefined : unpack(packed);
  }

  set(client: string, state: RateState): void {
    const shard = this.#shardOf(client);
    const sizeBefore = shard.size;
    shard.set(client, pack(state));
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
        for (const [client, packed] of shard) {
          if (expiryOf(packed) <= now) this.delete(client);
          now = yield;
        }
        now = yield;
      }
    }
  }

  #shardOf(client: string): Map<string, PackedState> {
    return this.#shards[hash(client) % SHARDS] as Map<string, PackedState>;
  }
}

function pack(state: RateState): PackedState {
  return state.violations.length === 0 && state.blockedUntil === 0 ? state.nextArrival : state;
}

function unpack(packed: PackedState): RateState {
  return typeof packed === 'number' ? goodState(packed) : packed;
}

function expiryOf(packed: PackedState): number {
  return typeof packed === 'number' ? packed : expiresAt(packed);
}

function hash(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) >>> 0;
  return sum;
}
