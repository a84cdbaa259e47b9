import { Readable, Writable } from 'node:stream';
import { printable } from './text.ts';

/** Where a command reads and writes. `process` is one; tests pass their own streams. */
export interface Terminal {
  stdin: Readable;
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
}

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

/** For commands that another part of the program runs. */
export const silentTerminal: Terminal = { stdin: Readable.from([]), stdout: nowhere, stderr: nowhere };

export function printLine(terminal: Pick<Terminal, 'stdout'>, line: string): void {
  printLines(terminal, [line]);
}

/** A line feed within a line is escaped. */
export function printLines({ stdout }: Pick<Terminal, 'stdout'>, lines: string[]): void {
  stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
}

/** A mistyped DATA_DIR is noticed this way. `created` is undefined if the catalogue existed. */
export function announceCreated({ stderr }: Pick<Terminal, 'stderr'>, created: string | undefined): void {
  if (created !== undefined) stderr.write(`created a new catalogue: ${printable(created)}\n`);
}
