/** A metric as Prometheus knows it: one measurement, or several that labels tell apart. */
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

/** A part of the service that reports on itself. */
export interface Monitored {
  metrics(): Metric[];
  /** Why it works, but not as configured, and what that means. Anyone may read it. */
  degradedReason(): string | undefined;
}
