/** The HTTP server: the routes under each prefix, and what is true of every answer. */
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gather } from '../turns.ts';
import { answerCall } from './call.ts';
import { ApiError, errorBody, sendError } from './errors.ts';
import { Exchange, JSON_TYPE } from './exchange.ts';
import { sendFile } from './files.ts';
import { Gallery } from './gallery.ts';
import { admit } from './limit.ts';
import { factsOf, type Log } from './log.ts';
import { METRICS_TYPE, metricsText } from './metrics.ts';
import { referencePages } from './reference/pages.ts';
import { decode, Router } from './router.ts';
import { routes } from './routes.ts';
import type { Services } from './services.ts';

const METHODS = 'GET, HEAD, OPTIONS';
const PREFLIGHT = {
  'Access-Control-Allow-Methods': METHODS,
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-None-Match, Range',
  'Access-Control-Max-Age': '86400',
  Allow: METHODS,
};
/** Longer than the balancers in front of us keep a connection, so that it is never we who close it under a request. */
const KEEP_ALIVE_MS = 72_000;

type Handle = (exchange: Exchange, parameter: string) => void | Promise<void>;

export interface WebServer {
  server: Server;
  /** Gives the address. */
  listen(at: { host: string; port: number }): Promise<string>;
  /** Lets running requests finish. */
  close(): Promise<void>;
}

export function createServer(services: Services, prefixes: readonly string[], log: Log): WebServer {
  const router = new Router<Handle>();
  for (const prefix of prefixes)
    for (const route of routes)
      router.add(route.path === '/' ? prefix : prefix + route.path, (exchange, id) =>
        answerCall(route, prefix, id, services, exchange),
      );
  router.add('/files/{name}', (exchange, name) => sendFile(services, exchange, name));
  router.add('/health/live', (exchange) => exchange.send(200, '{"status":"ok"}'));
  router.add('/health/ready', (exchange) => sendReadiness(services, exchange));
  router.add('/metrics', (exchange) =>
    exchange.send(200, metricsText(services.catalogue.figures()), METRICS_TYPE),
  );
  for (const [path, send] of Object.entries(referencePages(routes, prefixes)))
    router.add(path, (exchange) => send(exchange, services.originOf(exchange.request)));
  const gallery = new Gallery(prefixes[0] ?? '');
  router.add('/', (exchange) => gallery.send(exchange, 'index.html', services));
  router.add('/gallery/{name}', (exchange, name) => gallery.send(exchange, name, services));
  router.add('/gallery/client/{name}', (exchange, name) =>
    gallery.send(exchange, `client/${name}`, services),
  );

  const answer = async (exchange: Exchange): Promise<void> => {
    const { method } = exchange.request;
    if (method === 'OPTIONS') {
      exchange.headers(PREFLIGHT);
      return exchange.sendHead(204);
    }
    const found = router.find(exchange.path);
    if (found && (method === 'GET' || method === 'HEAD')) return found.target(exchange, found.parameter);
    if (isUnder(prefixes, decode(exchange.path))) await admit(services, exchange);
    if (found)
      throw new ApiError(405, `The method ${method} is not allowed here: use GET.`, { Allow: METHODS });
    throw new ApiError(404, 'There is nothing at this address.');
  };
  const answerAll = gather<Exchange>((exchanges) => {
    for (const exchange of exchanges) answer(exchange).catch((error) => sendError(error, exchange));
  });

  let isClosing = false;
  const server = createHttpServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A request without a Host gets its answer too: the origin of links then is the address that was called.
    requireHostHeader: false,
  });
  server.on('clientError', refuseGarbage);
  server.on('request', (request, response) => {
    const exchange = new Exchange(request, response, log);
    if (isClosing) exchange.header('Connection', 'close');
    if (log.isOn('info')) response.once('close', () => logRequest(exchange, services));
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

function isUnder(prefixes: readonly string[], path: string): boolean {
  return prefixes.some((prefix) => `${path}/`.startsWith(`${prefix}/`));
}

/** As it can be called from this machine. */
function addressOf({ address, port, family }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (family === 'IPv4') return `http://${address}:${port}`;
  return `http://[${address === '::' ? '::1' : address}]:${port}`;
}

function logRequest({ request, response, id, path, begun, log }: Exchange, { clientOf }: Services): void {
  const { method } = request;
  const ms = Math.round((performance.now() - begun) * 100) / 100;
  log.info(
    { request: id, method, path, status: response.statusCode, ms, client: clientOf(request) },
    'request',
  );
}

async function sendReadiness({ catalogue, limiter }: Services, exchange: Exchange): Promise<void> {
  try {
    await catalogue.statistics();
    const isDegraded = limiter?.isDegraded() ?? false;
    exchange.send(
      200,
      JSON.stringify(isDegraded ? { status: 'degraded', part: 'limits' } : { status: 'ready' }),
    );
  } catch (error) {
    exchange.log.error({ request: exchange.id, ...factsOf(error) }, 'the catalogue cannot be read');
    exchange.send(503, JSON.stringify({ status: 'unavailable', part: 'catalogue' }));
  }
}

/** Answers what is not HTTP, in the envelope all the same. */
function refuseGarbage(error: NodeJS.ErrnoException, socket: Socket): void {
  // Behind an answer that may be running there is no room for another.
  if (!socket.writable || socket.bytesWritten > 0 || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, reason] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout']
        : [400, 'Bad Request'];
  const body = errorBody(status as number, `${reason}.`);
  const head = `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: ${JSON_TYPE}`;
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
