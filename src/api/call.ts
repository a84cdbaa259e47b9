/**
 * One API call, from request to response. If several errors apply, the order of the steps in `handleCall` decides which
 * one is sent: 429; 401 for an invalid token, or a missing one where the endpoint requires it; 400; 401 for an `expiry`
 * without a token; 403; 301 or 404.
 */
import { expiryAllowance, type Token } from '../access/tokens.ts';
import type { Caller } from '../catalogue/catalogue.ts';
import { sendAsset } from '../http/assets.ts';
import { ApiError, sendError, successBody, unauthorized } from '../http/errors.ts';
import { type Exchange, JSON_TYPE } from '../http/exchange.ts';
import { hasTooManyParameters, MAX_PARAMETERS } from '../http/query-string.ts';
import { admit } from './admission.ts';
import type { Call, Callable, Response } from './endpoint.ts';
import { addressOf } from './links.ts';
import { ignoredParameters, readQuery, readUuid } from './query.ts';
import type { Services } from './services.ts';

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
  const id = pathId === '' ? '' : readId(pathId);
  const query = readQuery(route.query, exchange.query) as { expiry?: number };
  assertPossibleExpiry(query, services.links.maxLifetime);

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
    exchange.headers({
      'Cache-Control': 'no-store',
      Location: addressOf(call, response.movedTo, exchange.search),
      'Content-Length': '0',
    });
    exchange.sendHead(301);
    return undefined;
  }
  if ('location' in response) {
    exchange.headers({ ...response.headers, Location: response.location, 'Content-Length': '0' });
    exchange.sendHead(302);
    return undefined;
  }
  if (response.headers) exchange.headers(response.headers);
  if ('answer' in response) return sendAsset(exchange, response.answer);
  exchange.header('Cache-Control', 'no-store');
  const { data, isByteString } = response;
  exchange.sendCompressed(200, successBody(data), JSON_TYPE, isByteString);
  return undefined;
}

function missingToken(what: string): ApiError {
  return unauthorized(`No token: ${what} requires one. Send it as "Authorization: Bearer <token>".`);
}

function readId(text: string): string {
  const id = readUuid(text);
  if (id === undefined) throw new ApiError(400, 'Invalid ID: it must be a UUID.');
  return id;
}

/** A filter that was left out would let everything through. Endpoints without parameters ignore all of them. */
function assertFewParameters({ query }: Callable, search: string): void {
  if (hasTooManyParameters(search) && Object.keys(query.properties).length > 0)
    throw new ApiError(400, `Too many parameters: at most ${MAX_PARAMETERS} are allowed.`);
}

function assertPossibleExpiry({ expiry = 0 }: { expiry?: number }, max: number): void {
  if (expiry > max) throw new ApiError(400, `Invalid expiry: the storage supports at most ${max} seconds.`);
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
