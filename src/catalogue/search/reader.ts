/** Reads a pattern one character at a time. */

/** A malformed pattern. The message is shown to API users: what is wrong, and at which character, counted from 1. */
export class PatternError extends Error {
  /** `position` counts code points from 0. */
  constructor(problem: string, position: number) {
    super(`${problem} at character ${position + 1}`);
  }
}

export class PatternReader {
  readonly #characters: string[];
  position = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
    const nul = this.#characters.indexOf('\0');
    if (nul !== -1) throw new PatternError('NUL is not allowed', nul);
  }

  get next(): string | undefined {
    return this.#characters[this.position];
  }

  get afterNext(): string | undefined {
    return this.#characters[this.position + 1];
  }

  /** Call it only when `next` is defined. */
  take(): string {
    return this.#characters[this.position++] as string;
  }

  takeIf(character: string): boolean {
    if (this.next !== character) return false;
    this.position++;
    return true;
  }

  /** The character after the backslash at `start`, which is always literal. */
  takeEscaped(start: number): string {
    if (this.next === undefined) throw new PatternError('incomplete escape', start);
    return this.take();
  }

  error(problem: string): PatternError {
    return new PatternError(problem, this.position);
  }
}
