/** Which of the listed pictures are selected, and which one the keyboard is at. */

export class Selection {
  readonly selected = new Set<number>();
  focus = -1;
  /** Where a range starts. */
  #anchor = -1;
  #length = 0;

  reset(length: number): void {
    this.selected.clear();
    this.#length = length;
    this.focus = Math.min(this.focus, length - 1);
    this.#anchor = this.focus;
  }

  only(index: number): void {
    this.moveTo(index);
    this.selected.clear();
    if (this.focus >= 0) this.selected.add(this.focus);
  }

  toggle(index: number): void {
    this.moveTo(index);
    if (!this.selected.delete(this.focus) && this.focus >= 0) this.selected.add(this.focus);
  }

  /** Selects from the last picture chosen alone to this one. With `add`, others stay selected. */
  range(index: number, add = false): void {
    const to = this.#clamp(index);
    if (to < 0) return;
    if (!add) this.selected.clear();
    const from = Math.max(0, this.#anchor);
    for (let at = Math.min(from, to); at <= Math.max(from, to); at++) this.selected.add(at);
    this.focus = to;
  }

  /** Moves the keyboard, and leaves the selection as it is. */
  moveTo(index: number): void {
    this.focus = this.#clamp(index);
    this.#anchor = this.focus;
  }

  /** Exactly these. The keyboard goes to `focus`, if there is one. */
  replace(indexes: Iterable<number>, focus = this.focus): void {
    this.selected.clear();
    for (const index of indexes) this.selected.add(index);
    this.moveTo(focus);
  }

  all(): void {
    for (let index = 0; index < this.#length; index++) this.selected.add(index);
  }

  /** In the order of the list. */
  indexes(): number[] {
    return [...this.selected].sort((a, b) => a - b);
  }

  #clamp(index: number): number {
    return Math.max(Math.min(index, this.#length - 1), Math.min(0, this.#length - 1));
  }
}
