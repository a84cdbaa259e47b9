/** The HTTP server: hands each request to whatever is mounted at its path, and answers what nothing is mounted for. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { batchPerTick } from '../../event-loop.ts';
import type { RouteTraffic, Traffic } from '../metrics/traffic.ts';
import { ApiError, sendError } from './errors.ts';
import { Exchange } from './exchange.ts';
import type { Logger } from './logger.ts';
import { malformedRequestHandler } from './malformed.ts';
import type { Router } from './router.ts';

const METHODS = 'GET, HEAD, OPTIONS';
const PREFLIGHT = {
  'Access-Control-Allow-Methods': METHODS,
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-None-Match, Range',
  'Access-Control-Max-Age': '86400',
  Allow: METHODS,
};
/** Longer than the load balancers in front keep a connection, so that they are the ones to close it. */
const KEEP_ALIVE_MS = 72_000;

/** `parameter` is what stands for the braces in the path. */
export type Handle = (exchange: Exchange, parameter: string) => void | Promise<void>;

export interface Mounted {
  handle: Handle;
  traffic: RouteTraffic;
}

export interface ServerOptions {
  router: Router<Mounted>;
  traffic: Traffic;
  log: Logger;
  clientOf: (request: IncomingMessage) => string;
  /** Runs before a 404 or 405, and may throw an error that comes first. */
  beforeError: (exchange: Exchange) => Promise<void>;
}

export interface HttpServer {
  server: Server;
  /** Returns the address. */
  listen(at: { host: string; port: number }): Promise<string>;
  /** Lets running requests finish. */
  close(): Promise<void>;
}

export function createServer({ router, traffic, log, clientOf, beforeError }: ServerOptions): HttpServer {
  const answer = async (exchange: Exchange): Promise<void> => {
    const { method } = exchange.request;
    const found = router.find(exchange.path);
    if (found) exchange.traffic = found.target.traffic;
    if (method === 'OPTIONS') {
      exchange.headers(PREFLIGHT);
      return exchange.sendHead(204);
    }
    if (found && (method === 'GET' || method === 'HEAD'))
      return found.target.handle(exchange, found.parameter);
    await beforeError(exchange);
    if (found)
      throw new ApiError(405, `The method ${method} is not allowed here: use GET.`, { Allow: METHODS });
    throw new ApiError(404, 'There is nothing at this address.');
  };
  const answerAll = batchPerTick<Exchange>((exchanges) => {
    for (const exchange of exchanges) answer(exchange).catch((error) => sendError(error, exchange));
  });

  const onAnswered = (exchange: Exchange, status: number) => {
    const { request, id, path } = exchange;
    const duration = performance.now() - exchange.begun;
    exchange.traffic.count(status, duration);
    if (!log.isLevelEnabled('info')) return;
    const ms = Math.round(duration * 100) / 100;
    log.info({ request: id, method: request.method, path, status, ms, client: clientOf(request) }, 'request');
  };

  let isClosing = false;
  const server = createHttpServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A request without a Host gets an answer too: the origin of links then is the address that was called.
    requireHostHeader: false,
  });
  server.on('clientError', malformedRequestHandler(log, traffic));
  server.on('request', (request, response) => {
    const exchange = new Exchange(request, response, log, traffic.unknown, onAnswered);
    if (isClosing) exchange.header('Connection', 'close');
    answerAll(exchange);
  });

  return {
    server,
    async listen({ host, port }) {
      server.listen(port, host);
      await once(server, 'listening');
      return addressOf(server.address() as AddressInfo);
    },
    async close() {
      isClosing = true;
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

/** As it can be called from this machine. */
function addressOf({ address, port, family }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (family === 'IPv4') return `http://${address}:${port}`;
  return `http://[${address === '::' ? '::1' : address}]:${port}`;
}
