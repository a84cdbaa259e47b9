/**
 * How the parts are that the service is made of, found out by using them. What is told of a trouble are words of ours
 * and never those of an error, which may have addresses or secrets in it; the log has the reason.
 */
import type { Statistics } from '../../catalogue/types.ts';
import type { Exchange } from '../server/exchange.ts';
import { errorField } from '../server/logger.ts';
import type { Services } from '../services.ts';

export const parts = ['catalogue', 'tokens', 'limits', 'replicas'] as const;

type Part = (typeof parts)[number];

export interface Health {
  /** What is wrong with a part, and what that means. */
  troubles: Partial<Record<Part, string>>;
  /** Why, for the log. */
  errors: unknown[];
  /** Undefined when the catalogue cannot be read. */
  statistics: Statistics | undefined;
}

/** No secret has this hash. */
const NO_HASH = '';

export async function examine({ store, catalogue, tokens, limiter }: Services): Promise<Health> {
  const [read, found] = await Promise.allSettled([catalogue.statistics(), tokens.find(NO_HASH)]);
  const troubles: Health['troubles'] = {};
  const errors: unknown[] = [];
  const judge = (outcome: PromiseSettledResult<unknown>, part: Part, trouble: string) => {
    if (outcome.status === 'fulfilled') return;
    troubles[part] = trouble;
    errors.push(outcome.reason);
  };
  judge(read, 'catalogue', 'it cannot be read: the API answers with errors');
  judge(found, 'tokens', 'they cannot be looked up: calls with a token are answered with errors');
  const limits = limiter?.degradedReason();
  if (limits !== undefined) troubles.limits = limits;
  const replicas = store.degradedReason();
  if (replicas !== undefined) troubles.replicas = replicas;
  return { troubles, errors, statistics: read.status === 'fulfilled' ? read.value : undefined };
}

export async function sendReadiness(services: Services, exchange: Exchange): Promise<void> {
  const { troubles, errors, statistics } = await examine(services);
  for (const error of errors)
    exchange.log.error({ request: exchange.id, ...errorField(error) }, 'health check failed');
  exchange.header('Cache-Control', 'no-store');
  if (Object.keys(troubles).length === 0) exchange.send(200, JSON.stringify({ status: 'ready' }));
  else if (statistics) exchange.send(200, JSON.stringify({ status: 'degraded', parts: troubles }));
  else exchange.send(503, JSON.stringify({ status: 'unavailable', parts: troubles }));
}
