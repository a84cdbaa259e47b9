/**
 * One call of the API, from the request to the answer. Where several errors apply, the order of the steps in
 * `answerCall` decides which one is told: 429, then 401, then 400, then 403, then 404.
 */
import type Type from 'typebox';
import type { Token } from '../../access/token-store.ts';
import { expiryAllowance } from '../../access/tokens.ts';
import { matchesETag } from '../server/conditional.ts';
import { ApiError, successBody, unauthorized } from '../server/errors.ts';
import { type Exchange, JSON_TYPE } from '../server/exchange.ts';
import { parseQuery } from '../server/query-string.ts';
import type { Services } from '../services.ts';
import { admit } from './admission.ts';
import { readQuery, readUuid } from './parameters.ts';

export interface Call<Query> {
  services: Services;
  query: Query;
  /** Of the record that the path names; empty where it names none. */
  id: string;
  token: Token | undefined;
  now: number;
  /** What links to files start with. */
  origin: string;
  /** The path of the route that was called, without its prefix. */
  path: string;
  prefix: string;
}

export interface Answer {
  /** JSON text. */
  data: string;
  /** How many bytes more than characters that is, where it is known: counting puts a long text together once more. */
  extraBytes?: number;
  meta?: string;
  headers?: Record<string, string>;
  /** Given where the same answer is often asked for again: who names it is told that nothing has changed. */
  eTag?: string;
}

export interface Route {
  path: string;
  /** Open to all, for any valid token, or for tokens with this scope. */
  access: 'open' | 'token' | { scope: string };
  query: Type.TObject;
  /** The schema of `data`. */
  answer: Type.TSchema;
  handle: (call: Call<never>) => Answer | Promise<Answer>;
}

export async function answerCall(
  route: Route,
  prefix: string,
  /** What stands for the id in the path. */
  named: string,
  services: Services,
  exchange: Exchange,
): Promise<void> {
  const raw = parseQuery(exchange.search);
  const now = services.clock();
  const token = await admit(services, exchange);
  const asksForExpiry = 'expiry' in route.query.properties && raw.has('expiry');
  if (!token && (route.access !== 'open' || asksForExpiry)) throw noToken(asksForExpiry);

  const id = named === '' ? '' : readId(named);
  const query = readQuery(route.query, raw);
  refuseTooLong(query, services.links.maxLifetime);

  const origin = services.originOf(exchange.request);
  const call: Call<never> = {
    services,
    query: query as never,
    id,
    token,
    now,
    origin,
    path: route.path,
    prefix,
  };
  const denied = denial(route, query, token);
  if (denied) throw await errorBefore(denied, route, call);
  const { data, extraBytes, meta, headers, eTag } = await route.handle(call);
  if (headers) exchange.headers(headers);
  if (eTag !== undefined) {
    exchange.headers({ ETag: eTag, 'Cache-Control': 'no-cache' });
    if (matchesETag(exchange.request.headers['if-none-match'], eTag)) return exchange.sendHead(304);
  }
  const body = successBody(data, meta);
  exchange.sendCompressed(200, body, JSON_TYPE, extraBytes);
}

/**
 * The error of a call that is denied. The handler is asked even then: only the store knows whether the named categories
 * exist, and that is a 400, which comes first.
 */
async function errorBefore(denied: ApiError, route: Route, call: Call<never>): Promise<unknown> {
  try {
    await route.handle(call);
    return denied;
  } catch (error) {
    return error instanceof ApiError && error.status >= denied.status ? denied : error;
  }
}

function noToken(asksForExpiry: boolean): ApiError {
  const what = asksForExpiry ? 'a custom expiry needs' : 'this endpoint needs';
  return unauthorized(`No token: ${what} an access token, sent as "Authorization: Bearer <token>".`);
}

function readId(text: string): string {
  const id = readUuid(text);
  if (id === undefined) throw new ApiError(400, 'Invalid ID: it must be a UUID.');
  return id;
}

function refuseTooLong({ expiry = 0 }: { expiry?: number }, longest: number): void {
  if (expiry > longest)
    throw new ApiError(400, `Invalid expiry: the storage gives links for at most ${longest} seconds.`);
}

function denial(route: Route, query: { expiry?: number }, token: Token | undefined): ApiError | undefined {
  const scopes = token?.scopes ?? [];
  if (typeof route.access === 'object' && !scopes.includes(route.access.scope))
    return new ApiError(403, `The token lacks the permission "${route.access.scope}".`);
  if (query.expiry === undefined) return undefined;
  const allowance = expiryAllowance(scopes);
  if (allowance === undefined)
    return new ApiError(403, 'The token lacks the permission "image:custom-expiry" to set a custom expiry.');
  if (query.expiry > allowance)
    return new ApiError(403, `The expiry exceeds what the token allows: at most ${allowance} seconds.`);
  return undefined;
}
