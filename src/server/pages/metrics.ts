/** Metrics for Prometheus. Always responds; metrics that cannot be collected are left out. */

import type { Services } from '../../api/services.ts';
import type { Exchange } from '../../http/exchange.ts';
import { catalogueMetrics } from '../../http/metrics/catalogue.ts';
import { mergeMetrics } from '../../http/metrics/merge.ts';
import { formatMetrics, METRICS_TYPE } from '../../http/metrics/text.ts';
import { type DegradedReasons, type Metric, type MetricsReport, parts } from '../../lib/metrics.ts';
import { type HealthCheck, mergeReasons, type Requester } from './health.ts';

/** The report of this worker, with metrics only if those of the server are given. */
export async function makeReport(
  services: Services,
  check: HealthCheck,
  serverMetrics: (() => Metric[]) | undefined,
  requester: Requester,
): Promise<MetricsReport> {
  const { degradedReasons, statistics } = await check.run(requester);
  const canServe = statistics !== undefined;
  if (!serverMetrics) return { metrics: [], degradedReasons, canServe };
  const metrics = [
    ...serverMetrics(),
    ...services.decisions.metrics(services.limiter?.blockedClients() ?? 0),
    ...(statistics ? catalogueMetrics(statistics) : []),
    ...services.store.metrics(),
  ];
  return { metrics, degradedReasons, canServe };
}

/** Sends the metrics of all workers together. */
export function sendMetrics(reports: MetricsReport[], exchange: Exchange): void {
  const metrics = [...mergeMetrics(reports.map(({ metrics }) => metrics)), partMetric(mergeReasons(reports))];
  exchange.header('Cache-Control', 'no-store');
  exchange.sendCompressed(200, formatMetrics(metrics), METRICS_TYPE);
}

function partMetric(degradedReasons: DegradedReasons): Metric {
  return {
    name: 'zukan_part_up',
    type: 'gauge',
    help: 'Whether a part of the service works as configured.',
    samples: parts.map((part) => ({ labels: { part }, value: part in degradedReasons ? 0 : 1 })),
  };
}
