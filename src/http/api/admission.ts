/** Admits a call: checks its token and the rate limit, and adds the rate-limit headers. */

import type { Decision } from '../../access/rate.ts';
import type { Token } from '../../access/token-store.ts';
import { hashSecret, isExempt, isLive, secretIn } from '../../access/tokens.ts';
import { ApiError, unauthorized } from '../server/errors.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Services } from '../services.ts';

const unlimited: Decision = { isAllowed: true, isBlocked: false, wait: 0 };
const POLICY = '"default";q=1;w=1';

/**
 * Returns the token of a call, if it has one. Throws 429 before it throws 401 for an invalid token, so guessing tokens is
 * rate-limited.
 */
export async function admit(services: Services, exchange: Exchange): Promise<Token | undefined> {
  const { authorization } = exchange.request.headers;
  const token = authorization === undefined ? undefined : await findLiveToken(services, authorization);
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
    if (!decision.isAllowed) throw tooManyRequests(decision);
  }
  if (authorization !== undefined && !token)
    throw unauthorized('Invalid token: it is unknown, expired or revoked.');
  return token;
}

async function findLiveToken({ tokens, clock }: Services, authorization: string): Promise<Token | undefined> {
  const secret = secretIn(authorization);
  const token = secret && (await tokens.find(hashSecret(secret)));
  return token && isLive(token, clock()) ? token : undefined;
}

const waitInSeconds = ({ wait }: Decision) => Math.max(0, Math.ceil(wait / 1000));

function rateHeaders(decision: Decision): Record<string, string> {
  const seconds = String(waitInSeconds(decision));
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

function tooManyRequests(decision: Decision): ApiError {
  const seconds = waitInSeconds(decision);
  const message = decision.isBlocked
    ? `You are blocked for exceeding the rate limit repeatedly. Try again in ${seconds} s.`
    : `Too many requests: the limit is one per second. Try again in ${seconds} s.`;
  return new ApiError(429, message, { 'Retry-After': String(seconds) });
}
