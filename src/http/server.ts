/** The HTTP server: the routes under each prefix, and what is true of every answer. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { answerCall } from './call.ts';
import { ApiError, errorBody, JSON_TYPE, sendError } from './errors.ts';
import { sendFile } from './files.ts';
import { admit } from './limit.ts';
import { loggerOptions, pathOf, RequestLog } from './log.ts';
import { METRICS_TYPE, metricsText } from './metrics.ts';
import { routes } from './routes.ts';
import type { Services } from './services.ts';

export interface ServerOptions {
  prefixes: readonly string[];
  logLevel: string;
}

const METHODS = 'GET, HEAD, OPTIONS';
const EXPOSED = [
  ...['ETag', 'Link', 'X-Total-Count', 'X-Request-Id', 'Content-Range', 'Retry-After'],
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit', 'RateLimit-Policy'],
].join(', ');
const PREFLIGHT = {
  'Access-Control-Allow-Methods': METHODS,
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-None-Match, Range',
  'Access-Control-Max-Age': '86400',
  Allow: METHODS,
};
/** Longer than any address that fits into a request's head, so that a long id is a wrong id and not a wrong path. */
const LONGEST_PARAMETER = 16_384;

export function createServer(services: Services, { prefixes, logLevel }: ServerOptions): FastifyInstance {
  const app = Fastify({
    logger: loggerOptions(logLevel),
    logController: new RequestLog(services.clientOf),
    genReqId: () => randomUUID(),
    // Running requests are finished when the server stops; connections that only wait are closed.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_PARAMETER },
    rewriteUrl: (request) => decodable(request.url ?? '/'),
    clientErrorHandler: refuseGarbage,
    // A request without a Host gets its answer too: the origin of links then is the address that was called.
    http: { requireHostHeader: false },
  });
  const paths = new Set<string>();
  const get = (path: string, handle: (request: FastifyRequest, reply: FastifyReply) => unknown) => {
    paths.add(path);
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.route({ method: ['GET', 'HEAD'], url, handler: async (request, reply) => handle(request, reply) });
  };
  for (const prefix of prefixes) {
    for (const route of routes) {
      const path = route.path === '/' ? prefix : prefix + route.path;
      get(path, (request, reply) => answerCall(route, prefix, services, request, reply));
    }
  }
  get('/files/{name}', (request, reply) => sendFile(services, request, reply));
  get('/health/live', (_request, reply) => reply.send({ status: 'ok' }));
  get('/metrics', (_request, reply) =>
    reply.type(METRICS_TYPE).send(metricsText(services.catalogue.figures())),
  );
  get('/health/ready', (request, reply) => sendReadiness(services, request, reply));

  const known = [...paths].map((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`));
  app.addHook('onRequest', async (request, reply) => {
    commonHeaders(request, reply);
    if (request.method === 'OPTIONS') return reply.code(204).headers(PREFLIGHT).send();
    if (!request.is404) return;
    const path = decodeURIComponent(pathOf(request));
    if (prefixes.some((prefix) => `${path}/`.startsWith(`${prefix}/`))) await admit(services, request, reply);
    if (known.some((pattern) => pattern.test(path)))
      throw new ApiError(405, `The method ${request.method} is not allowed here: use GET.`, {
        Allow: METHODS,
      });
    throw new ApiError(404, 'There is nothing at this address.');
  });
  app.setErrorHandler(sendError);
  return app;
}

/** An address whose escapes are broken, with their percent signs taken literally, so that it is answered like any other. */
function decodable(url: string): string {
  if (!url.includes('%')) return url;
  const [path, ...query] = url.split('?') as [string, ...string[]];
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?');
  }
}

function commonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'X-Request-Id': request.id,
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED,
  });
}

async function sendReadiness({ catalogue, limiter }: Services, request: FastifyRequest, reply: FastifyReply) {
  try {
    await catalogue.statistics();
    return reply.send(limiter?.isDegraded() ? { status: 'degraded', part: 'limits' } : { status: 'ready' });
  } catch (error) {
    request.log.error({ err: error }, 'the catalogue cannot be read');
    return reply.code(503).send({ status: 'unavailable', part: 'catalogue' });
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
