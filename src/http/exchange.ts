/** One request and its response, on bare `node:http`: its envelope, its errors and its metrics. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Decision } from '../access/rate.ts';
import { type ByteString, toByteString } from '../lib/byte-string.ts';
import { Histogram, type Metric, metric, Unavailable } from '../lib/metrics.ts';
import { newRequestId } from '../lib/random.ts';
import { errorField, type Logger } from './logger.ts';
import {
  acceptsSvg,
  compress,
  type Encoding,
  MIN_COMPRESSED_LENGTH,
  negotiateEncoding,
  parseQuery,
  type RawQuery,
} from './request.ts';

// Request metrics: by route, and by decision of the rate limiter. Not by path: clients could make up any number of those.

export class RouteTraffic {
  readonly statuses = new Map<number, number>();
  readonly durations = new Histogram();

  /** Runs for every request, so it must be fast. */
  count(status: number, ms: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.durations.record(ms / 1000);
  }
}

export class Traffic {
  readonly #routes = new Map<string, RouteTraffic>();
  readonly #malformed = new Map([400, 408, 431].map((status) => [status, 0]));
  /** For requests that match no route. */
  readonly unknown = this.of('unknown');

  of(route: string): RouteTraffic {
    const traffic = this.#routes.get(route) ?? new RouteTraffic();
    this.#routes.set(route, traffic);
    return traffic;
  }

  countMalformed(status: number): void {
    this.#malformed.set(status, (this.#malformed.get(status) ?? 0) + 1);
  }

  metrics(): Metric[] {
    const routes = [...this.#routes];
    const requests = routes.flatMap(([route, { statuses }]) => byStatus(statuses, { route }));
    const duration = 'Request duration in seconds; for files until the last byte is sent.';
    const malformed = 'Requests refused because they were not valid HTTP, too large or too slow.';
    const durations = routes.flatMap(([route, { durations }]) => durations.samples({ route }));
    return [
      metric('zukan_http_requests_total', 'counter', 'Requests by route and status.', requests),
      metric('zukan_http_request_duration_seconds', 'histogram', duration, durations),
      metric('zukan_http_malformed_requests_total', 'counter', malformed, byStatus(this.#malformed)),
    ];
  }
}

function byStatus(statuses: Map<number, number>, labels: Record<string, string> = {}): Metric['samples'] {
  return Array.from(statuses, ([status, value]) => ({
    labels: { ...labels, status: String(status) },
    value,
  }));
}

export class LimiterCounters {
  readonly #outcomes = { allowed: 0, refused: 0, blocked: 0, exempt: 0 };

  countExempt(): void {
    this.#outcomes.exempt++;
  }

  count({ isAllowed, isBlocked }: Decision): void {
    if (isAllowed) this.#outcomes.allowed++;
    else if (isBlocked) this.#outcomes.blocked++;
    else this.#outcomes.refused++;
  }

  /** `blockedClients` is the number of clients that the limiter knows to be blocked. */
  metrics(blockedClients: number): Metric[] {
    const decisions = Object.entries(this.#outcomes).map(([outcome, value]) => ({
      labels: { outcome },
      value,
    }));
    const help = 'Requests by decision of the rate limiter.';
    const blocked = 'Blocked clients that this process has refused.';
    return [
      metric('zukan_limiter_decisions_total', 'counter', help, decisions),
      metric('zukan_limiter_blocked_clients', 'gauge', blocked, blockedClients, 'max'),
    ];
  }
}

const EXPOSED_HEADERS = [
  ...['ETag', 'Link', 'X-Total-Count', 'X-Next-Cursor', 'X-Request-Id', 'Content-Range', 'Retry-After'],
  'X-Ignored-Parameters',
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Refusals-Left'],
  ...['RateLimit', 'RateLimit-Policy'],
].join(', ');

/**
 * A byte string is sent in one piece with the head, which takes a tenth less time for a few kilobytes; a buffer needs no
 * conversion, however long it is.
 */
export type Bytes = Buffer | ByteString;

export const JSON_TYPE = 'application/json; charset=utf-8';

interface ExchangeOptions {
  log: Logger;
  /** Called once per request, when the response is complete or will not be completed. */
  onFinished: (exchange: Exchange, status: number) => void;
  /** How long nothing may move on the connection of a response that takes long. */
  stallTimeoutMs: number;
}

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id = newRequestId();
  readonly startedAt = performance.now();
  /** Still escaped, without the query. */
  readonly path: string;
  /** Still escaped, without the question mark. */
  readonly search: string;
  /** Where the request is counted. The server replaces it when it has found the route. */
  traffic: RouteTraffic;
  readonly #options: ExchangeOptions;
  #query: RawQuery | undefined;
  /** Names and values in turn: `writeHead` takes them so, and no object has to be built. */
  readonly #headers: string[];

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    traffic: RouteTraffic,
    options: ExchangeOptions,
  ) {
    this.request = request;
    this.response = response;
    this.traffic = traffic;
    this.#options = options;
    const url = request.url?.startsWith('/') ? request.url : pathOf(request);
    const questionMark = url.indexOf('?');
    this.path = questionMark < 0 ? url : url.slice(0, questionMark);
    this.search = questionMark < 0 ? '' : url.slice(questionMark + 1);
    this.#headers = [
      'Access-Control-Allow-Origin',
      '*',
      'Access-Control-Expose-Headers',
      EXPOSED_HEADERS,
      'X-Request-Id',
      this.id,
      'X-Content-Type-Options',
      'nosniff',
    ];
  }

  get log(): Logger {
    return this.#options.log;
  }

  /** No page of another site may read the response. */
  forbidOtherSites(): void {
    this.#headers.splice(0, 4, 'Cross-Origin-Resource-Policy', 'same-origin');
  }

  /** Closes the connection when nothing moves for too long. Only when needed, because the timer costs CPU time. */
  limitStalls(): void {
    this.response.setTimeout(this.#options.stallTimeoutMs);
  }

  /** Parsed at first use, so a refused call costs nothing here, and only once. */
  get query(): RawQuery {
    this.#query ??= parseQuery(this.search);
    return this.#query;
  }

  header(name: string, value: string): void {
    this.#headers.push(name, value);
  }

  headers(headers: Record<string, string>): void {
    for (const name in headers) this.#headers.push(name, headers[name] as string);
  }

  /** Adds to the one `Vary` header, because some caches read only the first. */
  vary(name: string): void {
    const headers = this.#headers;
    for (let index = 0; index < headers.length; index += 2)
      if (headers[index] === 'Vary') {
        headers[index + 1] += `, ${name}`;
        return;
      }
    headers.push('Vary', name);
  }

  send(status: number, text: string, type = JSON_TYPE): void {
    this.sendBytes(status, toByteString(text), type);
  }

  /**
   * Compresses the body if it is long enough and the client accepts it. It may be a rope of many pieces: V8 joins concatenated
   * strings only when it must, and nothing looks at them before they are sent.
   */
  sendCompressed(status: number, body: Bytes, type: string): void {
    const encoding = this.#negotiate(body.length);
    const bytes =
      encoding && compress(typeof body === 'string' ? Buffer.from(body, 'latin1') : body, encoding);
    if (bytes) this.header('Content-Encoding', encoding);
    this.sendBytes(status, bytes ?? body, type);
  }

  #negotiate(length: number): Encoding | undefined {
    if (length < MIN_COMPRESSED_LENGTH) return undefined;
    this.vary('Accept-Encoding');
    return negotiateEncoding(this.request.headers['accept-encoding'] as string);
  }

  sendBytes(status: number, bytes: Bytes, type: string): void {
    this.#headers.push('Content-Type', type, 'Content-Length', String(bytes.length));
    this.#end(status, bytes);
  }

  /** Sends no body. Headers that describe one, as in a response to HEAD, are up to the caller. */
  sendHead(status: number): void {
    this.#end(status, '');
  }

  redirect(status: 301 | 302, location: string, headers: Record<string, string> = {}): void {
    this.headers({ ...headers, Location: location, 'Content-Length': '0' });
    this.sendHead(status);
  }

  #end(status: number, body: Bytes): void {
    const { response } = this;
    response.writeHead(status, this.#headers);
    response.end(body, 'latin1');
    if (response.writableLength > 0) this.limitStalls();
    this.#options.onFinished(this, status);
  }

  /** Waits for the first bytes before it sends the head, because until then the response may still become an error. */
  async stream(status: number, bytes: Readable, addHeaders: () => void): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      bytes.once('readable', resolve).once('end', resolve).once('error', reject);
    });
    addHeaders();
    this.response.writeHead(status, this.#headers);
    this.limitStalls();
    bytes.once('error', (error) => this.#logReadError(error));
    // A client that disconnects is not an error. If it did so before the pipeline started, the file is still open.
    await pipeline(bytes, this.response).catch(() => bytes.destroy());
    this.#options.onFinished(this, status);
  }

  /** The stream also fails when the client disconnects, but then the connection is already destroyed. */
  #logReadError(error: Error): void {
    if (this.response.destroyed || this.request.socket.destroyed) return;
    this.log.error({ request: this.id, ...errorField(error) }, 'response aborted');
  }
}

/** Reads a target in absolute form, as clients send it to a proxy. RFC 9112: its host replaces the Host header. */
function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '/';
  const [origin = '', host] = /^https?:\/\/([^/?]*)/i.exec(url) ?? [];
  if (host === undefined) return url;
  request.headers.host = host;
  const path = url.slice(origin.length);
  return path.startsWith('/') ? path : `/${path}`;
}

// The envelope of every response, and the one place that turns errors into responses.

/** An error whose message the client gets. Any other error becomes a 500 and its message goes to the log only. */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** SVG that a browser gets instead if it asks for a picture. */
  readonly picture: string | undefined;
  constructor(status: number, message: string, headers: Record<string, string> = {}, picture?: string) {
    // Nobody reads the stack of a client's error, and capturing it is the most expensive part of a 429.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.status = status;
    this.headers = headers;
    this.picture = picture;
  }

  get body(): string {
    return errorBody(this.status, this.message);
  }
}

/** A 401 with its `WWW-Authenticate` header. */
export function unauthorized(message: string): ApiError {
  return new ApiError(401, message, { 'WWW-Authenticate': 'Bearer' });
}

/** `data` and `meta` are JSON. */
export function successBody(data: ByteString, meta?: ByteString): ByteString {
  return `{"success":true,"data":${data}${meta === undefined ? '' : `,"meta":${meta}`}}`;
}

export function errorBody(code: number, message: string): string {
  return `{"code":${code},"message":${JSON.stringify(message)},"success":false}`;
}

/** Sending a refusal costs less than throwing it: V8 looks up where an error was thrown. */
export function sendError(error: unknown, exchange: Exchange): undefined {
  if (exchange.response.headersSent) {
    exchange.response.destroy();
    return;
  }
  const { status, headers, picture, body } = toApiError(error, exchange);
  exchange.header('Cache-Control', 'no-store');
  exchange.headers(headers);
  if (picture !== undefined && acceptsSvg(exchange.request.headers.accept))
    exchange.send(status, picture, 'image/svg+xml');
  else exchange.send(status, body);
}

function toApiError(error: unknown, { id, log }: Exchange): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof Unavailable) {
    log.warn({ request: id, reason: error.message }, 'unavailable');
    const advice = error.advice ?? 'The service is temporarily unavailable: try again in a second.';
    return new ApiError(503, advice, { 'Retry-After': error.retryAfter });
  }
  log.error({ request: id, ...errorField(error) }, 'unexpected error');
  return new ApiError(500, 'Something went wrong on our side. Please try again later.');
}
