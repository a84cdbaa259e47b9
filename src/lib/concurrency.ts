/** Work on the event loop and in threads: what is long never delays other requests, and what runs at the same time is bounded. */
import { setImmediate as nextTick } from 'node:timers/promises';

// Scheduling on the event loop, so long work never delays other requests and short work runs in batches.

let last: Promise<void> = Promise.resolve();

/**
 * Resolves when the caller may compute for a few milliseconds. Only one caller gets a turn per tick: if ten searches ran a
 * slice each in the same tick, other requests would wait for ten slices.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(() => nextTick());
  return last;
}

/**
 * Collects the items of one tick and passes them on together at its end. Running the same step for many requests in a row,
 * instead of all steps of one request after the other, keeps the CPU caches warm. `schedule` chooses another moment.
 */
export function batchPerTick<T>(
  processBatch: (items: T[]) => void,
  schedule: (flush: () => void) => void = setImmediate,
): (item: T) => void {
  let items: T[] = [];
  const flush = () => {
    const batch = items;
    items = [];
    processBatch(batch);
  };
  return (item) => {
    if (items.push(item) === 1) schedule(flush);
  };
}

/**
 * The same, but the first batch of a tick runs as soon as whatever is running now has added its items. Another one in the same
 * tick waits for the next, so that calls which follow one another never keep requests waiting.
 */
export function batchAtOnce<T>(processBatch: (items: T[]) => void): (item: T) => void {
  let hasRun = false;
  const run = (batch: T[]) => {
    hasRun = true;
    setImmediate(() => {
      hasRun = false;
    });
    processBatch(batch);
  };
  return batchPerTick(run, (flush) => (hasRun ? setImmediate(flush) : process.nextTick(flush)));
}

// Work on many items: several at the same time, in batches, or as many as fit into a budget of memory.

/**
 * Runs `work` for each item, at most `concurrency` at a time. When one fails, no more are started; the error is thrown after
 * the running ones have ended, so the caller can clean up without interfering with them.
 */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  concurrency: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = numbered(items);
  let hasFailed = false;
  const runWorker = async () => {
    try {
      for (let next = await queue.next(); !next.done && !hasFailed; next = await queue.next())
        await work(...next.value);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, runWorker));
  const failed = workers.find((worker) => worker.status === 'rejected');
  if (failed) throw failed.reason;
}

async function* numbered<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<[T, number], void> {
  let index = 0;
  for await (const item of items) yield [item, index++];
}

/** Groups items, so that they can be handled together. The last batch may be smaller, and none is empty. */
export function* inBatches<T>(items: readonly T[], size: number): Generator<T[], void> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

/** The same for items that come one by one. */
export async function* streamBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[], void> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Changes items as they come. */
export async function* mapEach<T, U>(
  items: AsyncIterable<T>,
  change: (item: T) => U,
): AsyncGenerator<U, void> {
  for await (const item of items) yield change(item);
}

/** Bounds what work that runs at the same time takes, such as memory: what does not fit waits. */
export class Budget {
  readonly #max: number;
  readonly #maxWaiting: number;
  readonly #waiting: { amount: number; start: () => void }[] = [];
  #used = 0;

  constructor(max: number, maxWaiting = Number.POSITIVE_INFINITY) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  /** Whether nothing is left, and as many wait already as may. */
  get isFull(): boolean {
    return this.#used >= this.#max && this.#waiting.length >= this.#maxWaiting;
  }

  /**
   * Runs the work when there is room for the amount, in the order of the calls. Any amount may run alone. Rejects if the signal is
   * aborted while it waits.
   */
  async spend<T>(amount: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await new Promise<void>((start, reject) => {
      const turn = { amount, start };
      this.#waiting.push(turn);
      this.#startNext();
      signal?.addEventListener('abort', () => {
        const place = this.#waiting.indexOf(turn);
        if (place < 0) return;
        this.#waiting.splice(place, 1);
        reject(signal.reason);
        this.#startNext();
      });
    });
    try {
      return await work();
    } finally {
      this.#used -= amount;
      this.#startNext();
    }
  }

  #startNext(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#used > 0 && this.#used + next.amount > this.#max) return;
      this.#waiting.shift();
      this.#used += next.amount;
      next.start();
    }
  }
}

// Locks in memory that the threads of a process share: one that blocks, for moments, and a turn that is awaited, for longer work.
// Each names the thread that holds it, so the main thread can take it from a thread that has died.

const FREE = 0;
/** Added to the owner if other threads sleep until the lock is free. */
const CONTENDED = 2 ** 30;
/** A lock is held only for a moment, so it is usually free before a thread could fall asleep. */
const MAX_SPINS = 200;
/** Only a limit: a sleeping thread is woken. */
const MAX_SLEEP_MS = 10;

/** `owner` is a positive number below 2 ** 30 that no other thread of the process has or had. */
export function lock(words: Int32Array<SharedArrayBuffer>, index: number, owner: number): void {
  for (let spins = 0; spins < MAX_SPINS; spins++)
    if (Atomics.compareExchange(words, index, FREE, owner) === FREE) return;
  for (;;) {
    const held = Atomics.load(words, index);
    // Other threads may still sleep, so a thread that has slept wakes the next one.
    const contended = held === FREE ? owner | CONTENDED : held | CONTENDED;
    if (held !== contended && Atomics.compareExchange(words, index, held, contended) !== held) continue;
    if (held === FREE) return;
    Atomics.wait(words, index, contended, MAX_SLEEP_MS);
  }
}

export function unlock(words: Int32Array<SharedArrayBuffer>, index: number): void {
  if (Atomics.exchange(words, index, FREE) & CONTENDED) Atomics.notify(words, index, 1);
}

/** Takes the lock from a thread that has died. Returns false if that thread does not hold it. */
export function takeOver(
  words: Int32Array<SharedArrayBuffer>,
  index: number,
  dead: number,
  owner: number,
): boolean {
  for (;;) {
    const held = Atomics.load(words, index);
    if ((held & ~CONTENDED) !== dead) return false;
    if (Atomics.compareExchange(words, index, held, owner | CONTENDED) === held) return true;
  }
}

export interface TurnMemory {
  memory: SharedArrayBuffer;
  /** A positive number that no other thread of the process has or had. */
  owner: number;
}

export const createTurnMemory = () => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** Waits for the turn and returns a function that ends it. Each thread may wait once at a time. */
export async function takeTurn({ memory, owner }: TurnMemory): Promise<() => void> {
  const words = new Int32Array(memory);
  for (;;) {
    const holder = Atomics.compareExchange(words, 0, FREE, owner);
    if (holder === FREE) return () => endTurn({ memory, owner });
    await Atomics.waitAsync(words, 0, holder).value;
  }
}

/** Does nothing if the thread does not have the turn. */
export function endTurn({ memory, owner }: TurnMemory): void {
  const words = new Int32Array(memory);
  // All waiting threads try: one that is woken may die before it does.
  if (Atomics.compareExchange(words, 0, owner, FREE) === owner) Atomics.notify(words, 0);
}
