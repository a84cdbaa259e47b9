/** Responds to input that is not valid HTTP, in the error envelope. */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Traffic } from '../metrics/traffic.ts';
import { errorBody } from './errors.ts';
import { JSON_TYPE } from './exchange.ts';
import type { Logger } from './logger.ts';
import { latestResponse } from './pipeline.ts';

const statuses: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};
/**
 * How long we discard what the client still sends. Closing a connection with unread input resets it, and the client would
 * lose our response; a proxy would then take this instance for broken.
 */
const LINGER_MS = 2000;

export function respondToMalformed(server: Server, log: Logger, traffic: Traffic): void {
  const rejected = new WeakSet<Socket>();
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    // The parser fails again for everything else that arrives.
    if (rejected.has(socket)) return;
    rejected.add(socket);
    if (error.code === 'ECONNRESET') {
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

function sendRejection(socket: Socket, error: NodeJS.ErrnoException, log: Logger, traffic: Traffic): void {
  if (!socket.writable) {
    socket.destroySoon();
    return;
  }
  const [status, reason] = statuses[error.code ?? ''] ?? [400, 'Bad Request'];
  const id = randomUUID();
  const body = errorBody(status, `${reason}.`);
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Connection: close',
    `X-Request-Id: ${id}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
  traffic.countMalformed(status);
  log.info({ request: id, status, reason: error.code }, 'malformed request');
}
