/** Combines what several workers report into the metrics of the process. */
import type { Metric, Sample } from '../../lib/metrics.ts';

/** Metrics are in the order of their first report. */
export function mergeMetrics(reports: Metric[][]): Metric[] {
  const merged = new Map<string, Metric & { index: Map<string, Sample> }>();
  for (const metric of reports.flat()) {
    const { name, across } = metric;
    const target = merged.get(name) ?? { ...metric, samples: [], index: new Map() };
    merged.set(name, target);
    for (const sample of metric.samples) addSample(target, sample, across);
  }
  return Array.from(merged.values(), ({ index, ...metric }) => metric);
}

function addSample(
  target: Metric & { index: Map<string, Sample> },
  sample: Sample,
  across: Metric['across'],
): void {
  const key = `${sample.suffix} ${JSON.stringify(sample.labels)}`;
  const known = target.index.get(key);
  if (known) {
    if (across === undefined) known.value += sample.value;
    else known.value = Math[across](known.value, sample.value);
    return;
  }
  const own = { ...sample };
  target.index.set(key, own);
  target.samples.push(own);
}
