/** Responds to input that is not valid HTTP, in the error envelope. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Traffic } from '../metrics/traffic.ts';
import { errorBody } from './errors.ts';
import { JSON_TYPE } from './exchange.ts';
import type { Logger } from './logger.ts';

const statuses: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** A listener for the server's `clientError` event. */
export function malformedRequestHandler(log: Logger, traffic: Traffic) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    // Another response may still be in progress on this connection; ours would corrupt it.
    if (!socket.writable || socket.bytesWritten > 0 || error.code === 'ECONNRESET') {
      socket.destroy();
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
    traffic.countMalformed(status);
    log.info({ request: id, status, reason: error.code }, 'malformed request');
  };
}
