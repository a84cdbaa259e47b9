/** Bounds the memory of work that runs at the same time: what does not fit waits. */
export class Budget {
  readonly #max: number;
  readonly #waiting: { amount: number; start: () => void }[] = [];
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs the work when there is room for the amount, in the order of the calls. Any amount may run alone. */
  async spend<T>(amount: number, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ amount, start });
      this.#startNext();
    });
    try {
      return await work();
    } finally {
      this.#used -= amount;
      this.#startNext();
    }
  }

  #startNext(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#used > 0 && this.#used + next.amount > this.#max) return;
      this.#waiting.shift();
      this.#used += next.amount;
      next.start();
    }
  }
}
