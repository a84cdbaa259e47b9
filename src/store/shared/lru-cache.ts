/** What is kept in memory up to so many bytes. What was not used for longest goes first. */

/** What an entry takes beside its value: else anyone could fill the memory with what is nothing in itself. */
const OVERHEAD = 500;

export class LruCache<Key, Value extends { bytes: number }> {
  readonly #most: number;
  readonly #entries = new Map<Key, Value>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    // A map keeps the order of adding: what is used moves to its end.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** What alone is more than fits is kept all the same, until the next one comes. */
  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#bytes += costOf(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#most || oldest === key) break;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#bytes -= costOf(key, value);
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

function costOf(key: unknown, { bytes }: { bytes: number }): number {
  return OVERHEAD + (typeof key === 'string' ? 2 * key.length : 0) + bytes;
}
