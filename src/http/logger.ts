/**
 * The log on standard output: one JSON object, or one text for people, per line. Never log a query string, because it may hold a link's signature.
 *
 * Lines wait in a bounded buffer, so that writing never blocks on their reader. When it is full, new lines are dropped and
 * counted. pino takes more CPU time per line (docs/internals/performance.md), and waits before it retries a full pipe.
 */
import { type Metric, metric } from '../lib/metrics.ts';
import { printable } from '../lib/text.ts';

const ranks = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 };

type LogLevel = keyof typeof ranks;
type LogFormat = keyof typeof formats;

export class Logger {
  /** May be changed at any time. */
  level: LogLevel;
  readonly #writer: LineWriter;
  readonly #format: (line: Line) => string;
  #lastMs = 0;
  #lastTime = '';

  constructor(level: LogLevel, writeBlock: WriteBlock = writeToStdout, format: LogFormat = 'json') {
    this.level = level;
    this.#writer = new LineWriter(writeBlock);
    this.#format = formats[format];
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
    const help = 'Log lines dropped because the reader of standard output was too slow or gone.';
    return [metric('zukan_log_lines_dropped_total', 'counter', help, this.#writer.droppedLines)];
  }

  /** Waits until everything is written, but not for a reader that is stuck. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #write(level: LogLevel, fields: object, msg: string): void {
    if (!this.isLevelEnabled(level)) return;
    this.#writer.write(`${this.#format({ level, time: this.#now(), ...fields, msg })}\n`);
  }

  /** Formatting the time is slow, so lines of the same millisecond share it. */
  #now(): string {
    const now = Date.now();
    if (now !== this.#lastMs) {
      this.#lastMs = now;
      this.#lastTime = new Date(now).toISOString();
    }
    return this.#lastTime;
  }
}

interface Line {
  level: LogLevel;
  time: string;
  msg: string;
}

const formats = { json: (line: Line) => JSON.stringify(line), text: formatText };

/** `2026-01-31T12:00:00.000Z info  GET /api/stats 200 1.2 ms request=… client=…` */
function formatText({ level, time, msg, ...fields }: Line): string {
  const { method, path, status, ms, ...others } = fields as Record<string, unknown>;
  const isRequest = msg === 'request';
  const event = isRequest ? `${[method, path, status, ms].map(textOf).join(' ')} ms` : msg;
  const details = Object.entries(isRequest ? others : fields).map(
    ([name, value]) => `${name}=${textOf(value)}`,
  );
  return printable([time, level.padEnd(5), event, ...details].join(' '));
}

/** Quoted if it could be mistaken for several values. */
function textOf(value: unknown): string {
  const { stack } = Object(value) as Partial<Error>;
  if (stack !== undefined) return JSON.stringify(stack.replaceAll(/\s*\n\s*/g, ' '));
  return typeof value === 'string' && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
}

/** An error as a field of a log line. */
export function errorField(error: unknown): object {
  const { name, message, stack } = error as Error;
  return { err: { name, message, stack } };
}

/** About a second of requests at full load. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/**
 * PIPE_BUF: a pipe takes a block of at most this size whole or not at all, so even a killed process leaves no half line,
 * except for one that is longer itself.
 */
const BLOCK_BYTES = 4096;
const FLUSH_TIMEOUT_MS = 1000;

/** Writes a block of whole lines, and calls back when it is written. */
export type WriteBlock = (text: string, done: (error?: Error | null) => void) => void;

/** Writes whole lines. */
class LineWriter {
  droppedLines = 0;
  readonly #writeBlock: WriteBlock;
  readonly #blocks: { text: string; bytes: number; lines: number }[] = [];
  #bufferedBytes = 0;
  #isWriting = false;
  /** Resolves when the buffer is empty. */
  #drained = Promise.resolve();
  #onDrained = () => {};

  constructor(writeBlock: WriteBlock) {
    this.#writeBlock = writeBlock;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bufferedBytes + bytes > MAX_BUFFERED_BYTES) {
      this.droppedLines++;
      return;
    }
    this.#bufferedBytes += bytes;
    const last = this.#blocks.at(-1);
    if (last && last.bytes + bytes <= BLOCK_BYTES) {
      last.text += line;
      last.bytes += bytes;
      last.lines++;
    } else {
      this.#blocks.push({ text: line, bytes, lines: 1 });
    }
    if (!this.#isWriting) this.#start();
  }

  /** Waits until the buffer is empty, but not for a reader that is stuck. */
  async flush(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, FLUSH_TIMEOUT_MS);
    await Promise.race([this.#drained, promise]);
    clearTimeout(timer);
  }

  #start(): void {
    this.#isWriting = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = promise;
    this.#onDrained = resolve;
    // Lines of the same tick share a block: a system call for each would cost more than the rest of a line.
    setImmediate(() => this.#writeNext());
  }

  #writeNext(): void {
    const block = this.#blocks.shift();
    if (!block) {
      this.#isWriting = false;
      this.#onDrained();
      return;
    }
    this.#writeBlock(block.text, (error) => {
      this.#bufferedBytes -= block.bytes;
      if (error) this.droppedLines += block.lines;
      this.#writeNext();
    });
  }
}

/** For standard output, in the order of the calls. */
const waiting: Parameters<WriteBlock>[] = [];
let isIgnoringErrors = false;

/** Writes to standard output, one block at a time: Node would join blocks that it buffers itself. */
export const writeToStdout: WriteBlock = (text, done) => {
  // A reader that goes away must not end the process. Write callbacks get the error too, and later writes may succeed.
  if (!isIgnoringErrors) process.stdout.on('error', () => {});
  isIgnoringErrors = true;
  if (waiting.push([text, done]) === 1) writeFirst();
};

function writeFirst(): void {
  const [first] = waiting;
  if (!first) return;
  const [text, done] = first;
  process.stdout.write(text, (error) => {
    // May add another block, which must not start while this one is still the first.
    done(error);
    waiting.shift();
    writeFirst();
  });
}
