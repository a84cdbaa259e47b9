/**
 * Handles the requests of a connection one after the other, and stops reading the connection meanwhile. Node would hand over
 * every pipelined request at once and hold all their responses: a client that sends thousands of requests and reads nothing
 * would fill the memory.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
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
export function latestResponse(socket: Socket): ServerResponse | undefined {
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
