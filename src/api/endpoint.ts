/** How an endpoint is declared, what its handler gets, and the links and answers that it returns. */
import type { IncomingMessage } from 'node:http';
import {
  type Cursors,
  type FileLinks,
  type LinkSigner,
  lastingLinks,
  linkValidity,
} from '../access/links.ts';
import type { ClientBudget, Exemptions, Limiter } from '../access/rate.ts';
import type { Token, TokenStore } from '../access/tokens.ts';
import type { Caller, Catalogue, Moved } from '../catalogue/catalogue.ts';
import type { SignLink, SiteDetails } from '../catalogue/documents/image-document.ts';
import type { Rating, Window } from '../catalogue/schemas.ts';
import type { LastBackup } from '../catalogue/writer.ts';
import { type Asset, makeBytes } from '../http/assets.ts';
import { ApiError, type LimiterCounters, successBody } from '../http/exchange.ts';
import type { ByteString } from '../lib/byte-string.ts';
import type { Clock } from '../lib/clock.ts';
import type { Disk } from '../lib/file-system.ts';
import * as Type from '../lib/json-schema.ts';
import type { MetricsReport, Monitored } from '../lib/metrics.ts';
import type { RandomInt } from '../lib/random.ts';
import type { Tuning } from '../lib/tuning.ts';
import type { Files, ThumbnailMaker } from '../media/files.ts';
import type { ExampleCall, ExampleRecords } from './examples.ts';

// How an endpoint is declared: who may call it, what it takes and returns, and how the reference describes it.

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
  /** JSON. */
  data: ByteString;
  headers?: Record<string, string>;
}

/** With an `ETag`. Most are the same for everyone until the catalogue changes. */
export interface TaggedResponse {
  /** The whole body. */
  answer: Asset;
  headers?: Record<string, string>;
}

/** Sends the client to a file. */
interface Redirect {
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

// The dependencies of the server and its handlers.

/** What makes the gallery the operator's own. */
export interface Site extends SiteDetails {
  name: string;
  /** A sentence; empty if there is none. */
  description: string;
  /** Such as to the imprint. */
  links: readonly { name: string; url: string }[];
  logo: { bytes: Buffer; type: string; width: number; height: number } | undefined;
  /** `#rrggbb`; undefined: that of the stylesheet. */
  accent: string | undefined;
  /** The ratings that the gallery shows until the visitor chooses others. */
  ratings: readonly Rating[];
  /** Whether crawlers are asked to train no models with it. */
  refusesTraining: boolean;
}

export interface Services {
  store: Monitored & { lastBackup(): Promise<LastBackup | undefined> };
  catalogue: Catalogue;
  tokens: TokenStore;
  files: Files;
  thumbnails: ThumbnailMaker;
  /** Signs the links in responses. */
  links: LinkSigner;
  /** Verifies links to files that this service sends itself. */
  fileLinks: FileLinks;
  /** In seconds. */
  linkLifetime: number;
  /** In seconds: of the pictures in link previews. */
  previewLifetime: number;
  /** Whether pages, previews, feeds and redirects link to pictures by addresses that last. */
  hasLastingLinks: boolean;
  /** Another object when a text of it changed. */
  readonly site: Site;
  /** The ratings that calls without `nsfw` return. */
  apiRatings: readonly Rating[];
  cursors: Cursors;
  tuning: Tuning;
  clock: Clock;
  randomInt: RandomInt;
  /** Undefined if rate limiting is off. */
  limiter: Limiter | undefined;
  /** Which calls may be exempt from the rate limit. */
  exemptions: Exemptions;
  /** How often a client is sent to a file. */
  fileBudget: ClientBudget;
  /** How often a client may load a page. */
  pageBudget: ClientBudget;
  /** Whether the client is in a network without a rate limit. */
  isInExemptNetwork: (request: IncomingMessage) => boolean;
  /** Told of each request that counts for the rate limit: notices a proxy that hides its clients. */
  noticeClient: (client: string) => void;
  /** Counts the decisions of the limiter. */
  decisions: LimiterCounters;
  /** The reports of all workers of this process. The only worker of a process makes its `own`. */
  collectReports: (own: () => Promise<MetricsReport>, withMetrics: boolean) => Promise<MetricsReport[]>;
  /** The disks that the catalogue and its files are on, as far as they can be measured. */
  disks: () => Disk[];
  /** Identifies the client of a request for the rate limit. */
  clientOf: (request: IncomingMessage) => string;
  /** Whether the client may read the metrics and the details of the readiness check. */
  mayMonitor: (request: IncomingMessage) => boolean;
  /** The origin of the links in the response to a request. Without headers it is the same for everyone. */
  originOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;
  /** That origin, if the operator has set it. */
  publicUrl: string | undefined;
}

// The links in a response: those to files, and those to other pages in its headers.

/** Signs the links of one response, which all expire together: after `expiry` seconds, or else at the default time. */
export function linkSigner(call: Call<unknown>, expiry?: number): SignLink {
  const { services, origin, now } = call;
  const validity = linkValidity(now, expiry ?? services.linkLifetime, expiry !== undefined);
  return services.links.signer(origin, validity, expiry === undefined);
}

/**
 * Makes the links to pictures in pages, previews and feeds. The origin may be empty in a page. Without `LASTING_LINKS`, they expire
 * after `PREVIEW_LIFETIME`.
 */
export function pictureLinks(services: Services, origin: string): SignLink {
  const { hasLastingLinks, links, clock, previewLifetime } = services;
  if (hasLastingLinks) return lastingLinks(origin);
  return links.signer(origin, linkValidity(clock(), previewLifetime, false));
}

/** The total, and links to the next and the previous page. */
export function pageHeaders(call: Call<Window>, total: number): Record<string, string> {
  const { limit, offset } = call.query;
  const links: string[] = [];
  if (offset + limit < total) links.push(pageLink(call, { limit, offset: offset + limit }, 'next'));
  // The previous page ends where this one starts, so the first page may be shorter than the limit.
  const before = Math.min(offset, total);
  if (before > 0)
    links.push(
      pageLink(call, { limit: Math.min(limit, before), offset: Math.max(0, before - limit) }, 'prev'),
    );
  const headers: Record<string, string> = { 'X-Total-Count': String(total) };
  if (links.length > 0) headers.Link = links.join(', ');
  return headers;
}

/** The cursor of the next page, and the link to it, if there is one. */
export function cursorHeaders(
  call: Call<object>,
  cursor: string | undefined,
  parameter: 'cursor' | 'since' = 'cursor',
): Record<string, string> {
  if (cursor === undefined) return {};
  return { 'X-Next-Cursor': cursor, Link: pageLink(call, { [parameter]: cursor }, 'next') };
}

/** What the cursor of a call stands for; undefined without one. `owner` is what it belongs to. */
export function readCursor(
  { services, query }: Pick<Call<{ cursor?: string }>, 'services' | 'query'>,
  scope: string,
  owner: string,
): number | undefined {
  if (query.cursor === undefined) return undefined;
  const position = services.cursors.read(query.cursor, scope);
  if (position !== undefined) return position;
  throw new ApiError(400, `Invalid cursor: it was not issued by this service, or belongs to ${owner}.`);
}

type Values = Record<string, string | number | readonly string[]>;

function pageLink(call: Call<object>, changes: Values, rel: string): string {
  return `<${pageUrl(call, changes)}>; rel="${rel}"`;
}

/** The address of the same call with some parameters changed. */
export function pageUrl(call: Call<object>, changes: Values): string {
  const values: Values = { ...call.query, ...changes };
  let search = '';
  for (const name in values) {
    const text = String(values[name]);
    // An empty list is left out, as the parameter was.
    if (text === '' && Array.isArray(values[name])) continue;
    search += `${search === '' ? '' : '&'}${name}=${encodeURIComponent(text)}`;
  }
  return addressOf(call, call.id, search);
}

/** The address of the same endpoint for an id, with a query that is escaped already. */
export function addressOf({ origin, prefix, path }: Call<unknown>, id: string, search: string): string {
  return `${origin}${prefix}${path.replace('{id}', id)}${search === '' ? '' : `?${search}`}`;
}

// Responses that depend on the catalogue only, and not on the call or its time.

/** `data` and `meta` are JSON. */
export function makeAnswer(data: ByteString, meta?: ByteString): Asset {
  return makeBytes(successBody(data, meta));
}

const answers = new WeakMap<object, Asset>();

/** The response to what the catalogue returned, which is the same object until the catalogue changes. */
export function keepAnswer(returned: object, write: () => ByteString): Asset {
  const kept = answers.get(returned);
  if (kept) return kept;
  const answer = makeAnswer(write());
  answers.set(returned, answer);
  return answer;
}

const latestAnswers = new WeakMap<object, Map<string, Asset>>();

/** The response of the catalogue to one of few addresses. Its tag depends on what clients send, so only the latest one is kept. */
export function keepLatest(catalogue: object, path: string, eTag: string, make: () => Asset): Asset {
  const answers = latestAnswers.get(catalogue) ?? new Map<string, Asset>();
  latestAnswers.set(catalogue, answers);
  const latest = answers.get(path);
  if (latest?.eTag === eTag) return latest;
  const answer = make();
  answers.set(path, answer);
  return answer;
}
