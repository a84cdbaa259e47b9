/** Metrics for Prometheus. Always responds; metrics that cannot be collected are left out. */
import type { Metric } from '../../metrics.ts';
import { catalogueMetrics } from '../metrics/catalogue.ts';
import { formatMetrics, METRICS_TYPE } from '../metrics/text.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Services } from '../services.ts';
import { type Health, type HealthCheck, parts } from './health.ts';

export async function sendMetrics(
  services: Services,
  check: HealthCheck,
  serverMetrics: () => Metric[],
  exchange: Exchange,
): Promise<void> {
  const { degradedReasons, statistics } = await check.run(exchange);
  const metrics = [
    ...serverMetrics(),
    ...services.decisions.metrics(services.clock()),
    partMetric(degradedReasons),
    ...(statistics ? catalogueMetrics(statistics) : []),
    ...services.store.metrics(),
  ];
  exchange.header('Cache-Control', 'no-store');
  exchange.sendCompressed(200, formatMetrics(metrics), METRICS_TYPE);
}

function partMetric(degradedReasons: Health['degradedReasons']): Metric {
  return {
    name: 'zukan_part_up',
    type: 'gauge',
    help: 'Whether a part of the service works as configured.',
    samples: parts.map((part) => ({ labels: { part }, value: part in degradedReasons ? 0 : 1 })),
  };
}
