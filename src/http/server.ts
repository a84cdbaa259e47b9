/** The generic HTTP server: dispatches requests to mounted handlers, responds to everything else, counts and logs. */
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { batchPerTick } from '../lib/concurrency.ts';
import { ApiError, Exchange, type RouteTraffic, sendError, type Traffic } from './exchange.ts';
import type { Logger } from './logger.ts';
import { limitPipeline, METHODS, methodNotAllowed, oneAtATime, respondToMalformed } from './pipeline.ts';
import { decodeEscapes, withoutSignature } from './request.ts';

/** An `import` would also load fetch and HTTP/2, which costs CPU time at each start. */
const { createServer: createHttpServer } = process.getBuiltinModule('node:http');

const ALLOW = { Allow: METHODS };
const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': METHODS,
  // The asterisk stands for every header but this one.
  'Access-Control-Allow-Headers': '*, Authorization',
  'Access-Control-Max-Age': '86400',
  ...ALLOW,
};
/** Longer than load balancers keep idle connections, so they close first and never reuse one that we just closed. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** Node's default, written down because docs/api.md promises it. nginx passes on more than that, and our 431 to the client. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Thousands of short headers would take longer to read than most requests take to answer. */
const MAX_HEADERS = 100;

/** Bounds the wait if clients never stop connecting. */
const MAX_ACCEPT_TICKS = 1000;

/** `parameter` is the value for the braces in the path. */
export type Handler = (exchange: Exchange, parameter: string) => void | Promise<void>;

export interface Mounted {
  handle: Handler;
  traffic: RouteTraffic;
  /** Not for pages of other sites, unlike the API: there are no CORS headers. */
  isPrivate?: boolean;
}

/** How long the headers of a request may take to arrive, and how long a part of a response to get through. */
const STALL_TIMEOUT_MS = 30_000;

interface HttpServerOptions {
  router: Router<Mounted>;
  traffic: Traffic;
  log: Logger;
  clientOf: (request: IncomingMessage) => string;
  /** Runs before a 404 or 405. An `ApiError` that it returns, or its promise, is sent instead. */
  beforeError: (exchange: Exchange) => unknown;
  /** Responds to a path that matches no route, or throws the error to send. */
  notFound: (exchange: Exchange) => void;
  stallTimeoutMs?: number;
}

export interface Address {
  host: string;
  port: number;
  /** Several threads may listen on the same port. The system distributes the connections. */
  reusePort?: boolean;
}

export interface HttpServer {
  server: Server;
  /** Returns the URL. */
  listen(address: Address): Promise<string>;
  /**
   * Stops accepting connections and waits for running requests. Idle connections are closed after `idleMs`: a request that
   * is on its way until then gets its response, which tells the client to close the connection.
   */
  close(idleMs?: number): Promise<void>;
}

export function createServer(options: HttpServerOptions): HttpServer {
  const { router, traffic, log, clientOf, stallTimeoutMs = STALL_TIMEOUT_MS } = options;
  /** Throws, or returns a promise that may be rejected. */
  const dispatch = (exchange: Exchange): void | Promise<void> => {
    const { method, headers, rawHeaders } = exchange.request;
    if (rawHeaders.length > 2 * MAX_HEADERS)
      throw new ApiError(431, `A request has at most ${MAX_HEADERS} headers.`);
    if (!hasOneHost(exchange.request))
      throw new ApiError(400, 'Invalid Host: a request of HTTP/1.1 has exactly one Host header.');
    const match = router.find(exchange.path);
    if (match) exchange.traffic = match.target.traffic;
    const isPrivate = match?.target.isPrivate === true;
    if (isPrivate) exchange.forbidOtherSites();
    if (headers.expect && !/^100-continue$/i.test(headers.expect))
      throw new ApiError(417, 'This expectation cannot be met: send the request without Expect.');
    if (method === 'OPTIONS') {
      exchange.headers(isPrivate ? ALLOW : PREFLIGHT_HEADERS);
      return exchange.sendHead(204);
    }
    if (match && (method === 'GET' || method === 'HEAD'))
      return match.target.handle(exchange, match.parameter);
    const refuse = (error: unknown) => {
      if (error instanceof ApiError) return sendError(error, exchange);
      // The target of CONNECT is not a path.
      if (match || method === 'CONNECT') throw methodNotAllowed(method ?? '');
      options.notFound(exchange);
    };
    const checked = options.beforeError(exchange);
    return checked instanceof Promise ? checked.then(refuse) : refuse(checked);
  };
  const enqueue = batchPerTick<Exchange>((exchanges) => {
    for (const exchange of exchanges)
      try {
        dispatch(exchange)?.catch((error) => sendError(error, exchange));
      } catch (error) {
        sendError(error, exchange);
      }
  });

  const onFinished = (exchange: Exchange, status: number) => {
    const { request, id } = exchange;
    const duration = performance.now() - exchange.startedAt;
    exchange.traffic.count(status, duration);
    if (!log.isLevelEnabled('info')) return;
    const path = withoutSignature(exchange.path);
    const ms = Math.round(duration * 100) / 100;
    log.info({ request: id, method: request.method, path, status, ms, client: clientOf(request) }, 'request');
  };

  const exchangeOptions = { log, onFinished, stallTimeoutMs };
  let isClosing = false;
  const server = createHttpServer({
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    headersTimeout: stallTimeoutMs,
    connectionsCheckingInterval: stallTimeoutMs / 5,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node's own response has no envelope.
    requireHostHeader: false,
    // A request without a body is no stream that Node has to end and close, which would take up to 8 µs of CPU time.
    optimizeEmptyRequests: true,
  });
  // Node leaves out the others.
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.on('connection', limitPipeline);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  respondToMalformed(server, log, traffic);
  // By default Node sends a bare 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on(
    'request',
    oneAtATime((request, response) => {
      const exchange = new Exchange(request, response, traffic.unknown, exchangeOptions);
      // No request has a body. Node would read one to its end, however long it is.
      if (isClosing || hasBody(request)) exchange.header('Connection', 'close');
      enqueue(exchange);
    }, stallTimeoutMs),
  );

  return {
    server,
    async listen(address) {
      server.listen(address);
      await once(server, 'listening');
      return localUrl(server.address() as AddressInfo);
    },
    async close(idleMs = 10) {
      isClosing = true;
      if (!server.listening) return;
      await acceptWaiting(server);
      const closed = once(server, 'close');
      // Unlike the method of the HTTP server, this one leaves idle connections open.
      NetServer.prototype.close.call(server);
      const closeIdle = () => {
        server.closeIdleConnections();
        // Node counts those that have sent nothing as busy. Browsers open connections in advance.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      };
      const timer = setInterval(closeIdle, idleMs);
      await closed;
      clearInterval(timer);
    },
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Two would let a proxy and us disagree about what was called. Node keeps the first. */
function hasOneHost({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
}

/** The system resets connections that are not accepted yet when the server stops listening. Node accepts one per tick. */
async function acceptWaiting(server: Server): Promise<void> {
  let isQuiet = false;
  const onConnection = () => {
    isQuiet = false;
  };
  server.on('connection', onConnection);
  await nextTick();
  for (let ticks = 0; !isQuiet && ticks < MAX_ACCEPT_TICKS; ticks++) {
    isQuiet = true;
    await nextTick();
  }
  server.off('connection', onConnection);
}

/** A URL that works from this machine, even if the server listens on all interfaces. */
function localUrl({ address, port, family }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (family === 'IPv4') return `http://${address}:${port}`;
  return `http://[${address === '::' ? '::1' : address}]:${port}`;
}

// Maps paths to targets. A path has at most one parameter, in braces: a part between slashes, or with `{name*}` all that follows.

interface Match<T> {
  target: T;
  /** The value of the parameter; empty if the path has none. */
  parameter: string;
}

interface Pattern<T> {
  prefix: string;
  hasSlashes: boolean;
  suffix: string;
  target: T;
}

export class Router<T> {
  readonly #exact = new Map<string, T>();
  readonly #patterns: Pattern<T>[] = [];

  add(path: string, target: T): void {
    const [prefix = '', star, suffix] = path.split(/\{\w+(\*?)\}/);
    if (suffix === undefined) this.#exact.set(path, target);
    else this.#patterns.push({ prefix, hasSlashes: star === '*', suffix, target });
  }

  /** Ignores a trailing slash. */
  find(path: string): Match<T> | undefined {
    const decoded = decodePath(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
    const target = this.#exact.get(decoded);
    if (target !== undefined) return { target, parameter: '' };
    for (const { prefix, hasSlashes, suffix, target } of this.#patterns) {
      if (!decoded.startsWith(prefix) || !decoded.endsWith(suffix)) continue;
      const parameter = decoded.slice(prefix.length, decoded.length - suffix.length);
      if (parameter !== '' && (hasSlashes || !parameter.includes('/'))) return { target, parameter };
    }
    return undefined;
  }
}

/** Longer than any address, even if all of it is escaped. */
const MAX_ESCAPED_LENGTH = 1000;

/** Resolves escapes, except for escaped slashes. A path with invalid escapes, or one that is too long, stays as it is. */
export function decodePath(path: string): string {
  return path.includes('%') && path.length <= MAX_ESCAPED_LENGTH
    ? decodeEscapes(path.replaceAll(/%2f/gi, '%252F'))
    : path;
}
