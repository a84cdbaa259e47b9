import type { Readable, Writable } from 'node:stream';

/** Where a command reads and writes. `process` is one; tests pass their own streams. */
export interface Terminal {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
}

export function printLine({ stdout }: Pick<Terminal, 'stdout'>, text: string): void {
  stdout.write(`${text}\n`);
}
