/** Talks with the person at the terminal: questions, and the progress of long work. */
import { createInterface } from 'node:readline';
import type { Clock } from '../../lib/clock.ts';
import { CommandError, isInteractive, nowhere, printable, type Terminal } from './terminal.ts';

// Asks the person at the terminal.

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

// Progress of long work: a bar on a terminal, a line every few seconds elsewhere.

const BAR_WIDTH = 24;
const BAR_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 3000;

export interface Progress {
  /** One more item is done. `size` is in the unit of the total. */
  advance(size: number): void;
  finish(): void;
}

export const noProgress: Progress = { advance() {}, finish() {} };

/** `total` is undefined if it is not known. */
export function startProgress(
  title: string,
  total: number | undefined,
  { stderr }: Pick<Terminal, 'stderr'>,
  clock: Clock = Date.now,
): Progress {
  const isTTY = stderr.isTTY === true;
  const started = clock();
  let shown = started;
  let [done, items] = [0, 0];
  const show = (now: number) => {
    const share = total ? Math.min(1, done / total) : undefined;
    const line = describe(items, share, (now - started) / 1000, isTTY);
    stderr.write(isTTY ? `\r\x1b[K${title} ${line}` : `${title}: ${line}\n`);
  };
  return {
    advance(size) {
      done += size;
      items++;
      const now = clock();
      if (now - shown < (isTTY ? BAR_INTERVAL_MS : LINE_INTERVAL_MS)) return;
      shown = now;
      show(now);
    },
    finish() {
      if (isTTY) stderr.write('\r\x1b[K');
    },
  };
}

function describe(items: number, share: number | undefined, seconds: number, withBar: boolean): string {
  const rate = `${items} done, ${Math.round(items / Math.max(seconds, 0.001))}/s`;
  if (share === undefined) return rate;
  const filled = Math.round(share * BAR_WIDTH);
  const bar = withBar ? `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ` : '';
  const left = share > 0 ? `, ${Math.ceil(seconds / share - seconds)} s left` : '';
  return `${bar}${Math.floor(share * 100)}%, ${rate}${left}`;
}
