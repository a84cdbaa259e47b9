/** Metrics in the Prometheus text format. */
import type { Metric, Sample } from '../../lib/metrics.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function formatMetrics(metrics: Metric[]): string {
  return metrics.map(formatMetric).join('');
}

function formatMetric({ name, help, type, samples }: Metric): string {
  const line = ({ suffix, labels = {}, value }: Sample) =>
    `${name}${suffix ?? ''}${formatLabels(labels)} ${value}\n`;
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(line).join('')}`;
}

function formatLabels(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join()}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
