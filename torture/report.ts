/** What was tried and what failed, printed as one table. */
import { formatTable } from '../src/cli/terminal/terminal.ts';

/** Of each row: a fault that fails every request would fill the memory, and hide the others. */
const MAX_LISTED = 5;
const MAX_DETAILS = 4000;

/** One kind of attack, kill or fault. */
export interface Row {
  what: string;
  tried: number;
  failed: number;
  slowestMs: number;
  /** Resident memory of the server in MB: its growth and its peak. Absent if no server was measured. */
  memory?: { growth: number; peak: number };
}

export interface Failure {
  what: string;
  problem: string;
  /** What is needed to repeat it. */
  repeat: string;
}

export class Report {
  readonly rows = new Map<string, Row>();
  readonly failures: Failure[] = [];
  /** Further tables, as lines. */
  readonly #tables: string[][] = [];
  /** How often each outcome occurred, by subject. They show that a run reaches what it is meant to reach. */
  readonly #outcomes = new Map<string, Map<string, number>>();

  row(what: string): Row {
    const row = this.rows.get(what) ?? { what, tried: 0, failed: 0, slowestMs: 0 };
    this.rows.set(what, row);
    return row;
  }

  /** Counts an attempt. */
  add(what: string, ms: number): void {
    const row = this.row(what);
    row.tried++;
    if (ms > row.slowestMs) row.slowestMs = ms;
  }

  /** Adds a table of its own. */
  table(columns: string[], rows: string[][]): void {
    this.#tables.push(formatTable(columns, rows));
  }

  countOutcome(subject: string, outcome: string): void {
    const counts = this.#outcomes.get(subject) ?? new Map<string, number>();
    this.#outcomes.set(subject, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
  }

  fail(what: string, problem: string, repeat: string): void {
    const row = this.row(what);
    row.failed++;
    if (row.failed <= MAX_LISTED) this.failures.push({ what, problem, repeat: repeat.slice(0, MAX_DETAILS) });
  }

  get failed(): number {
    return [...this.rows.values()].reduce((sum, { failed }) => sum + failed, 0);
  }

  lines(seed: number): string[] {
    const rows = [...this.rows.values()].map(({ what, tried, failed, slowestMs, memory }) => [
      ...[what, String(tried), String(failed), formatTime(slowestMs)],
      memory ? `+${Math.round(memory.growth)} MB, peak ${Math.round(memory.peak)} MB` : '',
    ]);
    const more = this.failed - this.failures.length;
    return [
      ...formatTable(['what', 'tried', 'failed', 'slowest', 'memory'], rows),
      '',
      ...this.#tables.flatMap((lines) => [...lines, '']),
      ...this.#outcomes.entries().map(([subject, counts]) => `${subject}: ${formatCounts(counts)}`),
      `seed ${seed}, ${this.failed} failed`,
      ...this.failures.flatMap(({ what, problem, repeat }) => ['', `${what}: ${problem}`, `  ${repeat}`]),
      ...(more > 0 ? ['', `and ${more} more`] : []),
    ];
  }
}

function formatTime(ms: number): string {
  return ms < 9999 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function formatCounts(counts: Map<string, number>): string {
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted.map(([outcome, count]) => `${count} × ${outcome}`).join(', ');
}
