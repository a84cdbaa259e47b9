/**
 * Joins bytes in pooled memory. The system takes longer to provide new memory than it takes to fill it, and text of the same
 * length would be copied by the garbage collector while it waits to be sent.
 */

/** Enough for most responses. */
const INITIAL_BYTES = 64 * 1024;
/** The memory of longer ones returns to the system. */
const MAX_KEPT_BYTES = 256 * 1024;
/** As many responses as are usually made before the first of them is sent. */
const MAX_KEPT = 64;

export class ByteWriterPool {
  readonly #kept: Buffer[] = [];

  writer(): ByteWriter {
    return new ByteWriter(this);
  }

  take(): Buffer {
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(INITIAL_BYTES);
  }

  keep(memory: Buffer): void {
    const isUsual = memory.length >= INITIAL_BYTES && memory.length <= MAX_KEPT_BYTES;
    if (isUsual && this.#kept.length < MAX_KEPT) this.#kept.push(memory);
  }
}

const NO_MEMORY = Buffer.alloc(0);

/** Takes memory when something is written. */
export class ByteWriter {
  readonly #pool: ByteWriterPool;
  #memory: Buffer = NO_MEMORY;
  #length = 0;

  constructor(pool: ByteWriterPool) {
    this.#pool = pool;
  }

  get length(): number {
    return this.#length;
  }

  /** What was written, valid until `release`. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  /** Writes one byte per character. */
  text(text: string): void {
    this.#reserve(text.length);
    this.#length += this.#memory.write(text, this.#length, 'latin1');
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#memory[this.#length++] = byte;
  }

  /** The whole source. */
  append(source: Buffer): void {
    this.#reserve(source.length);
    this.#memory.set(source, this.#length);
    this.#length += source.length;
  }

  /** Without what is outside of the source. */
  copy(source: Buffer, start: number, end: number): void {
    const length = Math.min(end, source.length) - start;
    // Positions that are read while they change may be NaN.
    if (!(length > 0)) return;
    this.#reserve(length);
    source.copy(this.#memory, this.#length, start, start + length);
    this.#length += length;
  }

  /** Forgets what was written, and lets others use the memory. A writer that is never released costs only new memory. */
  release(): void {
    this.#pool.keep(this.#memory);
    this.#memory = NO_MEMORY;
    this.#length = 0;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#memory.length) return;
    if (this.#memory === NO_MEMORY) this.#memory = this.#pool.take();
    if (needed <= this.#memory.length) return;
    const memory = Buffer.allocUnsafeSlow(Math.max(2 * this.#memory.length, needed));
    this.#memory.copy(memory, 0, 0, this.#length);
    this.#pool.keep(this.#memory);
    this.#memory = memory;
  }
}
