/** Admits a call: checks its token and the rate limit, and adds the rate-limit headers. */

import { fileRule } from '../access/limiter.ts';
import type { Decision } from '../access/rate.ts';
import { explainMalformed, hashIn, isExempt, isLive, type Token } from '../access/tokens.ts';
import { ApiError, unauthorized } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Services } from './services.ts';

/**
 * Returns the token of a call, if it has one. Throws 429 before it throws 401 for an invalid token, so guessing tokens is
 * rate-limited. A token is looked up before the limit only if it may be exempt from it: a refused call costs no query.
 */
export async function admit(
  services: Services,
  exchange: Exchange,
  isEmbed = false,
): Promise<Token | undefined> {
  const { limiter, fileBudget, decisions, exemptions } = services;
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
    const decision = await (isEmbed ? fileBudget.take(client) : limiter.decide(client));
    decisions.count(decision);
    exchange.headers(isEmbed ? fileHeaders(decision) : rateHeaders(limiter.perSecond, decision));
    if (!decision.isAllowed)
      throw isEmbed ? tooManyPictures(decision) : tooManyRequests(limiter.perSecond, decision);
  } else if (limiter) {
    decisions.countExempt();
    exchange.headers(exemptHeaders(isEmbed, limiter.perSecond));
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

function rateHeaders(
  quota: number,
  decision: Decision,
  policy = 'default',
  windowSeconds = 1,
): Record<string, string> {
  const seconds = waitInSeconds(decision);
  const { remaining } = decision;
  return {
    'X-RateLimit-Limit': String(quota),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(seconds),
    'RateLimit-Policy': `"${policy}";q=${quota};w=${windowSeconds}`,
    RateLimit: `"${policy}";r=${remaining};t=${seconds}`,
  };
}

function fileHeaders(decision: Decision): Record<string, string> {
  const { name, burst, intervalMs } = fileRule;
  return rateHeaders(burst, decision, name, (burst * intervalMs) / 1000);
}

/** A client that is not counted has always all requests left. */
function exemptHeaders(isEmbed: boolean, perSecond: number): Record<string, string> {
  const unused = { isAllowed: true, isBlocked: false, wait: 0 };
  return isEmbed
    ? fileHeaders({ ...unused, remaining: fileRule.burst })
    : rateHeaders(perSecond, { ...unused, remaining: perSecond });
}

function tooManyPictures(decision: Decision): ApiError {
  const seconds = waitInSeconds(decision);
  const message = `Too many pictures at once: the limit is ${fileRule.burst}, and one per second after that. Try again in ${seconds} s.`;
  return new ApiError(429, message, { 'Retry-After': String(seconds) }, REFUSED_PICTURE);
}

/** In a page, a broken picture would look like an error of the page. */
const REFUSED_PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180" width="320" height="180"><rect width="320" height="180" rx="8" ' +
  'fill="#808080" fill-opacity=".15"/><text x="160" y="84" fill="#808080" font-family="sans-serif" font-size="16" text-anchor="middle">' +
  'Too many pictures at once.<tspan x="160" dy="24">Try again in a moment.</tspan></text></svg>';

function tooManyRequests(perSecond: number, decision: Decision): ApiError {
  const seconds = waitInSeconds(decision);
  const limit = perSecond === 1 ? 'one' : perSecond;
  const message = decision.isBlocked
    ? `You are blocked for exceeding the rate limit repeatedly. Try again in ${seconds} s.`
    : `Too many requests: the limit is ${limit} per second. Try again in ${seconds} s.`;
  return new ApiError(429, message, { 'Retry-After': String(seconds) });
}
