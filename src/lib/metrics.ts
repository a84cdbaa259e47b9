/** A metric in the Prometheus data model: one sample, or several with different labels. */
export interface Metric {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  /** Which value stands for the whole process if several workers report the metric. The sum if it is not given. */
  across?: 'max' | 'min';
  samples: Sample[];
}

export interface Sample {
  /** Appended to the name of a histogram. */
  suffix?: '_bucket' | '_sum' | '_count';
  labels?: Record<string, string>;
  value: number;
}

/** The parts of the service that the readiness check examines. */
export const parts = ['catalogue', 'tokens', 'files', 'limits', 'replicas', 'workers'] as const;

export type Part = (typeof parts)[number];

/** For each degraded part: what is wrong and what that means. Public, so it must contain no secrets. */
export type DegradedReasons = Partial<Record<Part, string>>;

/** What a worker reports about itself. */
export interface MetricsReport {
  /** None if the question was only about its health. */
  metrics: Metric[];
  degradedReasons: DegradedReasons;
  /** Whether it can read the catalogue. */
  canServe: boolean;
}

/** A part of the service that reports its own metrics and health. */
export interface Monitored {
  metrics(): Metric[];
  /** Why the part does not work as configured, and what that means for clients. Public, so it must contain no secrets. */
  degradedReason(): string | undefined;
  /** Verifies some of the stored data, other data at each call. Fails while damage is known. */
  verify(): Promise<void>;
}
