/** The log on standard output: one JSON object per line. Never log a query string, because it may hold a link's signature. */
import type { Metric } from '../lib/metrics.ts';
import { LineWriter, type WriteBlock, writeToStdout } from './line-writer.ts';

const ranks = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 };

export type LogLevel = keyof typeof ranks;

export class Logger {
  /** May be changed at any time. */
  level: LogLevel;
  readonly #writer: LineWriter;
  #lastMs = 0;
  #lastTime = '';

  constructor(level: LogLevel, writeBlock: WriteBlock = writeToStdout) {
    this.level = level;
    this.#writer = new LineWriter(writeBlock);
  }

  isLevelEnabled(level: LogLevel): boolean {
    return ranks[level] <= ranks[this.level];
  }

  error(fields: object, message: string): void {
    this.#write('error', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#write('warn', fields, message);
  }

  info(fields: object, message: string): void {
    this.#write('info', fields, message);
  }

  metrics(): Metric[] {
    return [
      {
        name: 'zukan_log_lines_dropped_total',
        type: 'counter',
        help: 'Log lines dropped because the reader of standard output was too slow or gone.',
        samples: [{ value: this.#writer.droppedLines }],
      },
    ];
  }

  /** Waits until everything is written, but not for a reader that is stuck. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #write(level: LogLevel, fields: object, msg: string): void {
    if (!this.isLevelEnabled(level)) return;
    this.#writer.write(`${JSON.stringify({ level, time: this.#now(), ...fields, msg })}\n`);
  }

  /** Formatting the time takes a quarter of the time of a line, so lines of the same millisecond share it. */
  #now(): string {
    const now = Date.now();
    if (now !== this.#lastMs) {
      this.#lastMs = now;
      this.#lastTime = new Date(now).toISOString();
    }
    return this.#lastTime;
  }
}

/** An error as a field of a log line. */
export function errorField(error: unknown): object {
  const { name, message, stack } = error as Error;
  return { err: { name, message, stack } };
}
