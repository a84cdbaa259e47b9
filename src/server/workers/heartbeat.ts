/**
 * Detects a thread whose event loop hangs. The thread counts its beats in shared memory, and the main thread looks after each
 * beat of its own. It measures no time: a machine that was suspended, or too busy for the main thread as well, makes nobody
 * look hung.
 */

export const BEAT_MS = 1000;
/** From then on the thread counts as not responding. A response may take a moment on a busy machine. */
const MAX_LATE_BEATS = 3;
/** From then on the thread counts as hung. No task of ours takes nearly as long. */
const MAX_MISSED_BEATS = 10;

/** Starts the beats of this thread. They do not keep it alive. */
export function startBeating(memory: SharedArrayBuffer, beatMs: number): void {
  const beats = new Int32Array(memory);
  setInterval(() => Atomics.add(beats, 0, 1), beatMs).unref();
}

/** The main thread's view of another thread. */
export class Heartbeat {
  readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #beats = new Int32Array(this.memory);
  #last = 0;
  #missed = 0;

  /** Call this once per beat of the main thread. Returns true once, when the thread begins to count as hung. */
  look(): boolean {
    const beats = Atomics.load(this.#beats, 0);
    this.#missed = beats === this.#last ? this.#missed + 1 : 0;
    this.#last = beats;
    return this.#missed === MAX_MISSED_BEATS;
  }

  get isResponding(): boolean {
    return this.#missed < MAX_LATE_BEATS;
  }
}
