/** What there is to watch, for Prometheus. An answer comes whatever is wrong, without the figures that cannot be had. */
import { setTimeout } from 'node:timers/promises';
import type { Figure } from '../../model.ts';
import { catalogueFigures } from '../metrics/catalogue.ts';
import { METRICS_TYPE, metricsText } from '../metrics/text.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Services } from '../services.ts';
import { examine, type Health, parts } from './health.ts';

/** A database that hangs is not waited for any longer: Prometheus itself gives up after ten seconds. */
const PATIENCE_MS = 5000;
const late = 'it does not answer in time';

/** `own` are the figures of the server itself. */
export async function sendMetrics(
  services: Services,
  own: () => Figure[],
  exchange: Exchange,
): Promise<void> {
  const { troubles, statistics } = await soonExamined(services);
  const figures = [
    ...own(),
    ...services.decisions.figures(services.clock()),
    partFigure(troubles),
    ...(statistics ? catalogueFigures(statistics) : []),
    ...services.catalogue.figures(),
  ];
  exchange.header('Cache-Control', 'no-store');
  exchange.sendCompressed(200, metricsText(figures), METRICS_TYPE);
}

async function soonExamined(services: Services): Promise<Health> {
  const isDone = new AbortController();
  const tooLate: Health = { troubles: { catalogue: late, tokens: late }, errors: [], statistics: undefined };
  const patience = setTimeout(PATIENCE_MS, tooLate, { signal: isDone.signal, ref: false });
  patience.catch(() => {});
  try {
    return await Promise.race([examine(services), patience]);
  } finally {
    isDone.abort();
  }
}

function partFigure(troubles: Health['troubles']): Figure {
  return {
    name: 'zukan_part_up',
    type: 'gauge',
    help: 'Whether a part of the service is as it should be.',
    samples: parts.map((part) => ({ labels: { part }, value: part in troubles ? 0 : 1 })),
  };
}
