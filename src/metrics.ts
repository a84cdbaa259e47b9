/** A metric in the Prometheus data model: one sample, or several with different labels. */
export interface Metric {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: Sample[];
}

export interface Sample {
  /** Appended to the name of a histogram. */
  suffix?: '_bucket' | '_sum' | '_count';
  labels?: Record<string, string>;
  value: number;
}

/** A part of the service that reports its own metrics and health. */
export interface Monitored {
  metrics(): Metric[];
  /** Why the part does not work as configured, and what that means for clients. Public, so it must contain no secrets. */
  degradedReason(): string | undefined;
  /** Verifies some of the stored data, other data at each call. Fails while damage is known. */
  verify(): Promise<void>;
}
