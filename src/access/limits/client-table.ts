/**
 * The states of many clients in memory that the threads of a process may share. Clients are spread over shards. Each shard is a
 * hash table with a lock, and a sweep cycles through its clients, a few per request, and drops those that have expired.
 */
import { lock, takeOver, unlock } from '../../lib/thread-locks.ts';
import { blockedState, expiresAt, freshState, goodState, type RateState } from '../rate.ts';
import {
  BLOCKED,
  BLOCKED_SIZE,
  CHANGING,
  type ClientMemory,
  EMPTY,
  FIRST_FREE,
  GOOD,
  HAND,
  hashKey,
  headerOf,
  isKeyAt,
  KEY_WORDS,
  LOCK,
  SHARDS,
  STORED_VIOLATIONS,
  USED,
  viewClientMemory,
  writeKey,
} from './client-memory.ts';

/** More than one, to drop clients faster than new ones arrive. */
const SWEPT_PER_REQUEST = 2;

export class ClientTable {
  readonly #owner: number;
  readonly #memory: ClientMemory;
  readonly #words: ClientMemory['words'];
  readonly #key = new Int32Array(KEY_WORDS);
  /** The client whose shard is locked: the header of the shard, its first slot, the bucket, and the slot or 0. */
  #header = 0;
  #first = 0;
  #bucket = 0;
  #slot = 0;

  /** `owner` identifies this thread: see `lock`. */
  constructor(memory: SharedArrayBuffer, owner: number) {
    this.#owner = owner;
    this.#memory = viewClientMemory(memory);
    this.#words = this.#memory.words;
  }

  get size(): number {
    return this.#memory.kinds.reduce((size, kind) => (kind === EMPTY ? size : size + 1), 0);
  }

  countBlocked(now: number): number {
    let count = 0;
    for (let slot = 0; slot < this.#memory.kinds.length; slot++)
      if (this.#memory.kinds[slot] === BLOCKED && (this.#memory.times[slot] as number) > now) count++;
    return count;
  }

  /** Locks the client's shard. Nothing may be awaited until `unlock`. */
  lock(client: string): void {
    writeKey(client, this.#key);
    const hash = this.#hash(this.#key, 0);
    this.#enter(hash % SHARDS);
    lock(this.#words, this.#header + LOCK, this.#owner);
    this.#bucket = this.#bucketOf(hash);
    this.#slot = this.#memory.heads[this.#bucket] as number;
    while (this.#slot > 0 && !isKeyAt(this.#memory.keys, (this.#slot - 1) * KEY_WORDS, this.#key))
      this.#slot = this.#memory.next[this.#slot - 1] as number;
  }

  unlock(): void {
    unlock(this.#words, this.#header + LOCK);
  }

  /** The state of the locked client. */
  read(): RateState {
    return this.#slot === 0 ? freshState : this.#stateIn(this.#slot);
  }

  /** Stores the state of the locked client, and drops some that have expired or do not fit any more. */
  write(state: RateState, now: number): void {
    if (this.#slot === 0) this.#slot = this.#add();
    const isBlocked = state.blockedUntil > now;
    this.#change(this.#slot, () => {
      this.#setKind(this.#slot, isBlocked ? BLOCKED : GOOD + state.violations.length);
      this.#memory.times[this.#slot - 1] = isBlocked ? state.blockedUntil : state.nextArrival;
      if (state.violations.length > 0)
        this.#memory.violations.set(state.violations, (this.#slot - 1) * STORED_VIOLATIONS);
    });
    for (let swept = 0; swept < SWEPT_PER_REQUEST; swept++) {
      const slot = this.#advance();
      if (this.#kindOf(slot) !== EMPTY && this.#expiryOf(slot) <= now) this.#drop(slot);
    }
    // Blocked clients get at most half of the memory, or they would evict everybody else.
    if (this.#count(BLOCKED_SIZE) > this.#memory.perShard / 2) this.#evict(true);
  }

  /** Frees the locks of a thread that has died. The client that it was about to change is forgotten. */
  releaseLocksOf(dead: number): void {
    for (let shard = 0; shard < SHARDS; shard++) {
      if (!takeOver(this.#words, headerOf(shard) + LOCK, dead, this.#owner)) continue;
      this.#enter(shard);
      this.#rebuild();
      this.unlock();
    }
  }

  #enter(shard: number): void {
    this.#header = headerOf(shard);
    this.#first = shard * this.#memory.perShard;
  }

  #hash(keys: Int32Array, from: number): number {
    return hashKey(keys, from, this.#memory.seed0, this.#memory.seed1);
  }

  #bucketOf(hash: number): number {
    return this.#first + (Math.floor(hash / SHARDS) % this.#memory.perShard);
  }

  #stateIn(slot: number): RateState {
    const kind = this.#kindOf(slot);
    const time = this.#memory.times[slot - 1] as number;
    if (kind === BLOCKED) return blockedState(time);
    if (kind === GOOD) return goodState(time);
    const violations: number[] = [];
    for (let index = 0; index < kind - GOOD; index++) violations.push(this.#violationIn(slot, index));
    return { nextArrival: time, violations, blockedUntil: 0 };
  }

  /** The same as `expiresAt` of its state, without reading all of that. */
  #expiryOf(slot: number): number {
    const kind = this.#kindOf(slot);
    const time = this.#memory.times[slot - 1] as number;
    if (kind === GOOD || kind === BLOCKED) return time;
    const last = this.#violationIn(slot, kind - GOOD - 1);
    return expiresAt({ nextArrival: time, violations: [last], blockedUntil: 0 });
  }

  #violationIn(slot: number, index: number): number {
    return this.#memory.violations[(slot - 1) * STORED_VIOLATIONS + index] as number;
  }

  /** Puts the locked client into a free slot. */
  #add(): number {
    if (this.#count(FIRST_FREE) === 0 && this.#count(USED) === this.#memory.perShard) this.#evict(false);
    const free = this.#count(FIRST_FREE);
    const slot = free || this.#first + this.#count(USED) + 1;
    this.#change(slot, () => {
      if (free) this.#set(FIRST_FREE, this.#memory.next[slot - 1] as number);
      else this.#set(USED, this.#count(USED) + 1);
      this.#memory.keys.set(this.#key, (slot - 1) * KEY_WORDS);
      this.#setKind(slot, GOOD);
      this.#link(slot, this.#bucket);
    });
    return slot;
  }

  /** Drops the next client that is blocked or not, as asked, other than the locked one. */
  #evict(isBlocked: boolean): void {
    for (;;) {
      const slot = this.#advance();
      const kind = this.#kindOf(slot);
      if (slot !== this.#slot && kind !== EMPTY && (kind === BLOCKED) === isBlocked) {
        this.#drop(slot);
        return;
      }
    }
  }

  /** The next slot of the sweep. */
  #advance(): number {
    const hand = this.#count(HAND) % this.#count(USED);
    this.#set(HAND, hand + 1);
    return this.#first + hand + 1;
  }

  #drop(slot: number): void {
    if (slot === this.#slot) return;
    const bucket = this.#bucketOf(this.#hash(this.#memory.keys, (slot - 1) * KEY_WORDS));
    this.#change(slot, () => {
      const next = this.#memory.next[slot - 1] as number;
      let before = this.#memory.heads[bucket] as number;
      if (before === slot) this.#memory.heads[bucket] = next;
      else {
        while (this.#memory.next[before - 1] !== slot) before = this.#memory.next[before - 1] as number;
        this.#memory.next[before - 1] = next;
      }
      this.#setKind(slot, EMPTY);
      this.#free(slot);
    });
  }

  #free(slot: number): void {
    this.#memory.next[slot - 1] = this.#count(FIRST_FREE);
    this.#set(FIRST_FREE, slot);
  }

  #link(slot: number, bucket: number): void {
    this.#memory.next[slot - 1] = this.#memory.heads[bucket] as number;
    this.#memory.heads[bucket] = slot;
  }

  /** If the thread dies meanwhile, the slot is known to be damaged. */
  #change(slot: number, change: () => void): void {
    this.#set(CHANGING, slot);
    change();
    this.#set(CHANGING, 0);
  }

  /** Everything but the clients themselves follows from them. */
  #rebuild(): void {
    const damaged = this.#count(CHANGING);
    if (damaged > 0) this.#memory.kinds[damaged - 1] = EMPTY;
    this.#memory.heads.fill(0, this.#first, this.#first + this.#memory.perShard);
    for (const word of [FIRST_FREE, BLOCKED_SIZE, CHANGING]) this.#set(word, 0);
    for (let slot = this.#first + 1; slot <= this.#first + this.#count(USED); slot++) {
      const kind = this.#kindOf(slot);
      if (kind === EMPTY) {
        this.#free(slot);
        continue;
      }
      if (kind === BLOCKED) this.#set(BLOCKED_SIZE, this.#count(BLOCKED_SIZE) + 1);
      this.#link(slot, this.#bucketOf(this.#hash(this.#memory.keys, (slot - 1) * KEY_WORDS)));
    }
  }

  #kindOf(slot: number): number {
    return this.#memory.kinds[slot - 1] as number;
  }

  #setKind(slot: number, kind: number): void {
    const before = this.#kindOf(slot);
    this.#memory.kinds[slot - 1] = kind;
    this.#set(
      BLOCKED_SIZE,
      this.#count(BLOCKED_SIZE) + Number(kind === BLOCKED) - Number(before === BLOCKED),
    );
  }

  /** A word of the locked shard's header. */
  #count(word: number): number {
    return this.#words[this.#header + word] as number;
  }

  #set(word: number, value: number): void {
    this.#words[this.#header + word] = value;
  }
}
