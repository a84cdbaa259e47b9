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
  isBusy: boolean;
  waiting: [IncomingMessage, ServerResponse][];
}

/** Wraps a listener for the server's `request` event. */
export function oneAtATime(handle: Handle): Handle {
  const connections = new WeakMap<Socket, Connection>();
  let waitingCount = 0;

  const start = (connection: Connection, request: IncomingMessage, response: ServerResponse) => {
    connection.isBusy = true;
    // Emitted when the system has taken the whole response, or the client is gone.
    response.once('close', () => startNext(connection));
    handle(request, response);
  };

  const startNext = (connection: Connection) => {
    const { socket, waiting } = connection;
    connection.isBusy = false;
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
  };

  return (request, response) => {
    const { socket } = request;
    let connection = connections.get(socket);
    if (!connection) {
      connection = { socket, isBusy: false, waiting: [] };
      connections.set(socket, connection);
    }
    if (!connection.isBusy) {
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

/** Until nothing waits any more. In the next tick, because Node resumes the socket after each request that it parsed. */
function stopReading({ socket, waiting }: Connection): void {
  process.nextTick(() => {
    if (waiting.length > 0) socket.pause();
    else socket.resume();
  });
}
