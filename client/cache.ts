/** Remembers the last results for a while, up to a number of them. Concurrent calls for one key share a request. */
export class Cache<Value> {
  readonly #maxSize: number;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, { value: Promise<Value>; loadedAt: number }>();

  constructor(maxSize: number, maxAgeMs: number, now: () => number) {
    this.#maxSize = maxSize;
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
  }

  get(key: string, load: () => Promise<Value>): Promise<Value> {
    const cached = this.#entries.get(key);
    if (cached && this.#now() - cached.loadedAt < this.#maxAgeMs) return cached.value;
    const entry = { value: load(), loadedAt: this.#now() };
    // A map iterates in the order of insertion, so its first key is the oldest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#maxSize && oldest !== undefined) this.#entries.delete(oldest);
    // An error is not cached.
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.value;
  }
}
