/** The envelope of every response, and the one place that turns errors into responses. */
import { Unavailable } from '../lib/errors.ts';
import type { Exchange } from './exchange.ts';
import { errorField } from './logger.ts';
import { acceptsSvg } from './request.ts';

/** An error whose message the client gets. Any other error becomes a 500 and its message goes to the log only. */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** SVG that a browser gets instead if it asks for a picture. */
  readonly picture: string | undefined;
  #body: string | undefined;
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

  /** Kept, because a refusal may be sent many times. */
  get body(): string {
    this.#body ??= errorBody(this.status, this.message);
    return this.#body;
  }
}

/** A 401 with its `WWW-Authenticate` header. */
export function unauthorized(message: string): ApiError {
  return new ApiError(401, message, { 'WWW-Authenticate': 'Bearer' });
}

/** `data` and `meta` are JSON text. */
export function successBody(data: string, meta?: string): string {
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
    return new ApiError(503, 'The service is temporarily unavailable: try again in a second.', {
      'Retry-After': '1',
    });
  }
  log.error({ request: id, ...errorField(error) }, 'unexpected error');
  return new ApiError(500, 'Something went wrong on our side. Please try again later.');
}
