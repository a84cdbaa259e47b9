/** Figures as Prometheus reads them. */
import type { Metric, Sample } from '../../metrics.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function metricsText(metrics: Metric[]): string {
  return metrics.map(metricText).join('');
}

function metricText({ name, help, type, samples }: Metric): string {
  const line = ({ suffix, labels = {}, value }: Sample) =>
    `${name}${suffix ?? ''}${labelText(labels)} ${value}\n`;
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(line).join('')}`;
}

function labelText(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join()}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
