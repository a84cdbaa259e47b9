/** What is logged: one JSON line for each request, and errors. Never a query: a link's signature is a secret. */
import { writeSync } from 'node:fs';

const ranks = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 };

type Level = keyof typeof ranks;

export class Log {
  level: Level;
  /** Lines of this turn of the event loop, which are written together: a call for each would take longest. */
  #lines = '';

  constructor(level: Level) {
    this.level = level;
  }

  isOn(level: Level): boolean {
    return ranks[level] <= ranks[this.level];
  }

  error(facts: object, message: string): void {
    this.#write('error', facts, message);
  }

  warn(facts: object, message: string): void {
    this.#write('warn', facts, message);
  }

  info(facts: object, message: string): void {
    this.#write('info', facts, message);
  }

  #write(level: Level, facts: object, msg: string): void {
    if (!this.isOn(level)) return;
    if (this.#lines === '') setImmediate(() => this.flush());
    const time = new Date().toISOString();
    this.#lines += `${JSON.stringify({ level, time, ...facts, msg })}\n`;
  }

  flush(): void {
    const lines = this.#lines;
    this.#lines = '';
    if (lines === '') return;
    try {
      writeSync(process.stdout.fd, lines);
    } catch {
      // A reader that is slow or gone must not keep us from serving.
    }
  }
}

/** An error as facts. */
export function factsOf(error: unknown): object {
  const { name, message, stack } = error as Error;
  return { err: { name, message, stack } };
}
