/** A cache bounded in bytes that evicts the least recently used entry first. */

/** Counted for each entry, or a flood of tiny entries would fill the memory. */
const ENTRY_OVERHEAD_BYTES = 500;

export class LruCache<Key, Value extends { bytes: number }> {
  readonly #maxBytes: number;
  /** In the order of use: a map iterates in the order of insertion. */
  readonly #entries = new Map<Key, Value>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** An entry larger than the whole cache is stored too, until the next one evicts it. */
  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#bytes += sizeOf(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === key) break;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#bytes -= sizeOf(key, value);
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}

function sizeOf(key: unknown, { bytes }: { bytes: number }): number {
  return ENTRY_OVERHEAD_BYTES + (typeof key === 'string' ? 2 * key.length : 0) + bytes;
}
