/** Reads what /metrics says as strictly as its format is defined (text, 0.0.4), and holds histograms to their meaning. */
import assert from 'node:assert/strict';

export interface Metric {
  type: string;
  help: string;
  /** By the name with its labels, as it is written. */
  samples: Map<string, { name: string; labels: Record<string, string>; value: number }>;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const VALUE = '[+-]?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|Inf)|NaN';
const sampleLine = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (${VALUE})$`);

export function parseMetrics(text: string): Map<string, Metric> {
  assert.ok(text.endsWith('\n'), 'the last line ends');
  const metrics = new Map<string, Metric>();
  const lines = text.slice(0, -1).split('\n');
  let current = '';
  for (let at = 0; at < lines.length; at++) {
    const [, name, help] = new RegExp(`^# HELP (${NAME}) (\\S.*)$`).exec(lines[at] as string) ?? [];
    if (name !== undefined) {
      const type = new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`).exec(lines[++at] ?? '')?.[1];
      assert.ok(type && help, `${name} has a type and help`);
      assert.ok(!metrics.has(name), `${name} comes once`);
      metrics.set(name, { type, help, samples: new Map() });
      current = name;
    } else {
      readSample(lines[at] as string, current, metrics.get(current));
    }
  }
  for (const [name, metric] of metrics) judge(name, metric);
  return metrics;
}

function readSample(line: string, current: string, metric: Metric | undefined): void {
  const [, name, labelText = '', value] = sampleLine.exec(line) ?? [];
  assert.ok(name !== undefined && metric, `a line that is none: ${line}`);
  const suffixes = metric.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  assert.ok(
    suffixes.some((suffix) => name === current + suffix),
    `${name} stands under ${current}`,
  );
  const pairs = [...labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  const labels = Object.fromEntries(pairs.map(([, key, text]) => [key, text]));
  assert.equal(Object.keys(labels).length, pairs.length, `a label comes twice: ${line}`);
  const key = line.slice(0, line.lastIndexOf(' '));
  assert.ok(!metric.samples.has(key), `it comes twice: ${line}`);
  metric.samples.set(key, { name, labels, value: Number((value as string).replace('Inf', 'Infinity')) });
}

function judge(name: string, { type, samples }: Metric): void {
  assert.equal(type === 'counter', name.endsWith('_total'), `${name} is a ${type}`);
  for (const [key, { value }] of samples) assert.ok(Number.isFinite(value) && value >= 0, key);
  if (type === 'histogram') for (const series of seriesIn(samples)) judgeHistogram(name, series);
}

type Samples = Metric['samples'];

/** A histogram's samples, those together that have the same labels but for `le`. */
function seriesIn(samples: Samples): Samples[] {
  const series = new Map<string, Samples>();
  for (const [key, sample] of samples) {
    const { le, ...others } = sample.labels;
    const which = JSON.stringify(others);
    series.set(which, (series.get(which) ?? new Map()).set(key, sample));
  }
  return [...series.values()];
}

function judgeHistogram(name: string, samples: Samples): void {
  const all = [...samples.values()];
  const buckets = all.filter((sample) => sample.name === `${name}_bucket`);
  const sum = all.find((sample) => sample.name === `${name}_sum`)?.value as number;
  const count = all.find((sample) => sample.name === `${name}_count`)?.value as number;
  const ends = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
  assert.equal(ends.at(-1), Infinity);
  assert.equal(buckets.at(-1)?.value, count);
  let [before, least, most] = [0, 0, 0];
  for (const [index, { value }] of buckets.entries()) {
    assert.ok(index === 0 || (ends[index] as number) > (ends[index - 1] as number), 'bounds grow');
    assert.ok(value >= before, 'buckets hold those before them');
    least += (value - before) * (ends[index - 1] ?? 0);
    if (value > before) most += (value - before) * (ends[index] as number);
    before = value;
  }
  const slack = 1e-9;
  assert.ok(sum >= least - slack && sum <= most + slack, `${name}: ${least} <= ${sum} <= ${most}`);
}

/** The value of one sample, by its name with its labels; 0 where there is none yet. */
export function sampleIn(metrics: Map<string, Metric>, key: string): number {
  const name = key.split('{')[0] as string;
  const metric = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''));
  assert.ok(metric, `there is no ${name}`);
  return metric.samples.get(key)?.value ?? 0;
}
