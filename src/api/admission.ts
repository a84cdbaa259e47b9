/** Admits a call: checks its token and the rate limit, and adds the rate-limit headers. */

import type { Decision } from '../access/rate.ts';
import { explainMalformed, hashIn, isExempt, isLive, type Token } from '../access/tokens.ts';
import { ApiError, unauthorized } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Services } from './services.ts';

/**
 * Returns the token of a call, if it has one. Throws 429 before it throws 401 for an invalid token, so guessing tokens is
 * rate-limited. A token is looked up before the limit only if it may be exempt from it: a refused call costs no query.
 */
export async function admit(services: Services, exchange: Exchange): Promise<Token | undefined> {
  const { limiter, decisions, exemptions } = services;
  const { authorization } = exchange.request.headers;
  if (!limiter && authorization === undefined) return undefined;
  const hash = authorization === undefined ? undefined : hashIn(authorization);
  const client = services.clientOf(exchange.request);
  const isLimited = limiter !== undefined && !services.isInExemptNetwork(exchange.request);
  const isFirst = hash !== undefined && (!isLimited || exemptions.mayApply(client, hash));
  // A token that is there already is not awaited, which would take another turn of the queue of promises.
  const found = isFirst ? services.tokens.find(hash) : undefined;
  let token = isFirst && checkToken(services, client, hash, found instanceof Promise ? await found : found);
  if (isLimited && !(token && isExempt(token.scopes))) {
    // Awaited even if it is there: Node reports a promise that is rejected before anyone waits for it, which takes longer.
    const decision = await limiter.decide(client);
    decisions.count(decision);
    exchange.headers(rateHeaders(limiter.perSecond, decision));
    if (!decision.isAllowed) throw tooManyRequests(limiter.perSecond, decision);
  } else if (limiter) {
    decisions.countExempt();
    exchange.headers(exemptHeaders(limiter.perSecond));
  }
  if (hash !== undefined && !isFirst)
    token = checkToken(services, client, hash, await services.tokens.find(hash));
  if (authorization !== undefined && !token)
    throw unauthorized(
      hash === undefined
        ? explainMalformed(authorization)
        : 'Invalid token: it is unknown, expired or revoked.',
    );
  return token || undefined;
}

/** Returns the token that was found if it has not expired. */
function checkToken(
  { exemptions, clock }: Services,
  client: string,
  hash: string,
  found: Token | undefined,
): Token | undefined {
  const token = found && isLive(found, clock()) ? found : undefined;
  exemptions.record(client, hash, token !== undefined && isExempt(token.scopes));
  return token;
}

const waitInSeconds = ({ wait }: Decision) => Math.ceil(wait / 1000);

function rateHeaders(perSecond: number, decision: Decision): Record<string, string> {
  const seconds = waitInSeconds(decision);
  const { remaining } = decision;
  return {
    'X-RateLimit-Limit': String(perSecond),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(seconds),
    'RateLimit-Policy': `"default";q=${perSecond};w=1`,
    RateLimit: `"default";r=${remaining};t=${seconds}`,
  };
}

/** A client that is not counted has always all requests left. */
function exemptHeaders(perSecond: number): Record<string, string> {
  return rateHeaders(perSecond, { isAllowed: true, isBlocked: false, wait: 0, remaining: perSecond });
}

function tooManyRequests(perSecond: number, decision: Decision): ApiError {
  const seconds = waitInSeconds(decision);
  const limit = perSecond === 1 ? 'one' : perSecond;
  const message = decision.isBlocked
    ? `You are blocked for exceeding the rate limit repeatedly. Try again in ${seconds} s.`
    : `Too many requests: the limit is ${limit} per second. Try again in ${seconds} s.`;
  return new ApiError(429, message, { 'Retry-After': String(seconds) });
}
