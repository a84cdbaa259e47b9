/** One request and its answer, over bare `node:http`: what a framework adds takes a fifth of the requests a second. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extraBytesOf } from '../../catalogue/image-document.ts';
import type { RouteTraffic } from '../metrics/traffic.ts';
import { compress, encodingFor, MIN_COMPRESSED_LENGTH } from './compression.ts';
import { errorField, type Logger } from './logger.ts';

const EXPOSED = [
  ...['ETag', 'Link', 'X-Total-Count', 'X-Next-Cursor', 'X-Request-Id', 'Content-Range', 'Retry-After'],
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit', 'RateLimit-Policy'],
].join(', ');

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Told once for each request, when its answer is sent, or all that will be sent of it. */
export type OnAnswered = (exchange: Exchange, status: number) => void;

export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly log: Logger;
  readonly id = randomUUID();
  readonly begun = performance.now();
  /** The path as it came, without the query. */
  readonly path: string;
  /** The query as it came, without its question mark. */
  readonly search: string;
  /** Where the request is counted; a route that knows it takes it over. */
  traffic: RouteTraffic;
  readonly #onAnswered: OnAnswered;
  /** Of the answer, names and values in turn: node writes them as they are. */
  readonly #headers: string[];

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    log: Logger,
    traffic: RouteTraffic,
    onAnswered: OnAnswered,
  ) {
    this.request = request;
    this.response = response;
    this.log = log;
    this.traffic = traffic;
    this.#onAnswered = onAnswered;
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.search = mark < 0 ? '' : url.slice(mark + 1);
    this.#headers = [
      ...['X-Request-Id', this.id, 'X-Content-Type-Options', 'nosniff'],
      ...['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED],
    ];
  }

  header(name: string, value: string): void {
    this.#headers.push(name, value);
  }

  headers(headers: Record<string, string>): void {
    for (const name in headers) this.#headers.push(name, headers[name] as string);
  }

  /** `surplus` is how many bytes more than characters the text has. */
  send(status: number, text: string, type = JSON_TYPE, extraBytes = extraBytesOf(text)): void {
    this.#headers.push('Content-Type', type, 'Content-Length', String(text.length + extraBytes));
    this.response.writeHead(status, this.#headers);
    // What is all ASCII needs no encoding.
    this.response.end(text, extraBytes === 0 ? 'latin1' : 'utf8');
    this.#onAnswered(this, status);
  }

  /** Compressed, where it is long enough and the client asks for it. */
  sendCompressed(status: number, text: string, type = JSON_TYPE, extraBytes?: number): void {
    const isLong = text.length >= MIN_COMPRESSED_LENGTH;
    if (isLong) this.header('Vary', 'Accept-Encoding');
    const encoding = isLong ? encodingFor(this.request.headers['accept-encoding'] as string) : undefined;
    const bytes = encoding && compress(text, encoding);
    if (!bytes) {
      this.send(status, text, type, extraBytes);
      return;
    }
    this.headers({ 'Content-Encoding': encoding, 'Content-Type': type });
    this.header('Content-Length', String(bytes.length));
    this.response.writeHead(status, this.#headers);
    this.response.end(bytes);
    this.#onAnswered(this, status);
  }

  /** An answer that is all head: what it says of a body is the caller's. */
  sendHead(status: number): void {
    this.response.writeHead(status, this.#headers);
    this.response.end();
    this.#onAnswered(this, status);
  }

  /** Waits for the first bytes before anything is said: until then it may still become an error. */
  async stream(status: number, bytes: Readable, describe: () => void): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      bytes.once('readable', resolve).once('end', resolve).once('error', reject);
    });
    describe();
    this.response.writeHead(status, this.#headers);
    bytes.once('error', (error) => this.#tellOfBreak(error));
    // Whoever goes away is nobody's error. Who has gone already leaves the bytes open, and that ends the process in time.
    await pipeline(bytes, this.response).catch(() => bytes.destroy());
    this.#onAnswered(this, status);
  }

  /** The storage failed in the middle. When it is the client that went, the response is gone by now. */
  #tellOfBreak(error: Error): void {
    if (this.response.destroyed || this.request.socket.destroyed) return;
    this.log.error({ request: this.id, ...errorField(error) }, 'response aborted');
  }
}
