/** Locks in shared memory. A lock names the thread that holds it, so the lock of a thread that has died can be taken over. */

const FREE = 0;
/** Added to the owner if other threads sleep until the lock is free. */
const CONTENDED = 2 ** 30;
/** A lock is held for about a microsecond, so it is usually free before a thread could fall asleep. */
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
