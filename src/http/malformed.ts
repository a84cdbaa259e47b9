/** Responds to input that is not valid HTTP, in the error envelope. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { newRequestId } from '../lib/random.ts';
import { ApiError, errorBody } from './errors.ts';
import { JSON_TYPE } from './exchange.ts';
import type { Logger } from './logger.ts';
import { latestResponse } from './pipeline.ts';
import type { Traffic } from './traffic.ts';

/** Of every address. */
export const METHODS = 'GET, HEAD, OPTIONS';

export function methodNotAllowed(method: string): ApiError {
  return new ApiError(405, `The method ${method} is not allowed here: use GET.`, { Allow: METHODS });
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};
const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };
/**
 * How long we discard what the client still sends. Closing a connection with unread input resets it, and the client would
 * lose our response; a proxy would then take this instance for broken.
 */
const LINGER_MS = 2000;

/** What Node adds to an error of its parser. */
interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  bytesParsed?: number;
}

export function respondToMalformed(server: Server, log: Logger, traffic: Traffic): void {
  const rejected = new WeakSet<Socket>();
  server.on('clientError', (error: ParserError, stream) => {
    const socket = stream as Socket;
    // The parser fails again for everything else that arrives.
    if (rejected.has(socket)) return;
    rejected.add(socket);
    // Browsers open connections that they may never use.
    const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
    if (error.code === 'ECONNRESET' || isUnused) {
      socket.destroy();
      return;
    }
    const reject = () => sendRejection(socket, error, log, traffic);
    const response = latestResponse(socket);
    // Valid requests came before on this connection. Their responses come first.
    if (response) response.once('close', reject);
    else reject();
  });
}

function sendRejection(socket: Socket, error: ParserError, log: Logger, traffic: Traffic): void {
  if (!socket.writable) {
    socket.destroySoon();
    return;
  }
  const { status, message, headers } = parserErrorToApiError(error);
  const id = newRequestId();
  const body = errorBody(status, message);
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `X-Request-Id: ${id}`,
    'X-Content-Type-Options: nosniff',
    'Access-Control-Allow-Origin: *',
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
  traffic.countMalformed(status);
  log.info({ request: id, status, reason: error.code }, 'malformed request');
}

function parserErrorToApiError(error: ParserError): ApiError {
  const method = unknownMethod(error);
  if (method !== undefined) return methodNotAllowed(method);
  const status = statuses[error.code ?? ''] ?? 400;
  const advice = error.code === 'HPE_INVALID_URL' ? ': percent-encode the address (é is %C3%A9)' : '';
  return new ApiError(status, `${reasons[status]}${advice}.`);
}

/** The parser rejects methods that it does not know, even if the request is valid otherwise. */
function unknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return undefined;
  const text = rawPacket.toString('latin1');
  const line = text.slice(text.lastIndexOf('\n', bytesParsed - 1) + 1);
  return /^([!#$%&'*+.^_`|~\w-]{1,32}) \S+ HTTP\/1\.[01]\r?\n/.exec(line)?.[1];
}
