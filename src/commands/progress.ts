/** Progress of long work on standard error: a bar on a terminal, a line every few seconds elsewhere. */

const BAR_WIDTH = 24;
const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 3000;

export interface Progress {
  /** One more item is done. `weight` is in the unit of the total. */
  advance(weight: number): void;
  finish(): void;
}

export const noProgress: Progress = { advance() {}, finish() {} };

/** `total` is undefined where nobody knows it. */
export function startProgress(title: string, total: number | undefined, output = process.stderr): Progress {
  const started = Date.now();
  let shown = started;
  let [done, items] = [0, 0];
  const show = (now: number) => {
    const line = describe(
      items,
      total ? Math.min(1, done / total) : undefined,
      (now - started) / 1000,
      output.isTTY,
    );
    output.write(output.isTTY ? `\r\x1b[K${title} ${line}` : `${title}: ${line}\n`);
  };
  return {
    advance(weight) {
      done += weight;
      items++;
      const now = Date.now();
      if (now - shown < (output.isTTY ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
      shown = now;
      show(now);
    },
    finish() {
      if (output.isTTY) output.write('\r\x1b[K');
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
