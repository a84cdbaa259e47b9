/** Admits a call: checks its token and the rate limit, and adds the rate-limit headers. */

import { fileRule } from '../access/limiter.ts';
import { type Decision, MAX_VIOLATIONS } from '../access/rate.ts';
import { explainMalformed, hashIn, isExempt, isLive, type Token } from '../access/tokens.ts';
import { ApiError, unauthorized } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Services } from './services.ts';

type Admission = Token | ApiError | undefined;

/**
 * Returns the token of a call, if it has one, or the error to send: 429 before 401 for an invalid token, so guessing tokens is
 * rate-limited. A token is looked up before the limit only if it may be exempt from it: a refused call costs no query.
 */
export function admit(
  services: Services,
  exchange: Exchange,
  isEmbed = false,
): Admission | Promise<Admission> {
  const { authorization } = exchange.request.headers;
  if (authorization !== undefined) return admitWithToken(services, exchange, isEmbed, authorization);
  return limitRate(services, exchange, isEmbed, false);
}

async function admitWithToken(
  services: Services,
  exchange: Exchange,
  isEmbed: boolean,
  authorization: string,
): Promise<Admission> {
  const { exemptions } = services;
  const hash = hashIn(authorization);
  const client = services.clientOf(exchange.request);
  const isLimited = services.limiter && !services.isInExemptNetwork(exchange.request);
  const isFirst = hash !== undefined && (!isLimited || exemptions.mayApply(client, hash));
  // A token that is there already is not awaited, which would take another turn of the queue of promises.
  const found = isFirst ? services.tokens.find(hash) : undefined;
  let token = isFirst
    ? checkToken(services, client, hash, found instanceof Promise ? await found : found)
    : undefined;
  const limited = limitRate(services, exchange, isEmbed, token !== undefined && isExempt(token.scopes));
  const refusal = limited instanceof Promise ? await limited : limited;
  if (refusal) return refusal;
  if (hash !== undefined && !isFirst)
    token = checkToken(services, client, hash, await services.tokens.find(hash));
  return (
    token ??
    unauthorized(
      hash === undefined
        ? explainMalformed(authorization)
        : 'Invalid token: it is unknown, expired or revoked.',
    )
  );
}

/** Returns the 429 if the call is refused, at once if the limiter decides at once. */
function limitRate(
  services: Services,
  exchange: Exchange,
  isEmbed: boolean,
  isExemptToken: boolean,
): ApiError | undefined | Promise<ApiError | undefined> {
  const { limiter, fileBudget, decisions } = services;
  if (!limiter) return undefined;
  const { perSecond } = limiter;
  if (isExemptToken || services.isInExemptNetwork(exchange.request)) {
    decisions.countExempt();
    exchange.headers(exemptHeaders(isEmbed, perSecond));
    return undefined;
  }
  const client = services.clientOf(exchange.request);
  services.noticeClient(client);
  const apply = (decision: Decision): ApiError | undefined => {
    decisions.count(decision);
    if (!decision.isAllowed)
      return isEmbed ? tooManyPictures(decision) : tooManyRequests(perSecond, decision);
    exchange.headers(isEmbed ? fileHeaders(decision) : rateHeaders(perSecond, decision));
    return undefined;
  };
  const decision = isEmbed ? fileBudget.take(client) : limiter.decide(client);
  return decision instanceof Promise ? decision.then(apply) : apply(decision);
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

const REFUSALS_LEFT = 'X-RateLimit-Refusals-Left';

const waitInSeconds = ({ wait }: Decision) => Math.ceil(wait / 1000);

function rateHeaders(
  quota: number,
  decision: Decision,
  policy = 'default',
  windowSeconds = 1,
): Record<string, string> {
  const seconds = waitInSeconds(decision);
  const { remaining, refusalsLeft } = decision;
  return {
    'X-RateLimit-Limit': String(quota),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(seconds),
    'RateLimit-Policy': `"${policy}";q=${quota};w=${windowSeconds}`,
    RateLimit: `"${policy}";r=${remaining};t=${seconds}`,
    // Also when the call is allowed: all programs at an address must know that one of them was refused.
    ...(refusalsLeft < MAX_VIOLATIONS && refusalsLeft > 0 && { [REFUSALS_LEFT]: String(refusalsLeft) }),
  };
}

function fileHeaders(decision: Decision): Record<string, string> {
  const { name, burst, intervalMs } = fileRule;
  return rateHeaders(burst, decision, name, (burst * intervalMs) / 1000);
}

/** A client that is not counted has always all requests left. */
function exemptHeaders(isEmbed: boolean, perSecond: number): Record<string, string> {
  const unused = { isAllowed: true, isBlocked: false, wait: 0, refusalsLeft: MAX_VIOLATIONS };
  return isEmbed
    ? fileHeaders({ ...unused, remaining: fileRule.burst })
    : rateHeaders(perSecond, { ...unused, remaining: perSecond });
}

function tooManyPictures(decision: Decision): ApiError {
  const seconds = waitInSeconds(decision);
  const message = `Too many pictures at once: the limit is ${fileRule.burst}, and one per second after that. Try again in ${seconds} s.`;
  const headers = { ...fileHeaders(decision), 'Retry-After': String(seconds) };
  return new ApiError(429, message, headers, REFUSED_PICTURE);
}

/** In a page, a broken picture would look like an error of the page. */
const REFUSED_PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180" width="320" height="180"><rect width="320" height="180" rx="8" ' +
  'fill="#808080" fill-opacity=".15"/><text x="160" y="84" fill="#808080" font-family="sans-serif" font-size="16" text-anchor="middle">' +
  'Too many pictures at once.<tspan x="160" dy="24">Try again in a moment.</tspan></text></svg>';

interface Refusal {
  perSecond: number;
  refusalsLeft: number;
  seconds: number;
  error: ApiError;
}

/** A client that sends many requests is refused with the same words for a second. */
let latestRefusal: Refusal | undefined;

function tooManyRequests(perSecond: number, decision: Decision): ApiError {
  const { refusalsLeft } = decision;
  const seconds = waitInSeconds(decision);
  if (
    latestRefusal?.seconds !== seconds ||
    latestRefusal.refusalsLeft !== refusalsLeft ||
    latestRefusal.perSecond !== perSecond
  )
    latestRefusal = { perSecond, refusalsLeft, seconds, error: makeRefusal(perSecond, decision) };
  return latestRefusal.error;
}

function warn({ refusalsLeft }: Decision): string {
  const more = refusalsLeft === 1 ? 'One more refusal' : `${refusalsLeft} more refusals`;
  return `${more} within this hour will block you for an hour.`;
}

function makeRefusal(perSecond: number, decision: Decision): ApiError {
  const seconds = waitInSeconds(decision);
  const limit = perSecond === 1 ? 'one' : perSecond;
  const message = decision.isBlocked
    ? `You are blocked for exceeding the rate limit repeatedly. Try again in ${seconds} s.`
    : `Too many requests: the limit is ${limit} per second. Try again in ${seconds} s. ${warn(decision)}`;
  return new ApiError(429, message, { ...rateHeaders(perSecond, decision), 'Retry-After': String(seconds) });
}
