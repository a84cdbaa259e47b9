/** The HTTP server: the routes under each prefix, and what is true of every answer. */
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gather } from '../turns.ts';
import { answerCall } from './call.ts';
import { ApiError, sendError } from './errors.ts';
import { Exchange } from './exchange.ts';
import { sendFile } from './files.ts';
import { Gallery } from './gallery.ts';
import { garbageRefuser } from './garbage.ts';
import { sendReadiness } from './health.ts';
import { admit } from './limit.ts';
import type { Log } from './log.ts';
import { sendMetrics } from './metrics.ts';
import { referencePages } from './reference/pages.ts';
import { decode, Router } from './router.ts';
import { routes } from './routes.ts';
import type { Services } from './services.ts';
import { ProcessFigures } from './watch/process.ts';
import { type RouteTraffic, Traffic } from './watch/traffic.ts';

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

interface Mounted {
  handle: Handle;
  traffic: RouteTraffic;
}

export interface WebServer {
  server: Server;
  /** Gives the address. */
  listen(at: { host: string; port: number }): Promise<string>;
  /** Lets running requests finish. */
  close(): Promise<void>;
}

export function createServer(services: Services, prefixes: readonly string[], log: Log): WebServer {
  const router = new Router<Mounted>();
  const traffic = new Traffic();
  const ownProcess = new ProcessFigures();
  const figures = () => [...traffic.figures(), ...ownProcess.figures()];
  /** `route` is the name that it is counted by. */
  const mount = (path: string, handle: Handle, route = path) =>
    router.add(path, { handle, traffic: traffic.of(route) });
  for (const prefix of prefixes)
    for (const route of routes)
      mount(
        route.path === '/' ? prefix : prefix + route.path,
        (exchange, id) => answerCall(route, prefix, id, services, exchange),
        route.path,
      );
  mount('/files/{name}', (exchange, name) => sendFile(services, exchange, name));
  mount('/health/live', (exchange) => exchange.send(200, '{"status":"ok"}'));
  mount('/health/ready', (exchange) => sendReadiness(services, exchange));
  mount('/metrics', (exchange) => sendMetrics(services, figures, exchange));
  for (const [path, send] of Object.entries(referencePages(routes, prefixes)))
    mount(path, (exchange) => send(exchange, services.originOf(exchange.request)));
  const gallery = new Gallery(prefixes[0] ?? '');
  mount('/', (exchange) => gallery.send(exchange, 'index.html', services), '/gallery');
  mount('/gallery/{name}', (exchange, name) => gallery.send(exchange, name, services));
  mount('/gallery/client/{name}', (exchange, name) => gallery.send(exchange, `client/${name}`, services));

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
    if (isUnder(prefixes, decode(exchange.path))) await admit(services, exchange);
    if (found)
      throw new ApiError(405, `The method ${method} is not allowed here: use GET.`, { Allow: METHODS });
    throw new ApiError(404, 'There is nothing at this address.');
  };
  const answerAll = gather<Exchange>((exchanges) => {
    for (const exchange of exchanges) answer(exchange).catch((error) => sendError(error, exchange));
  });

  const onAnswered = (exchange: Exchange, status: number) => {
    const ms = performance.now() - exchange.begun;
    exchange.traffic.count(status, ms);
    if (log.isOn('info')) logRequest(exchange, status, ms, services);
  };

  let isClosing = false;
  const server = createHttpServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    // A request without a Host gets its answer too: the origin of links then is the address that was called.
    requireHostHeader: false,
  });
  server.on('clientError', garbageRefuser(log, traffic));
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
      ownProcess.start();
      return addressOf(server.address() as AddressInfo);
    },
    async close() {
      isClosing = true;
      ownProcess.stop();
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

function logRequest(
  { request, id, path, log }: Exchange,
  status: number,
  took: number,
  { clientOf }: Services,
): void {
  const { method } = request;
  const ms = Math.round(took * 100) / 100;
  log.info({ request: id, method, path, status, ms, client: clientOf(request) }, 'request');
}
