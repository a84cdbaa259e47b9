/** What was tried and what failed, printed as one table. */
import { formatTable } from '../src/cli/terminal/terminal.ts';
import { startMeter, type Usage } from './meter.ts';
import type { Target } from './servers.ts';

/** Of each row: a fault that fails every request would fill the memory, and hide the others. */
const MAX_LISTED = 5;
const MAX_DETAILS = 4000;

/** One kind of attack, kill or fault. */
interface Row {
  what: string;
  tried: number;
  failed: number;
  slowestMs: number;
  /** Of the server. Absent if no server was measured. */
  memory?: Usage;
}

interface Failure {
  what: string;
  problem: string;
  /** What is needed to repeat it. */
  repeat: string;
}

export class Report {
  readonly seed: number;
  readonly rows = new Map<string, Row>();
  readonly failures: Failure[] = [];
  /** Further tables, as lines. */
  readonly #tables: string[] = [];
  /** How often each outcome occurred, by subject. They show that a run reaches what it is meant to reach. */
  readonly #outcomes = new Map<string, Map<string, number>>();

  constructor(seed: number) {
    this.seed = seed;
  }

  row(what: string): Row {
    const row = this.rows.get(what) ?? { what, tried: 0, failed: 0, slowestMs: 0 };
    this.rows.set(what, row);
    return row;
  }

  /** Counts attempts. */
  add(what: string, slowestMs: number, count = 1): void {
    const row = this.row(what);
    row.tried += count;
    row.slowestMs = Math.max(row.slowestMs, slowestMs);
  }

  /** Measures a server during an attack. It must not end. */
  async observe(what: string, target: Target, attack: () => Promise<void>): Promise<Usage> {
    const meter = startMeter(target.pid);
    await attack();
    const usage = meter.stop();
    this.row(what).memory = usage;
    const ending = target.ending();
    if (ending) this.fail(what, ending);
    return usage;
  }

  /** Adds a table of its own. */
  table(columns: string[], rows: string[][]): void {
    this.#tables.push(...formatTable(columns, rows), '');
  }

  countOutcome(subject: string, outcome: string): void {
    const counts = this.#outcomes.get(subject) ?? new Map<string, number>();
    this.#outcomes.set(subject, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
  }

  /** `details`, with the seed, are what is needed to repeat it. */
  fail(what: string, problem: string, details = ''): void {
    const row = this.row(what);
    row.failed++;
    const repeat = `seed ${this.seed}${details && `, ${details}`}`.slice(0, MAX_DETAILS);
    if (row.failed <= MAX_LISTED) this.failures.push({ what, problem, repeat });
  }

  get failed(): number {
    return [...this.rows.values()].reduce((sum, { failed }) => sum + failed, 0);
  }

  lines(): string[] {
    const rows = [...this.rows.values()].map(({ what, tried, failed, slowestMs, memory }) => [
      ...[what, String(tried), String(failed), `${Math.round(slowestMs)} ms`],
      memory ? `+${Math.round(memory.growth)} MB, peak ${Math.round(memory.peak)} MB` : '',
    ]);
    return [
      ...formatTable(['what', 'tried', 'failed', 'slowest', 'memory'], rows),
      ...['', ...this.#tables],
      ...this.#outcomes.entries().map(([subject, counts]) => `${subject}: ${formatCounts(counts)}`),
      `seed ${this.seed}, ${this.failed} failed, of which ${this.failures.length} are listed`,
      ...this.failures.flatMap(({ what, problem, repeat }) => ['', `${what}: ${problem}`, `  ${repeat}`]),
    ];
  }
}

function formatCounts(counts: Map<string, number>): string {
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted.map(([outcome, count]) => `${count} × ${outcome}`).join(', ');
}
