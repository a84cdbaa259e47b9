/** Going through a pattern character by character, and telling where it is wrong. */

/** A pattern is malformed. The message says what is wrong and at which character, counted from 1. */
export class PatternError extends Error {
  /** `position` counts code points from 0. */
  constructor(problem: string, position: number) {
    super(`${problem} at character ${position + 1}`);
  }
}

export class Cursor {
  readonly #characters: string[];
  position = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
    const nul = this.#characters.indexOf('\0');
    if (nul !== -1) throw new PatternError('a NUL', nul);
  }

  get next(): string | undefined {
    return this.#characters[this.position];
  }

  get afterNext(): string | undefined {
    return this.#characters[this.position + 1];
  }

  /** The caller has seen that there is one. */
  take(): string {
    return this.#characters[this.position++] as string;
  }

  takeIf(character: string): boolean {
    if (this.next !== character) return false;
    this.position++;
    return true;
  }

  /** The character behind a backslash at `start`, which always stands for itself. */
  takeEscaped(start: number): string {
    if (this.next === undefined) throw new PatternError('nothing behind "\\"', start);
    return this.take();
  }

  error(problem: string): PatternError {
    return new PatternError(problem, this.position);
  }
}
