/** The envelope of every answer, and the one place where errors become HTTP. */
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { Unavailable } from '../model.ts';

/** An error that the client is told of. Anything else that is thrown becomes a 500 whose text stays here. */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** A 401, with the word of how to authenticate that belongs to it. */
export function unauthorized(message: string): ApiError {
  return new ApiError(401, message, { 'WWW-Authenticate': 'Bearer' });
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** `data` and `meta` are JSON text. */
export function successBody(data: string, meta?: string): string {
  return meta === undefined
    ? `{"success":true,"data":${data}}`
    : `{"success":true,"data":${data},"meta":${meta}}`;
}

export function errorBody(code: number, message: string): string {
  return JSON.stringify({ code, message, success: false });
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, message, headers } = toApiError(error, request.log);
  // An error is of this moment, whatever was about to be sent.
  reply.removeHeader('ETag').header('Cache-Control', 'no-store').headers(headers);
  reply.code(status).type(JSON_TYPE).send(errorBody(status, message));
}

function toApiError(error: unknown, log: FastifyBaseLogger): ApiError {
  if (error instanceof ApiError) return error;
  // What the framework itself refuses: a malformed address, say.
  const status = (error as { statusCode?: number }).statusCode;
  if (status !== undefined && status >= 400 && status < 500)
    return new ApiError(status, 'The request is malformed.');
  if (error instanceof Unavailable) {
    log.warn({ reason: error.message }, 'unavailable');
    return new ApiError(503, 'The service is not available for now: try again in a second.', {
      'Retry-After': '1',
    });
  }
  log.error({ err: error }, 'unexpected error');
  return new ApiError(500, 'Something went wrong on our side. Please try again later.');
}
