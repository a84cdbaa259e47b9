/** Admitting a call: its token, its rate, and the headers that tell a client how it stands. */

import type { Decision } from '../../access/rate.ts';
import type { Token } from '../../access/token-store.ts';
import { hashSecret, isExempt, isLive, secretIn } from '../../access/tokens.ts';
import { ApiError, unauthorized } from '../server/errors.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Services } from '../services.ts';

const unlimited: Decision = { isAllowed: true, isBlocked: false, wait: 0 };
const POLICY = '"default";q=1;w=1';

/**
 * The token of a call, undefined where none was sent. Errors come in this order: too many requests (429), then a token
 * that is not valid (401), wherever it is sent. Who guesses tokens runs into the limit like anyone else.
 */
export async function admit(services: Services, exchange: Exchange): Promise<Token | undefined> {
  const { authorization } = exchange.request.headers;
  const token = authorization === undefined ? undefined : await liveToken(services, authorization);
  if (services.limiter) {
    let decision = unlimited;
    if (token && isExempt(token.scopes)) {
      services.decisions.countExempt();
    } else {
      const client = services.clientOf(exchange.request);
      decision = await services.limiter.decide(client);
      services.decisions.count(client, decision, services.clock);
    }
    exchange.headers(decision === unlimited ? unlimitedHeaders : rateHeaders(decision));
    if (!decision.isAllowed) throw tooMany(decision);
  }
  if (authorization !== undefined && !token)
    throw unauthorized('Invalid token: it is unknown, expired or revoked.');
  return token;
}

async function liveToken({ tokens, clock }: Services, authorization: string): Promise<Token | undefined> {
  const secret = secretIn(authorization);
  const token = secret && (await tokens.find(hashSecret(secret)));
  return token && isLive(token, clock()) ? token : undefined;
}

const secondsOf = ({ wait }: Decision) => Math.max(0, Math.ceil(wait / 1000));

function rateHeaders(decision: Decision): Record<string, string> {
  const seconds = String(secondsOf(decision));
  const remaining = decision.wait > 0 ? '0' : '1';
  return {
    'X-RateLimit-Limit': '1',
    'X-RateLimit-Remaining': remaining,
    'X-RateLimit-Reset': seconds,
    'RateLimit-Policy': POLICY,
    RateLimit: `"default";r=${remaining};t=${seconds}`,
  };
}

const unlimitedHeaders = rateHeaders(unlimited);

function tooMany(decision: Decision): ApiError {
  const seconds = secondsOf(decision);
  const message = decision.isBlocked
    ? `You are blocked for exceeding the rate limit again and again: wait ${seconds} s.`
    : `Too many requests: one a second is allowed, wait ${seconds} s.`;
  return new ApiError(429, message, { 'Retry-After': String(seconds) });
}
