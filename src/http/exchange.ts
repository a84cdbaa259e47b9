/** One request and its response, on bare `node:http`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { newRequestId } from '../lib/random.ts';
import { errorField, type Logger } from './logger.ts';
import { parseQuery, type RawQuery } from './query-string.ts';
import { compress, type Encoding, MIN_COMPRESSED_LENGTH, negotiateEncoding } from './request.ts';
import type { RouteTraffic } from './traffic.ts';

const EXPOSED_HEADERS = [
  ...['ETag', 'Link', 'X-Total-Count', 'X-Next-Cursor', 'X-Request-Id', 'Content-Range', 'Retry-After'],
  'X-Ignored-Parameters',
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Refusals-Left'],
  ...['RateLimit', 'RateLimit-Policy'],
].join(', ');

/**
 * A byte string (see image-document.ts) is sent in one piece with the head, which takes a tenth less time for a few kilobytes;
 * a buffer needs no conversion, however long it is.
 */
export type Bytes = Buffer | string;

export const JSON_TYPE = 'application/json; charset=utf-8';

export interface ExchangeOptions {
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

  /**
   * The text may be a byte string (see image-document.ts). Then it may also be a rope of many pieces: V8 joins concatenated
   * strings only when it must, and nothing looks at them before they are sent.
   */
  send(status: number, text: string, type = JSON_TYPE, isByteString = false): void {
    const length = isByteString ? text.length : Buffer.byteLength(text);
    this.#headers.push('Content-Type', type, 'Content-Length', String(length));
    // Text with as many bytes as characters is ASCII, and writing that as latin1 skips the UTF-8 encoder.
    this.#end(status, text, length === text.length ? 'latin1' : 'utf8');
  }

  /** Compresses the body if it is long enough and the client accepts it. */
  sendCompressed(status: number, text: string, type = JSON_TYPE, isByteString = false): void {
    const encoding = this.#negotiate(text.length);
    const bytes = encoding && compress(Buffer.from(text, isByteString ? 'latin1' : 'utf8'), encoding);
    if (bytes) this.#sendEncoded(status, bytes, type, encoding);
    else this.send(status, text, type, isByteString);
  }

  #negotiate(length: number): Encoding | undefined {
    if (length < MIN_COMPRESSED_LENGTH) return undefined;
    this.vary('Accept-Encoding');
    return negotiateEncoding(this.request.headers['accept-encoding'] as string);
  }

  #sendEncoded(status: number, bytes: Buffer, type: string, encoding: Encoding): void {
    this.header('Content-Encoding', encoding);
    this.sendBytes(status, bytes, type);
  }

  sendBytes(status: number, bytes: Bytes, type: string): void {
    this.#headers.push('Content-Type', type, 'Content-Length', String(bytes.length));
    this.#end(status, bytes, 'latin1');
  }

  /** Sends no body. Headers that describe one, as in a response to HEAD, are up to the caller. */
  sendHead(status: number): void {
    this.#end(status, '', 'latin1');
  }

  #end(status: number, body: Bytes, encoding: 'latin1' | 'utf8'): void {
    const { response } = this;
    response.writeHead(status, this.#headers);
    response.end(body, encoding);
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
