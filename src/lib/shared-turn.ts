/**
 * A turn that one thread of a process has at a time, in memory that they share. The word there names the thread, so the main
 * thread can end the turn of a thread that has died.
 */

const FREE = 0;

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
