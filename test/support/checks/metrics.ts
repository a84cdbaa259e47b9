/** A strict parser for the Prometheus text format (0.0.4) that also checks that histograms are consistent. */
import assert from 'node:assert/strict';

export interface Metric {
  type: string;
  help: string;
  /** By name and labels, as written. */
  samples: Map<string, { name: string; labels: Record<string, string>; value: number }>;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const VALUE = '[+-]?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|Inf)|NaN';
const sampleLine = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (${VALUE})$`);

export function parseMetrics(text: string): Map<string, Metric> {
  assert.ok(text.endsWith('\n'), 'the last line ends with a newline');
  const metrics = new Map<string, Metric>();
  const lines = text.slice(0, -1).split('\n');
  let current = '';
  for (let at = 0; at < lines.length; at++) {
    const [, name, help] = new RegExp(`^# HELP (${NAME}) (\\S.*)$`).exec(lines[at] as string) ?? [];
    if (name !== undefined) {
      const type = new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`).exec(lines[++at] ?? '')?.[1];
      assert.ok(type && help, `${name} has a type and help`);
      assert.ok(!metrics.has(name), `${name} appears twice`);
      metrics.set(name, { type, help, samples: new Map() });
      current = name;
    } else {
      readSample(lines[at] as string, current, metrics.get(current));
    }
  }
  for (const [name, metric] of metrics) checkMetric(name, metric);
  return metrics;
}

function readSample(line: string, current: string, metric: Metric | undefined): void {
  const [, name, labelText = '', value] = sampleLine.exec(line) ?? [];
  assert.ok(name !== undefined && metric, `not a sample: ${line}`);
  const suffixes = metric.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  assert.ok(
    suffixes.some((suffix) => name === current + suffix),
    `${name} is below # TYPE ${current}`,
  );
  const pairs = [...labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  const labels = Object.fromEntries(pairs.map(([, key, text]) => [key, text]));
  assert.equal(Object.keys(labels).length, pairs.length, `a label appears twice: ${line}`);
  const key = line.slice(0, line.lastIndexOf(' '));
  assert.ok(!metric.samples.has(key), `appears twice: ${line}`);
  metric.samples.set(key, { name, labels, value: Number((value as string).replace('Inf', 'Infinity')) });
}

function checkMetric(name: string, { type, samples }: Metric): void {
  assert.equal(type === 'counter', name.endsWith('_total'), `${name} is a ${type}`);
  for (const [key, { value }] of samples) assert.ok(Number.isFinite(value) && value >= 0, key);
  if (type === 'histogram') for (const series of seriesIn(samples)) checkHistogram(name, series);
}

type Samples = Metric['samples'];

/** A histogram's samples, grouped by all labels but `le`. */
function seriesIn(samples: Samples): Samples[] {
  const series = new Map<string, Samples>();
  for (const [key, sample] of samples) {
    const { le, ...others } = sample.labels;
    const group = JSON.stringify(others);
    series.set(group, (series.get(group) ?? new Map()).set(key, sample));
  }
  return [...series.values()];
}

function checkHistogram(name: string, samples: Samples): void {
  const all = [...samples.values()];
  const buckets = all.filter((sample) => sample.name === `${name}_bucket`);
  const sum = all.find((sample) => sample.name === `${name}_sum`)?.value as number;
  const count = all.find((sample) => sample.name === `${name}_count`)?.value as number;
  const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
  assert.equal(bounds.at(-1), Infinity);
  assert.equal(buckets.at(-1)?.value, count);
  let [previous, min, max] = [0, 0, 0];
  for (const [index, { value }] of buckets.entries()) {
    assert.ok(index === 0 || (bounds[index] as number) > (bounds[index - 1] as number), 'bounds increase');
    assert.ok(value >= previous, 'buckets are cumulative');
    min += (value - previous) * (bounds[index - 1] ?? 0);
    if (value > previous) max += (value - previous) * (bounds[index] as number);
    previous = value;
  }
  const slack = 1e-9;
  assert.ok(sum >= min - slack && sum <= max + slack, `${name}: ${min} <= ${sum} <= ${max}`);
}

/** The value of a sample by its name and labels; 0 if the metric has no such sample yet. */
export function sampleIn(metrics: Map<string, Metric>, key: string): number {
  const name = key.split('{')[0] as string;
  const metric = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''));
  assert.ok(metric, `no metric ${name}`);
  return metric.samples.get(key)?.value ?? 0;
}
