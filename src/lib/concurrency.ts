/**
 * Locks in memory that the threads of a process share: one that blocks, for moments, and a turn that is awaited, for longer work.
 * Each names the thread that holds it, so the main thread can take it from a thread that has died.
 */

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
