/**
 * Handles the requests of a connection one after the other, and stops reading the connection meanwhile. Node would hand over
 * every pipelined request at once and hold all their responses: a client that sends thousands of requests and reads nothing
 * would fill the memory.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { newRequestId } from '../lib/random.ts';
import { ApiError, errorBody, JSON_TYPE, type Traffic } from './exchange.ts';
import type { Logger } from './logger.ts';

/**
 * How many requests may wait on a connection, at 2.5 KB each. What follows is discarded, and the connection is closed after
 * the last response; RFC 9112 lets clients send the rest again.
 */
const MAX_WAITING = 16;
/** Tells Node's parser that the rest of the chunk is not HTTP. */
const STOP_PARSING = 2;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  socket: Socket;
  current: ServerResponse | undefined;
  waiting: [IncomingMessage, ServerResponse][];
  /** Nothing more is parsed. */
  isFull: boolean;
}

/**
 * What we use of Node's parser. Without it, which is not documented, the whole chunk would be parsed.
 * `warnAboutPipelining` finds out whether it works.
 */
interface Parser {
  onIncoming?: (request: IncomingMessage & { upgrade: boolean | null }, shouldKeepAlive: boolean) => number;
}

/** A property of the socket, because looking it up in a WeakMap takes longer. */
const key = Symbol('connection');

type KeyedSocket = Socket & { [key]?: Connection; parser?: Parser };

/** The response to the latest request of a connection, if it is not complete. */
function latestResponse(socket: Socket): ServerResponse | undefined {
  const connection = (socket as KeyedSocket)[key];
  return connection?.waiting.at(-1)?.[1] ?? connection?.current;
}

/**
 * Wraps a listener for the server's `request` event. While requests wait, the connection is not read, and nobody would notice
 * that the client is gone: it is closed if nothing moves for this time. 0 sets no limit.
 */
export function oneAtATime(handle: Handle, stallTimeoutMs: number): Handle {
  const start = (connection: Connection, request: IncomingMessage, response: ServerResponse) => {
    connection.current = response;
    // Emitted when the system has taken the whole response, or the client is gone.
    response.on('close', startNext);
    handle(request, response);
  };

  function startNext(this: ServerResponse): void {
    const connection = (this.req.socket as KeyedSocket)[key] as Connection;
    const { socket, waiting } = connection;
    connection.current = undefined;
    if (waiting.length === 0) return;
    if (socket.destroyed) {
      // Nothing is opened or read for a client that is gone.
      waiting.length = 0;
      return;
    }
    start(connection, ...(waiting.shift() as [IncomingMessage, ServerResponse]));
    stopReading(connection);
  }

  return (request, response) => {
    const socket = request.socket as KeyedSocket;
    socket[key] ??= { socket, current: undefined, waiting: [], isFull: false };
    const connection = socket[key];
    if (!connection.current) {
      start(connection, request, response);
      return;
    }
    connection.waiting.push([request, response]);
    if (stallTimeoutMs > 0) socket.setTimeout(stallTimeoutMs);
    stopReading(connection);
  };
}

/**
 * Stops parsing when too many requests wait. Node parses a whole chunk before it stops reading: 64 KB can hold 2,500
 * requests, and parsing those of 20 connections would delay everybody by more than a second. Call it when Node has set up
 * the connection.
 */
export function limitPipeline(connected: Socket): void {
  const socket = connected as KeyedSocket;
  const { parser } = socket;
  const onIncoming = parser?.onIncoming;
  if (!parser || !onIncoming) return;
  parser.onIncoming = (request, shouldKeepAlive) => {
    const connection = socket[key];
    // We never switch protocols. Node would destroy the connection after CONNECT, with all responses that are due. The
    // parser ignores what follows in the chunk, so the response must close the connection.
    const isSwitch = request.upgrade === true;
    if (isSwitch) request.upgrade = false;
    if (!connection || (connection.waiting.length < MAX_WAITING && !connection.isFull))
      return onIncoming(request, shouldKeepAlive && !isSwitch);
    const last = connection.waiting.at(-1)?.[1];
    if (last && !connection.isFull) last.setHeader('Connection', 'close');
    connection.isFull = true;
    return STOP_PARSING;
  };
}

/** Until nothing waits any more. In the next tick, because Node resumes the socket after each request that it parsed. */
function stopReading({ socket, waiting }: Connection): void {
  process.nextTick(() => {
    if (waiting.length > 0) socket.pause();
    else socket.resume();
  });
}

const { createServer } = process.getBuiltinModule('node:http');

/** Warns if this Node does not let us limit pipelining, which depends on a part of it that is not documented. */
export async function warnAboutPipelining(log: Logger): Promise<void> {
  if (await isPipeliningLimited()) return;
  const { version } = process;
  log.warn({ version }, 'this Node does not let zukan limit pipelined requests; use another version of Node');
}

/** Sends more requests than may wait to a server without a port, and counts those that Node parsed. */
export async function isPipeliningLimited(): Promise<boolean> {
  const server = createServer();
  let parsed = 0;
  server.on('connection', limitPipeline);
  server.on('request', () => parsed++);
  server.on(
    'request',
    oneAtATime(() => {}, 0),
  );
  const [client, connection] = duplexPair();
  server.emit('connection', connection);
  const requests = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2 * MAX_WAITING);
  await new Promise((resolve) => client.write(requests, resolve));
  await setImmediate();
  connection.destroy();
  client.destroy();
  return parsed === 1 + MAX_WAITING;
}

// Responds to input that is not valid HTTP, in the error envelope.

/** Every address allows the same methods. */
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
