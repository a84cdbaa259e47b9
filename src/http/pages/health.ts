/**
 * The readiness check: uses every part of the service to see whether it works. Clients get our own descriptions, never an
 * error's message, which may contain addresses or secrets. The log has the errors.
 */
import type { Statistics } from '../../catalogue/types.ts';
import type { Exchange } from '../server/exchange.ts';
import { errorField } from '../server/logger.ts';
import type { Services } from '../services.ts';

export const parts = ['catalogue', 'tokens', 'limits', 'replicas'] as const;

type Part = (typeof parts)[number];

export interface Health {
  /** For each degraded part: what is wrong and what that means. */
  degradedReasons: Partial<Record<Part, string>>;
  /** The causes, for the log. */
  errors: unknown[];
  /** Undefined if the catalogue cannot be read. */
  statistics: Statistics | undefined;
}

/** Not the hash of any token: looking it up only shows that tokens can be looked up. */
const NO_HASH = '';

export async function checkHealth({ store, catalogue, tokens, limiter }: Services): Promise<Health> {
  const [statistics, token] = await Promise.allSettled([catalogue.statistics(), tokens.find(NO_HASH)]);
  const degradedReasons: Health['degradedReasons'] = {};
  const errors: unknown[] = [];
  const record = (outcome: PromiseSettledResult<unknown>, part: Part, reason: string) => {
    if (outcome.status === 'fulfilled') return;
    degradedReasons[part] = reason;
    errors.push(outcome.reason);
  };
  record(statistics, 'catalogue', 'the catalogue cannot be read; the API returns errors');
  record(token, 'tokens', 'tokens cannot be looked up; requests with a token fail');
  const limits = limiter?.degradedReason();
  if (limits !== undefined) degradedReasons.limits = limits;
  const replicas = store.degradedReason();
  if (replicas !== undefined) degradedReasons.replicas = replicas;
  return {
    degradedReasons,
    errors,
    statistics: statistics.status === 'fulfilled' ? statistics.value : undefined,
  };
}

export async function sendReadiness(services: Services, exchange: Exchange): Promise<void> {
  const { degradedReasons, errors, statistics } = await checkHealth(services);
  for (const error of errors)
    exchange.log.error({ request: exchange.id, ...errorField(error) }, 'health check failed');
  exchange.header('Cache-Control', 'no-store');
  const isReady = Object.keys(degradedReasons).length === 0;
  const status = isReady ? 'ready' : statistics ? 'degraded' : 'unavailable';
  const hasDetails = !isReady && services.mayMonitor(exchange.request);
  const body = hasDetails ? { status, parts: degradedReasons } : { status };
  exchange.send(statistics ? 200 : 503, JSON.stringify(body));
}
