/** Bounds the memory of decoders: pictures are decoded at the same time only if they are small enough together. */
export class PixelBudget {
  readonly #max: number;
  readonly #waiting: { pixels: number; start: () => void }[] = [];
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs the work when there is room for so many pixels, in the order of the calls. Any picture may run alone. */
  async spend<T>(pixels: number, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ pixels, start });
      this.#startNext();
    });
    try {
      return await work();
    } finally {
      this.#used -= pixels;
      this.#startNext();
    }
  }

  #startNext(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#used > 0 && this.#used + next.pixels > this.#max) return;
      this.#waiting.shift();
      this.#used += next.pixels;
      next.start();
    }
  }
}
