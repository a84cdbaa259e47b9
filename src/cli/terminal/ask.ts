/** Asks the person at the terminal. */
import { createInterface } from 'node:readline';
import { CommandError } from './errors.ts';
import { isInteractive, nowhere, type Terminal } from './terminal.ts';
import { printable } from './text.ts';

/** Returns what is typed, or undefined if the input ends or is interrupted. */
export async function ask(
  question: string,
  { stdin, stderr }: Terminal,
  { isHidden = false } = {},
): Promise<string | undefined> {
  const output = isHidden ? nowhere : stderr;
  const prompt = createInterface({ input: stdin, output, terminal: true, historySize: 0, prompt: question });
  if (isHidden) stderr.write(question);
  try {
    return await new Promise<string | undefined>((resolve) => {
      // While it reads, the prompt gets Ctrl-C instead of the process.
      prompt.once('SIGINT', () => process.emit('SIGINT'));
      for (const end of ['SIGINT', 'close']) prompt.once(end, () => resolve(undefined));
      prompt.once('line', resolve);
      prompt.prompt();
    });
  } finally {
    prompt.close();
    if (isHidden) stderr.write('\n');
  }
}

/** Throws unless somebody agrees, at the terminal or with `--yes`. `consequence` is a sentence. */
export async function confirm(
  consequence: string,
  { yes = false }: { yes?: boolean | undefined },
  terminal: Terminal,
): Promise<void> {
  if (yes) return;
  const answer = isInteractive(terminal)
    ? await ask(`${printable(consequence)} Continue? [y/N] `, terminal)
    : undefined;
  if (!/^y(es)?$/i.test(answer?.trim() ?? ''))
    throw new CommandError(`nothing was changed: ${consequence} Use --yes if this is right.`);
}
