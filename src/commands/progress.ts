/** Progress of long work on standard error: a bar on a terminal, a line every few seconds elsewhere. */

const BAR_WIDTH = 24;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 3000;

export interface Progress {
  /** Adds to what is done, counted in the same unit as the total. */
  advance(amount: number): void;
  finish(): void;
}

/** `total` is undefined where nobody knows it. */
export function startProgress(title: string, total: number | undefined, output = process.stderr): Progress {
  const started = Date.now();
  let last = started;
  let done = 0;
  let items = 0;
  const show = () => {
    const seconds = (Date.now() - started) / 1000;
    const rate = `${items} in ${seconds.toFixed(1)} s`;
    const share = total ? Math.min(1, done / total) : undefined;
    if (!output.isTTY) {
      output.write(`${title}: ${share === undefined ? '' : `${Math.floor(share * 100)}%, `}${rate}\n`);
    } else if (share === undefined) {
      output.write(`\r\x1b[K${title} ${rate}`);
    } else {
      const filled = Math.round(share * BAR_WIDTH);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
      const left = share > 0 ? `, ${Math.ceil(seconds / share - seconds)} s left` : '';
      output.write(`\r\x1b[K${title} ${bar} ${Math.floor(share * 100)}%  ${rate}${left}`);
    }
  };
  return {
    advance(amount) {
      done += amount;
      items++;
      if (Date.now() - last < (output.isTTY ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
      last = Date.now();
      show();
    },
    finish() {
      if (output.isTTY) output.write('\r\x1b[K');
    },
  };
}
