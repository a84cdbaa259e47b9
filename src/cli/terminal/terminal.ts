import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { joinLines } from '../../catalogue/lines.ts';
import { CommandError } from './errors.ts';
import { printable } from './text.ts';

/** Where a command reads and writes. `process` is one; tests pass their own streams. */
export interface Terminal {
  stdin: Readable;
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
}

/** Whether somebody can answer a question. */
export function isInteractive({ stdin, stderr }: Terminal): boolean {
  return stderr.isTTY === true && (stdin as { isTTY?: boolean }).isTTY === true;
}

export const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

/** For commands that another part of the program runs. */
export const silentTerminal: Terminal = { stdin: Readable.from([]), stdout: nowhere, stderr: nowhere };

export function printLine(terminal: Pick<Terminal, 'stdout'>, line: string): void {
  printLines(terminal, [line]);
}

/** A line feed within a line is escaped. */
export function printLines({ stdout }: Pick<Terminal, 'stdout'>, lines: string[]): void {
  stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
}

/** Prints lines, none faster than it is read. Returns false if the output ended before: `head` closes its end early. */
export async function printStream(
  { stdout }: Pick<Terminal, 'stdout'>,
  lines: AsyncIterable<string>,
): Promise<boolean> {
  let outputError: unknown;
  stdout.once('error', (error) => {
    outputError = error;
  });
  try {
    await pipeline(joinLines(lines), stdout, { end: false });
    return true;
  } catch (error) {
    if (error !== outputError) throw error;
    return false;
  }
}

/**
 * Lets a command do its work whether or not someone reads what it prints: a closed pipe is not an error. The function that it
 * returns waits until everything is written, and fails if that was not possible for another reason, such as a full disk.
 */
export function watchOutput({ stdout, stderr }: Terminal): () => Promise<void> {
  let failure: NodeJS.ErrnoException | undefined;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= error;
  });
  stderr.on('error', () => {});
  return async () => {
    await new Promise((resolve) => stdout.write('', resolve));
    if (failure) throw new CommandError(`cannot write the output: ${failure.message}`);
  };
}

/** Says what is wrong but does not stop the command. */
export const warnOn =
  ({ stderr }: Pick<Terminal, 'stderr'>) =>
  (problem: string): void =>
    void stderr.write(`warning: ${printable(problem)}\n`);

/** A mistyped DATA_DIR is noticed this way. `created` is undefined if the catalogue existed. */
export function announceCreated({ stderr }: Pick<Terminal, 'stderr'>, created: string | undefined): void {
  if (created !== undefined) stderr.write(`created a new catalogue: ${printable(created)}\n`);
}
