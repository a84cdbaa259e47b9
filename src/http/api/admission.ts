/** Admits a call: checks its token and the rate limit, and adds the rate-limit headers. */

import type { Decision } from '../../access/rate.ts';
import type { Token } from '../../access/token-store.ts';
import { hashSecret, isExempt, isLive, secretIn } from '../../access/tokens.ts';
import { ApiError, unauthorized } from '../server/errors.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Services } from '../services.ts';

const POLICY = '"default";q=1;w=1';

/**
 * Returns the token of a call, if it has one. Throws 429 before it throws 401 for an invalid token, so guessing tokens is
 * rate-limited. A token is looked up before the limit only if it may be exempt from it: a refused call costs no query.
 */
export async function admit(services: Services, exchange: Exchange): Promise<Token | undefined> {
  const { limiter, decisions, exemptions, clock } = services;
  const { authorization } = exchange.request.headers;
  if (!limiter && authorization === undefined) return undefined;
  const secret = authorization === undefined ? undefined : secretIn(authorization);
  const hash = secret && hashSecret(secret);
  const client = services.clientOf(exchange.request);
  const isFirst = hash !== undefined && (!limiter || exemptions.mayApply(client, hash, clock()));
  let token = isFirst ? await findToken(services, client, hash) : undefined;
  if (limiter && token && isExempt(token.scopes)) {
    decisions.countExempt();
    exchange.headers(unlimitedHeaders);
  } else if (limiter) {
    const decision = await limiter.decide(client);
    decisions.count(client, decision, clock);
    exchange.headers(rateHeaders(decision));
    if (!decision.isAllowed) throw tooManyRequests(decision);
  }
  if (hash !== undefined && !isFirst) token = await findToken(services, client, hash);
  if (authorization !== undefined && !token)
    throw unauthorized('Invalid token: it is unknown, expired or revoked.');
  return token;
}

async function findToken(services: Services, client: string, hash: string): Promise<Token | undefined> {
  const { tokens, exemptions, clock } = services;
  const found = await tokens.find(hash);
  const now = clock();
  const token = found && isLive(found, now) ? found : undefined;
  exemptions.record(client, hash, token !== undefined && isExempt(token.scopes), now);
  return token;
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

const unlimitedHeaders = rateHeaders({ isAllowed: true, isBlocked: false, wait: 0 });

function tooManyRequests(decision: Decision): ApiError {
  const seconds = waitInSeconds(decision);
  const message = decision.isBlocked
    ? `You are blocked for exceeding the rate limit repeatedly. Try again in ${seconds} s.`
    : `Too many requests: the limit is one per second. Try again in ${seconds} s.`;
  return new ApiError(429, message, { 'Retry-After': String(seconds) });
}
