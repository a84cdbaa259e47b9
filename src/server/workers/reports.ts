/** Collects the reports of all workers. Nothing that was ever reported as counted is lost when a worker is replaced. */
import { type Metric, type MetricsReport, mergeMetrics } from '../../lib/metrics.ts';

/** Longer than the health check of a worker takes, and shorter than Prometheus waits. */
const TIMEOUT_MS = 7000;

/** A worker that can be asked for its report. */
export interface Reporter {
  ask(question: number, withMetrics: boolean): void;
  /** Whether an answer can be expected. */
  isResponding(): boolean;
  /** The latest answer. */
  report: MetricsReport | undefined;
}

interface Question {
  waitingFor: Set<Reporter>;
  resolve: () => void;
}

export class Reports {
  readonly #timeoutMs: number;
  readonly #questions = new Map<number, Question>();
  #lastQuestion = 0;
  /** The counters of workers that have ended. */
  #retired: Metric[] = [];

  constructor(timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /** The reports of all workers. One that does not answer in time is represented by what it has counted before. */
  async collect(reporters: Reporter[], withMetrics: boolean): Promise<MetricsReport[]> {
    const question = ++this.#lastQuestion;
    const { promise, resolve } = Promise.withResolvers<void>();
    const asked = reporters.filter((reporter) => reporter.isResponding());
    const waitingFor = new Set(asked);
    this.#questions.set(question, { waitingFor, resolve });
    for (const reporter of asked) reporter.ask(question, withMetrics);
    const timer = setTimeout(resolve, this.#timeoutMs);
    if (waitingFor.size > 0) await promise;
    clearTimeout(timer);
    this.#questions.delete(question);
    const reports = reporters.flatMap((reporter) => {
      const hasAnswered = asked.includes(reporter) && !waitingFor.has(reporter);
      return hasAnswered ? (reporter.report ?? []) : unanswered(reporter);
    });
    return [...reports, { metrics: this.#retired, degradedReasons: {}, canServe: false }];
  }

  /** Records an answer. Metrics are kept until the next ones. */
  answer(reporter: Reporter, question: number, report: MetricsReport): void {
    const { metrics = [] } = report.metrics.length > 0 ? report : (reporter.report ?? {});
    reporter.report = { ...report, metrics };
    this.#settle(reporter, question);
  }

  /** The worker has ended, and answers no more. */
  retire(reporter: Reporter): void {
    this.#retired = mergeMetrics([this.#retired, countersOf(reporter)]);
    // A question that waits for it must not count it twice.
    reporter.report = undefined;
    for (const question of this.#questions.keys()) this.#settle(reporter, question);
  }

  #settle(reporter: Reporter, question: number): void {
    const { waitingFor, resolve } = this.#questions.get(question) ?? {};
    waitingFor?.delete(reporter);
    if (waitingFor?.size === 0) resolve?.();
  }
}

function unanswered(reporter: Reporter): MetricsReport {
  const workers = 'a worker does not respond; connections to it wait until it is replaced';
  return { metrics: countersOf(reporter), degradedReasons: { workers }, canServe: false };
}

function countersOf({ report }: Reporter): Metric[] {
  return (report?.metrics ?? []).filter(({ type }) => type !== 'gauge');
}
