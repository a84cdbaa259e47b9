/** How much of the demo is drawn, in memory that all threads of the process share. */
export class DemoProgress {
  readonly memory: SharedArrayBuffer;
  readonly #counts: Int32Array;

  constructor(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#counts = new Int32Array(memory);
  }

  /** A total of 0 means that nothing is being drawn. */
  set(done: number, total: number): void {
    this.#counts.set([done, total]);
  }

  /** Undefined if nothing is being drawn. */
  describe(): string | undefined {
    const [done, total] = this.#counts;
    return total ? `Drawing the demo: ${done} of ${total} pictures` : undefined;
  }
}
