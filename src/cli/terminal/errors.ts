import { printable } from './text.ts';

/** A command failed. The message is for the person who ran it, and safe to print. */
export class CommandError extends Error {
  constructor(...lines: string[]) {
    super(lines.map(printable).join('\n'));
  }
}

/** The command was called with invalid options or arguments. */
export class UsageError extends CommandError {}
