/** What there is to watch, for Prometheus. An answer comes whatever is wrong, without the figures that cannot be had. */
import { setTimeout } from 'node:timers/promises';
import type { Metric } from '../../metrics.ts';
import { catalogueMetrics } from '../metrics/catalogue.ts';
import { METRICS_TYPE, metricsText } from '../metrics/text.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Services } from '../services.ts';
import { examine, type Health, parts } from './health.ts';

/** A database that hangs is not waited for any longer: Prometheus itself gives up after ten seconds. */
const TIMEOUT_MS = 5000;
const late = 'it does not answer in time';

/** `own` are the figures of the server itself. */
export async function sendMetrics(
  services: Services,
  own: () => Metric[],
  exchange: Exchange,
): Promise<void> {
  const { troubles, statistics } = await soonExamined(services);
  const metrics = [
    ...own(),
    ...services.decisions.metrics(services.clock()),
    partMetric(troubles),
    ...(statistics ? catalogueMetrics(statistics) : []),
    ...services.store.metrics(),
  ];
  exchange.header('Cache-Control', 'no-store');
  exchange.sendCompressed(200, metricsText(metrics), METRICS_TYPE);
}

async function soonExamined(services: Services): Promise<Health> {
  const isDone = new AbortController();
  const tooLate: Health = { troubles: { catalogue: late, tokens: late }, errors: [], statistics: undefined };
  const patience = setTimeout(TIMEOUT_MS, tooLate, { signal: isDone.signal, ref: false });
  patience.catch(() => {});
  try {
    return await Promise.race([examine(services), patience]);
  } finally {
    isDone.abort();
  }
}

function partMetric(troubles: Health['troubles']): Metric {
  return {
    name: 'zukan_part_up',
    type: 'gauge',
    help: 'Whether a part of the service is as it should be.',
    samples: parts.map((part) => ({ labels: { part }, value: part in troubles ? 0 : 1 })),
  };
}
