import type { Readable, Writable } from 'node:stream';
import { printable } from './text.ts';

/** Where a command reads and writes. `process` is one; tests pass their own streams. */
export interface Terminal {
  stdin: Readable;
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
}

export function printLine(terminal: Pick<Terminal, 'stdout'>, line: string): void {
  printLines(terminal, [line]);
}

/** A line feed within a line is escaped. */
export function printLines({ stdout }: Pick<Terminal, 'stdout'>, lines: string[]): void {
  stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
}
