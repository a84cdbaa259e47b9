/**
 * One call of the API, from the request to the answer. Where several errors apply, the order of the steps in
 * `answerCall` decides which one is told: 401, then 400, then 403, then 404.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Type from 'typebox';
import type { Links } from '../access/links.ts';
import { expiryAllowance, hashSecret, isLive, secretIn } from '../access/tokens.ts';
import type { Catalogue, Chance, Clock, Files, Token, TokenRegister } from '../model.ts';
import { uuidPattern } from '../schemas.ts';
import { ApiError, JSON_TYPE, successBody } from './errors.ts';
import { type RawQuery, readQuery } from './parameters.ts';

/** What handlers work with. */
export interface Services {
  catalogue: Catalogue;
  tokens: TokenRegister;
  files: Files;
  links: Links;
  linkLifetime: number;
  clock: Clock;
  chance: Chance;
  /** The origin of links to files, for a request. */
  originOf: (request: FastifyRequest) => string;
}

export interface Call<Query> {
  services: Services;
  query: Query;
  /** Of the record that the path names; empty where it names none. */
  id: string;
  token: Token | undefined;
  now: number;
  /** What links to files start with. */
  origin: string;
  /** The path that was called, without its prefix. */
  path: string;
  prefix: string;
}

export interface Answer {
  /** JSON text. */
  data: string;
  meta?: string;
  headers?: Record<string, string>;
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

const uuid = new RegExp(uuidPattern);

export async function answerCall(
  route: Route,
  prefix: string,
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const raw = request.query as RawQuery;
  const now = services.clock();
  const token = await authenticate(request, services.tokens, now);
  const asksForExpiry = 'expiry' in route.query.properties && raw.expiry !== undefined;
  if (!token && (route.access !== 'open' || asksForExpiry)) throw noToken(asksForExpiry);

  const id = readId((request.params as { id?: string }).id);
  const query = readQuery(route.query, raw);

  const path = route.path.replace('{id}', id);
  const call = { services, query, id, token, now, origin: services.originOf(request), path, prefix };
  const { data, meta, headers } = await handleUnless(denial(route, query, token), route, call as Call<never>);
  if (headers) reply.headers(headers);
  return reply.type(JSON_TYPE).send(successBody(data, meta));
}

/**
 * What the handler answers, unless the call is denied. The handler is asked even then: only the store knows whether the
 * named categories exist, and that is a 400, which comes first.
 */
async function handleUnless(denied: ApiError | undefined, route: Route, call: Call<never>): Promise<Answer> {
  try {
    const answer = await route.handle(call);
    if (!denied) return answer;
  } catch (error) {
    if (!denied || !(error instanceof ApiError) || error.status < denied.status) throw error;
  }
  throw denied;
}

/** The token of a request; none where none was sent. One that is not valid is an error wherever it is sent. */
export async function authenticate(
  request: FastifyRequest,
  tokens: TokenRegister,
  now: number,
): Promise<Token | undefined> {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  const secret = secretIn(authorization);
  const token = secret && (await tokens.find(hashSecret(secret)));
  if (!token || !isLive(token, now))
    throw new ApiError(401, 'Invalid token: it is unknown, expired or revoked.', challenge);
  return token;
}

const challenge = { 'WWW-Authenticate': 'Bearer' };

function noToken(asksForExpiry: boolean): ApiError {
  const what = asksForExpiry ? 'a custom expiry needs' : 'this endpoint needs';
  return new ApiError(
    401,
    `No token: ${what} an access token, sent as "Authorization: Bearer <token>".`,
    challenge,
  );
}

function readId(text: string | undefined): string {
  if (text === undefined) return '';
  if (!uuid.test(text)) throw new ApiError(400, 'Invalid ID: it must be a UUID.');
  return text.toLowerCase();
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
