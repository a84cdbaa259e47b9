/** How an endpoint is declared: who may call it, what it takes and returns, and how the reference describes it. */

import type { Token } from '../access/tokens.ts';
import type { Caller, Moved } from '../catalogue/catalogue.ts';
import type { Asset } from '../http/assets.ts';
import * as Type from '../lib/json-schema.ts';
import type { ExampleCall, ExampleRecords } from './examples.ts';
import type { Services } from './services.ts';

/** The groups of the reference, in order. */
export const groups = {
  Images: 'Random images, single images, and the list of all images.',
  Artists: 'The people who drew the images.',
  Characters: 'The characters shown in the images.',
  Categories: 'The categories that images belong to.',
  Albums: 'Sets of images, each in an order of its own.',
  Service: 'Information about the service, its catalogue and your token.',
};

/** One call of an endpoint. Its query is already validated. */
export interface Call<Query> {
  services: Services;
  query: Query;
  /** The id in the path; empty if the path has none. */
  id: string;
  token: Token | undefined;
  caller: Caller;
  now: number;
  /** The origin of links. */
  origin: string;
  /** The path of the route, without the prefix. */
  path: string;
  /** What comes before `path` in an address: empty if the API is at the root. */
  prefix: string;
}

/** Made for this call: it has links that expire, or is about its token. */
export interface ApiResponse {
  /** JSON text. */
  data: string;
  /** Whether `data` is a byte string (see image-document.ts). */
  isByteString?: true;
  headers?: Record<string, string>;
}

/** With an `ETag`. Most are the same for everyone until the catalogue changes. */
export interface TaggedResponse {
  /** The whole body. */
  answer: Asset;
  headers?: Record<string, string>;
}

/** Sends the client to a file. */
export interface Redirect {
  location: string;
  headers: Record<string, string>;
}

export type Response = ApiResponse | TaggedResponse | Redirect | Moved;

export type QueryOf<Params extends Type.TProperties> = Type.Static<Type.TObject<Params>>;

interface Common {
  /** The OpenAPI operation id. The typed client has a method of this name. */
  name: string;
  group: keyof typeof groups;
  summary: string;
  description: string;
  /** Open to everyone, to any valid token, or to tokens with this scope. */
  access: 'open' | 'token' | { scope: string };
  /** Limited like pictures in a page, not like calls. */
  isEmbed?: true;
  /** The schema of `data` in the response. Without one, the endpoint redirects to a file. */
  data?: Type.TSchema;
  /** The schema of `meta` in the response. */
  meta?: Type.TSchema;
  /** A call that works on a catalogue with these records, and its response on the demo catalogue. */
  example: { call?: (records: ExampleRecords) => ExampleCall; data?: unknown; meta?: object };
  /** Redirects to the entry that the one in the path was merged into. */
  followsMerges?: true;
  /** Sends `X-Total-Count`, and `Link` to the other pages. */
  isPaged?: true;
  /** Sends `X-Next-Cursor`, and `Link` to the next page. */
  hasCursor?: true;
  /** Sends an `ETag`, and 304 if it matches. */
  hasETag?: true;
}

type Handler<Query, Result> = (call: Call<Query>) => Result | Promise<Result>;

interface Declaration<Params extends Type.TProperties> extends Common {
  /** The query parameters. */
  query?: Params;
  /**
   * Throws the 400s that only the catalogue or the cursor keys can find. Runs instead of the handler when the call is
   * denied, because a 400 takes precedence over a 403, and over the 401 for an `expiry` without a token.
   */
  validate?: Handler<QueryOf<Params>, void>;
  handle: Handler<QueryOf<Params>, Response>;
}

export interface Endpoint extends Common {
  query: Type.TObject;
  validate?: Handler<never, void>;
  handle: Handler<never, Response>;
}

/** An endpoint at its path, without the prefix. */
export interface Route extends Endpoint {
  path: string;
}

/** What is called like an endpoint: a route, or an address outside the API. */
export type Callable = Pick<Route, 'path' | 'access' | 'isEmbed' | 'query' | 'validate' | 'handle'>;

export function endpoint<Params extends Type.TProperties = Record<never, never>>({
  query,
  ...rest
}: Declaration<Params>): Endpoint {
  return { ...rest, query: Type.Object(query ?? {}) };
}
