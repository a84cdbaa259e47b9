/** The rate limit and the budgets of one process, in bounded memory that its threads may share. */
import { randomInt } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { lock, takeOver, unlock } from '../../lib/concurrency.ts';
import {
  type BudgetRule,
  blockedState,
  type ClientBudget,
  type Decision,
  decide,
  expiresAt,
  freshState,
  goodState,
  type Limiter,
  MAX_VIOLATIONS,
  type Rate,
  type RateState,
  rateOf,
} from '../rate.ts';

// The states of many clients in memory that the threads of a process may share: a set-associative table. A keyed hash gives each
// client a tag and a set of slots, in any of which its state may be. If a set is full, the client goes whose state would expire
// first. Sets share locks, and each request also looks at a few slots of its lock and drops what has expired.

/** Slots of a set. Blocked clients get at most half of them, or they would evict everybody else. */
const WAYS = 32;
const LOCKS = 64;
/** More than one, to drop clients faster than new ones arrive. */
const SWEPT_PER_REQUEST = 3;
const STORED_VIOLATIONS = MAX_VIOLATIONS - 1;

/** What a slot holds: nothing, a client with so many violations more than `GOOD`, or a blocked client. */
const EMPTY = 0;
const GOOD = 1;
const BLOCKED = GOOD + MAX_VIOLATIONS;

/** The seed of the hash and the number of sets, and then for each lock its word and where its sweep continues. */
const HEADER_WORDS = 4;
/** As many words as a cache line of the processor has. */
const LOCK_WORDS = 16;
const HEADER_BYTES = 4 * (HEADER_WORDS + LOCKS * LOCK_WORDS);
const SLOT_BYTES = 8 + STORED_VIOLATIONS * 8 + 2 * 4 + 1;

/** Beyond this many clients, some are forgotten even though their state has not expired. */
const MAX_CLIENTS = 500_000;

/** The system provides the memory only when it is written to. */
export function createLimiterMemory(maxClients = MAX_CLIENTS): SharedArrayBuffer {
  const sets = Math.ceil(maxClients / WAYS);
  const memory = new SharedArrayBuffer(HEADER_BYTES + sets * WAYS * SLOT_BYTES);
  const words = new Int32Array(memory);
  words.set([randomInt(2 ** 31), randomInt(2 ** 31), sets]);
  for (let index = 0; index < LOCKS && index < sets; index++) words[wordOf(index) + 1] = index * WAYS;
  return memory;
}

/** Each kind of data has its own array, so that the times of violations occupy memory for few clients. */
export class ClientTable {
  readonly #owner: number;
  readonly #words: Int32Array<SharedArrayBuffer>;
  readonly #sets: number;
  /** The next arrival, or the end of the block. */
  readonly #times: Float64Array;
  readonly #violations: Float64Array;
  readonly #tags: Int32Array;
  readonly #kinds: Uint8Array;
  /** The client that is locked: its tag, its lock, the first slot of its set, and its own one or -1. */
  readonly #tag = new Int32Array(2);
  #lock = 0;
  #first = 0;
  #slot = -1;

  /** `owner` identifies this thread: see `lock`. */
  constructor(memory: SharedArrayBuffer, owner: number) {
    this.#owner = owner;
    this.#words = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.#sets = this.#words[2] as number;
    const slots = this.#sets * WAYS;
    const end = HEADER_BYTES + slots * 8 * MAX_VIOLATIONS;
    this.#times = new Float64Array(memory, HEADER_BYTES, slots);
    this.#violations = new Float64Array(memory, HEADER_BYTES + slots * 8, slots * STORED_VIOLATIONS);
    this.#tags = new Int32Array(memory, end, slots * 2);
    this.#kinds = new Uint8Array(memory, end + slots * 8, slots);
  }

  get size(): number {
    return this.#kinds.reduce((size, kind) => (kind === EMPTY ? size : size + 1), 0);
  }

  countBlocked(now: number): number {
    let count = 0;
    for (let slot = 0; slot < this.#kinds.length; slot++)
      if (this.#kinds[slot] === BLOCKED && (this.#times[slot] as number) > now) count++;
    return count;
  }

  /** Nothing may be awaited until `unlock`. */
  lock(client: string): void {
    hashName(client, this.#words[0] as number, this.#words[1] as number, this.#tag);
    const set = ((this.#tag[0] as number) >>> 0) % this.#sets;
    this.#lock = wordOf(set % LOCKS);
    lock(this.#words, this.#lock, this.#owner);
    this.#first = set * WAYS;
    this.#slot = this.#find();
  }

  unlock(): void {
    unlock(this.#words, this.#lock);
  }

  /** The state of the locked client. */
  read(): RateState {
    if (this.#slot < 0) return freshState;
    const kind = this.#kinds[this.#slot] as number;
    const time = this.#times[this.#slot] as number;
    if (kind === BLOCKED) return blockedState(time);
    if (kind === GOOD) return goodState(time);
    const start = this.#slot * STORED_VIOLATIONS;
    const violations = Array.from(this.#violations.subarray(start, start + kind - GOOD));
    return { nextArrival: time, violations, blockedUntil: 0 };
  }

  /** Stores the state of the locked client, and drops some that have expired or do not fit any more. */
  write(state: RateState, now: number): void {
    this.#sweep(now);
    const isBlocked = state.blockedUntil > now;
    const wasBlocked = this.#slot >= 0 && this.#kinds[this.#slot] === BLOCKED;
    if (isBlocked && !wasBlocked && this.#countBlockedInSet() >= WAYS / 2)
      this.#kinds[this.#firstToExpire(true)] = EMPTY;
    if (this.#slot < 0) this.#slot = this.#firstToExpire(false);
    const slot = this.#slot;
    // If the thread dies meanwhile, only this client is forgotten.
    this.#kinds[slot] = EMPTY;
    this.#tags.set(this.#tag, 2 * slot);
    this.#times[slot] = isBlocked ? state.blockedUntil : state.nextArrival;
    if (state.violations.length > 0) this.#violations.set(state.violations, slot * STORED_VIOLATIONS);
    this.#kinds[slot] = isBlocked ? BLOCKED : GOOD + state.violations.length;
  }

  /** Frees the locks of a thread that has died. */
  releaseLocksOf(dead: number): void {
    for (let index = 0; index < LOCKS; index++)
      if (takeOver(this.#words, wordOf(index), dead, this.#owner)) unlock(this.#words, wordOf(index));
  }

  #find(): number {
    const [first, second] = this.#tag as unknown as [number, number];
    for (let slot = this.#first; slot < this.#first + WAYS; slot++)
      if (
        this.#tags[2 * slot] === first &&
        this.#tags[2 * slot + 1] === second &&
        this.#kinds[slot] !== EMPTY
      )
        return slot;
    return -1;
  }

  #countBlockedInSet(): number {
    let count = 0;
    for (let slot = this.#first; slot < this.#first + WAYS; slot++)
      if (this.#kinds[slot] === BLOCKED) count++;
    return count;
  }

  /** Of the clients in the set that are blocked or not, as asked; a free slot is the first one of those that are not. */
  #firstToExpire(isBlocked: boolean): number {
    let [first, earliest] = [-1, Number.POSITIVE_INFINITY];
    for (let slot = this.#first; slot < this.#first + WAYS; slot++) {
      if ((this.#kinds[slot] === BLOCKED) !== isBlocked) continue;
      const expiry = this.#expiryOf(slot);
      if (expiry < earliest) [first, earliest] = [slot, expiry];
    }
    return first;
  }

  /** Looks at the next slots of the sets that share the lock, other than that of the locked client. */
  #sweep(now: number): void {
    const hand = this.#lock + 1;
    for (let swept = 0; swept < SWEPT_PER_REQUEST; swept++) {
      const slot = this.#words[hand] as number;
      const next = slot % WAYS === WAYS - 1 ? slot + 1 + (LOCKS - 1) * WAYS : slot + 1;
      this.#words[hand] = next < this.#kinds.length ? next : ((this.#first / WAYS) % LOCKS) * WAYS;
      if (slot !== this.#slot && this.#expiryOf(slot) <= now) this.#kinds[slot] = EMPTY;
    }
  }

  /** The same as `expiresAt` of its state, without reading all of that. */
  #expiryOf(slot: number): number {
    const kind = this.#kinds[slot] as number;
    const time = this.#times[slot] as number;
    if (kind === EMPTY) return 0;
    if (kind === GOOD || kind === BLOCKED) return time;
    const last = this.#violations[slot * STORED_VIOLATIONS + kind - GOOD - 1] as number;
    return expiresAt({ nextArrival: time, violations: [last], blockedUntil: 0 });
  }
}

const wordOf = (index: number): number => HEADER_WORDS + index * LOCK_WORDS;

/**
 * HalfSipHash-1-3 with 64 bits. Clients cannot choose their addresses so that they collide, because they do not know the seed.
 * A name is ASCII.
 */
function hashName(name: string, seed0: number, seed1: number, result: Int32Array): void {
  const words = (name.length >> 2) + 1;
  let v0 = seed0;
  let v1 = seed1 ^ 0xee;
  let v2 = 0x6c796765 ^ seed0;
  let v3 = 0x74656462 ^ seed1;
  for (let turn = 0; turn < words + 6; turn++) {
    const word = turn < words ? wordAt(name, turn) : 0;
    if (turn === words) v2 ^= 0xee;
    if (turn === words + 3) {
      result[0] = v1 ^ v3;
      v1 ^= 0xdd;
    }
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = rotate(v1, 5) ^ v0;
    v0 = rotate(v0, 16);
    v2 = (v2 + v3) | 0;
    v3 = rotate(v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotate(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotate(v1, 13) ^ v2;
    v2 = rotate(v2, 16);
    v0 ^= word;
  }
  result[1] = v1 ^ v3;
}

/** Four characters, or those that are left and the length. */
function wordAt(name: string, index: number): number {
  let word = name.length < 4 * index + 4 ? name.length << 24 : 0;
  const end = Math.min(name.length, 4 * index + 4);
  for (let at = 4 * index; at < end; at++) word |= name.charCodeAt(at) << (8 * (at & 3));
  return word;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Each thread counts `performance.now` from its own start. */
const THREAD_START = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Monotonic, because setting the system clock back must not block anyone, and the same in all threads. */
export const steadyClock: Clock = () => THREAD_START + performance.now();

export class MemoryLimiter implements Limiter {
  readonly perSecond: number;
  readonly #clock: Clock;
  readonly #rate: Rate;
  readonly #clients: ClientTable;

  /** The clock must be the same in all threads that share the memory. `owner` identifies this one: see `lock`. */
  constructor(perSecond: number, clock: Clock, memory = createLimiterMemory(), owner = 1) {
    this.perSecond = perSecond;
    this.#clock = clock;
    this.#rate = rateOf(perSecond);
    this.#clients = new ClientTable(memory, owner);
  }

  get size(): number {
    return this.#clients.size;
  }

  decide(client: string): Decision {
    return this.#update(client, (state, now) => decide(this.#rate, state, now)).decision;
  }

  /** Blocks a client for `wait` milliseconds, as another limiter decided. */
  block(client: string, wait: number): void {
    this.#update(client, (_state, now) => ({ state: blockedState(now + wait) }));
  }

  /** How many whole milliseconds of a block are left. A block that has ended is forgotten. */
  blockedFor(client: string): number {
    this.#clients.lock(client);
    try {
      const { blockedUntil } = this.#clients.read();
      if (blockedUntil === 0) return 0;
      const now = this.#clock();
      if (blockedUntil <= now) this.#clients.write(freshState, now);
      return Math.max(0, Math.ceil(blockedUntil - now));
    } finally {
      this.#clients.unlock();
    }
  }

  blockedClients(): number {
    return this.#clients.countBlocked(this.#clock());
  }

  degradedReason(): undefined {
    return undefined;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  /** Another thread may have decided since this one last read the clock, so it is read under the lock. */
  #update<T extends { state: RateState }>(client: string, change: (state: RateState, now: number) => T): T {
    this.#clients.lock(client);
    try {
      const now = this.#clock();
      const state = this.#clients.read();
      const changed = change(state, now);
      // That of a blocked client stays the same.
      if (changed.state !== state) this.#clients.write(changed.state, now);
      return changed;
    } finally {
      this.#clients.unlock();
    }
  }
}

const MAX_BUDGET_CLIENTS = 20_000;

/** Shared too, so that a budget does not multiply with the number of workers. */
export class MemoryBudget implements ClientBudget {
  readonly #rule: BudgetRule;
  readonly #clock: Clock;
  readonly #clients: ClientTable;

  /** The memory may be that of a limiter with the same clock. `owner` identifies this thread: see `lock`. */
  constructor(
    rule: BudgetRule,
    clock: Clock = steadyClock,
    memory = createLimiterMemory(MAX_BUDGET_CLIENTS),
    owner = 1,
  ) {
    this.#rule = rule;
    this.#clock = clock;
    this.#clients = new ClientTable(memory, owner);
  }

  hasLeft(client: string): boolean {
    return this.#spend(client, false).isAllowed;
  }

  take(client: string): Decision {
    return this.#spend(client, true);
  }

  #spend(client: string, isTaken: boolean): Decision {
    const { name, burst, intervalMs } = this.#rule;
    this.#clients.lock(`${name} ${client}`);
    try {
      const now = this.#clock();
      const latest = now + burst * intervalMs;
      // When the budget is full again. A later time than possible was recorded before the clock was set back.
      const known = this.#clients.read().nextArrival;
      const fullAt = Math.max(now, known <= latest ? known : 0) + intervalMs;
      const isAllowed = fullAt <= latest;
      if (isTaken && isAllowed) this.#clients.write(goodState(fullAt), now);
      const room = latest - fullAt - (isAllowed ? intervalMs : 0);
      const wait = Math.max(0, Math.ceil(-room));
      const remaining = Math.max(0, Math.floor(room / intervalMs) + 1);
      return { isAllowed, isBlocked: false, wait, remaining, refusalsLeft: MAX_VIOLATIONS };
    } finally {
      this.#clients.unlock();
    }
  }
}
