/**
 * Handles the requests of a connection one after the other, and stops reading the connection meanwhile. Node would hand over
 * every pipelined request at once and hold all their responses: a client that sends thousands of requests and reads nothing
 * would fill the memory.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Node parses a whole chunk, up to 64 KB of requests, before it stops reading. With this many requests waiting on all
 * connections (2.5 KB each), those with a deep pipeline are closed.
 */
const MAX_WAITING = 10_000;
const MAX_WAITING_PER_CONNECTION = 32;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  socket: Socket;
  current: ServerResponse | undefined;
  waiting: [IncomingMessage, ServerResponse][];
}

/** A property of the socket, because looking it up in a WeakMap takes longer. */
const key = Symbol('connection');

type KeyedSocket = Socket & { [key]?: Connection };

/** The response to the latest request of a connection, if it is not complete. */
export function latestResponse(socket: Socket): ServerResponse | undefined {
  const connection = (socket as KeyedSocket)[key];
  return connection?.waiting.at(-1)?.[1] ?? connection?.current;
}

/** Wraps a listener for the server's `request` event. */
export function oneAtATime(handle: Handle): Handle {
  let waitingCount = 0;

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
      waitingCount -= waiting.length;
      waiting.length = 0;
      return;
    }
    waitingCount--;
    start(connection, ...(waiting.shift() as [IncomingMessage, ServerResponse]));
    stopReading(connection);
  }

  return (request, response) => {
    const socket = request.socket as KeyedSocket;
    socket[key] ??= { socket, current: undefined, waiting: [] };
    const connection = socket[key];
    if (!connection.current) {
      start(connection, request, response);
      return;
    }
    if (waitingCount >= MAX_WAITING && connection.waiting.length >= MAX_WAITING_PER_CONNECTION) {
      socket.destroy();
      return;
    }
    connection.waiting.push([request, response]);
    waitingCount++;
    stopReading(connection);
  };
}

/**
 * When a client disconnects, Node aborts each of its requests with an error. Capturing and formatting the stacks of a
 * thousand errors would take longer than all requests. Call it when Node has added its own listeners to the socket.
 */
export function abortWithoutStacks(socket: Socket): void {
  let { stackTraceLimit } = Error;
  socket.prependListener('close', () => {
    stackTraceLimit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  socket.on('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}

/** Until nothing waits any more. In the next tick, because Node resumes the socket after each request that it parsed. */
function stopReading({ socket, waiting }: Connection): void {
  process.nextTick(() => {
    if (waiting.length > 0) socket.pause();
    else socket.resume();
  });
}
