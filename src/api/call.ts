/**
 * One API call, from request to response. If several errors apply, the order of the steps in `handleCall` decides which
 * one is sent: 429; 401 for an invalid token, or a missing one where the endpoint requires it; 400; 401 for an `expiry`
 * without a token; 403; 301 or 404.
 */
import { type Decision, fileRule, MAX_VIOLATIONS } from '../access/rate.ts';
import { expiryAllowance, explainMalformed, hashIn, isExempt, isLive, type Token } from '../access/tokens.ts';
import type { Caller } from '../catalogue/catalogue.ts';
import { sendAsset } from '../http/assets.ts';
import {
  ApiError,
  type Exchange,
  JSON_TYPE,
  sendError,
  successBody,
  unauthorized,
} from '../http/exchange.ts';
import { hasTooManyParameters, MAX_PARAMETERS } from '../http/request.ts';
import { addressOf, type Call, type Callable, type Response, type Services } from './endpoint.ts';
import { ignoredParameters, readQuery, readUuid } from './parameters.ts';

/** Nothing is awaited that is there already, because each promise costs. */
export function handleCall(
  route: Callable,
  prefix: string,
  /** The text in place of `{id}`; empty if the path has none. */
  pathId: string,
  services: Services,
  exchange: Exchange,
): Promise<void> | undefined {
  const now = services.clock();
  const admitted = admit(services, exchange, route.isEmbed);
  const proceed = (token: Token | ApiError | undefined) =>
    token instanceof ApiError
      ? sendError(token, exchange)
      : callEndpoint(route, { services, now, prefix, token }, pathId, exchange);
  return admitted instanceof Promise ? admitted.then(proceed) : proceed(admitted);
}

type Admitted = Pick<Call<never>, 'services' | 'now' | 'prefix' | 'token'>;

function callEndpoint(
  route: Callable,
  admitted: Admitted,
  pathId: string,
  exchange: Exchange,
): Promise<void> | undefined {
  const { services, token } = admitted;
  if (!token && route.access !== 'open') return sendError(missingToken('this endpoint'), exchange);

  assertFewParameters(route, exchange.search);
  const ignored = ignoredParameters(route.query, exchange.query);
  if (ignored !== undefined) exchange.header('X-Ignored-Parameters', ignored);
  const id = pathId === '' ? '' : readUuid(pathId);
  if (id === undefined) throw new ApiError(400, 'Invalid ID: it must be a UUID.');
  const query = readQuery(route.query, exchange.query) as { expiry?: number; strict?: boolean };
  if (query.strict && ignored !== undefined)
    throw new ApiError(
      400,
      `Unknown parameters: ${ignored}. Known are ${Object.keys(route.query.properties).join(', ')}.`,
    );
  const { maxLifetime } = services.links;
  if (query.expiry !== undefined && query.expiry > maxLifetime)
    throw new ApiError(400, `Invalid expiry: the storage supports at most ${maxLifetime} seconds.`);

  const call: Call<never> = {
    ...admitted,
    query: query as never,
    id,
    caller: new RequestCaller(services, exchange),
    origin: services.originOf(exchange.request),
    path: route.path,
  };
  const denied = findDenial(route, query, token);
  if (denied) return refuse(route, call, denied);
  const response = route.handle(call);
  return response instanceof Promise
    ? response.then((ready) => send(exchange, ready, call))
    : send(exchange, response, call);
}

async function refuse(route: Callable, call: Call<never>, denied: ApiError): Promise<void> {
  await route.validate?.(call);
  throw denied;
}

function send(exchange: Exchange, response: Response, call: Call<never>): Promise<void> | undefined {
  if ('movedTo' in response) {
    // Not cached: undoing the merge brings the entry back.
    const location = addressOf(call, response.movedTo, exchange.search);
    exchange.redirect(301, location, { 'Cache-Control': 'no-store' });
    return undefined;
  }
  if ('location' in response) {
    exchange.redirect(302, response.location, response.headers);
    return undefined;
  }
  if (response.headers) exchange.headers(response.headers);
  if ('answer' in response) return sendAsset(exchange, response.answer);
  exchange.header('Cache-Control', 'no-store');
  exchange.sendCompressed(200, successBody(response.data), JSON_TYPE);
  return undefined;
}

function missingToken(what: string): ApiError {
  return unauthorized(`No token: ${what} requires one. Send it as "Authorization: Bearer <token>".`);
}

/** A filter that was left out would let everything through. Endpoints without parameters ignore all of them. */
function assertFewParameters({ query }: Callable, search: string): void {
  if (hasTooManyParameters(search) && Object.keys(query.properties).length > 0)
    throw new ApiError(400, `Too many parameters: at most ${MAX_PARAMETERS} are allowed.`);
}

function findDenial(
  { access }: Callable,
  { expiry }: { expiry?: number },
  token: Token | undefined,
): ApiError | undefined {
  if (!token) return expiry === undefined ? undefined : missingToken('a custom expiry');
  const { scopes } = token;
  if (typeof access === 'object' && !scopes.includes(access.scope))
    return new ApiError(403, `The token lacks the scope "${access.scope}".`);
  if (expiry === undefined) return undefined;
  const allowance = expiryAllowance(scopes);
  if (allowance === undefined)
    return new ApiError(
      403,
      'The token lacks the scope "image:custom-expiry", which a custom expiry requires.',
    );
  if (expiry > allowance)
    return new ApiError(403, `The token allows an expiry of at most ${allowance} seconds.`);
  return undefined;
}

/** Never sent. nginx's status for requests whose client disconnected, for the log and the metrics. */
const CLIENT_CLOSED_REQUEST = 499;

/** The client of a call, as the catalogue needs it for calls that may take long. Most calls never ask. */
export class RequestCaller implements Caller {
  readonly #services: Services;
  readonly #exchange: Exchange;
  #signal: AbortSignal | undefined;

  constructor(services: Services, exchange: Exchange) {
    this.#services = services;
    this.#exchange = exchange;
  }

  get client(): string {
    return this.#services.clientOf(this.#exchange.request);
  }

  /** Aborted when the client disconnects. */
  get signal(): AbortSignal {
    this.#signal ??= watchConnection(this.#exchange);
    return this.#signal;
  }
}

function watchConnection(exchange: Exchange): AbortSignal {
  const { request, response } = exchange;
  const controller = new AbortController();
  const abort = () => controller.abort(new ApiError(CLIENT_CLOSED_REQUEST, 'The client disconnected.'));
  if (request.socket.destroyed) abort();
  else {
    response.once('close', abort);
    // A client may be gone without a word.
    exchange.limitStalls();
  }
  return controller.signal;
}

// Admits a call: checks its token and the rate limit, and adds the rate-limit headers.

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
  const client = limitedClient(services, exchange, isExemptToken);
  if (client === undefined) {
    exchange.headers(exemptHeaders(isEmbed, perSecond));
    return undefined;
  }
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

/** The client of a request, if there is a limit for it. */
export function limitedClient(
  services: Services,
  { request }: Exchange,
  isExemptToken = false,
): string | undefined {
  if (!services.limiter) return undefined;
  if (isExemptToken || services.isInExemptNetwork(request)) {
    services.decisions.countExempt();
    return undefined;
  }
  const client = services.clientOf(request);
  services.noticeClient(client);
  return client;
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

function warn({ refusalsLeft }: Decision): string {
  const more = refusalsLeft === 1 ? 'One more refusal' : `${refusalsLeft} more refusals`;
  return `${more} within this hour will block you for an hour.`;
}

function tooManyRequests(perSecond: number, decision: Decision): ApiError {
  const seconds = waitInSeconds(decision);
  const limit = perSecond === 1 ? 'one' : perSecond;
  const message = decision.isBlocked
    ? `You are blocked for exceeding the rate limit repeatedly. Try again in ${seconds} s.`
    : `Too many requests: the limit is ${limit} per second. Try again in ${seconds} s. ${warn(decision)}`;
  return new ApiError(429, message, { ...rateHeaders(perSecond, decision), 'Retry-After': String(seconds) });
}
