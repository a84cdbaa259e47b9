/** Metrics for Prometheus. Always responds; metrics that cannot be collected are left out. */
import { setTimeout } from 'node:timers/promises';
import type { Metric } from '../../metrics.ts';
import { catalogueMetrics } from '../metrics/catalogue.ts';
import { formatMetrics, METRICS_TYPE } from '../metrics/text.ts';
import { ApiError } from '../server/errors.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Services } from '../services.ts';
import { checkHealth, type Health, parts } from './health.ts';

/** Shorter than the ten seconds after which Prometheus gives up. */
const HEALTH_TIMEOUT_MS = 5000;
const TIMED_OUT = 'no response within 5 seconds';

export async function sendMetrics(
  services: Services,
  serverMetrics: () => Metric[],
  exchange: Exchange,
): Promise<void> {
  // The same response as for a path that does not exist.
  if (!services.mayMonitor(exchange.request)) throw new ApiError(404, 'There is nothing at this address.');
  const { degradedReasons, statistics } = await checkHealthInTime(services);
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

/** Does not wait for a database that hangs. */
async function checkHealthInTime(services: Services): Promise<Health> {
  const isDone = new AbortController();
  const timedOut: Health = {
    degradedReasons: { catalogue: TIMED_OUT, tokens: TIMED_OUT },
    errors: [],
    statistics: undefined,
  };
  const timeout = setTimeout(HEALTH_TIMEOUT_MS, timedOut, { signal: isDone.signal, ref: false });
  timeout.catch(() => {});
  try {
    return await Promise.race([checkHealth(services), timeout]);
  } finally {
    isDone.abort();
  }
}

function partMetric(degradedReasons: Health['degradedReasons']): Metric {
  return {
    name: 'zukan_part_up',
    type: 'gauge',
    help: 'Whether a part of the service works as configured.',
    samples: parts.map((part) => ({ labels: { part }, value: part in degradedReasons ? 0 : 1 })),
  };
}
