/**
 * The whole site on one server: the API under each prefix, the gallery, feeds, the reference, health and metrics. If a prefix is
 * `/`, the API shares the root with the others: no endpoint has the name of one of their addresses, and `/` itself is
 * the gallery for browsers and the service information for everyone else.
 */

import { admit } from '../api/admission.ts';
import { handleCall } from '../api/call.ts';
import type { Route } from '../api/endpoint.ts';
import { routes as declaredRoutes, withDefaultRatings } from '../api/routes.ts';
import type { Services } from '../api/services.ts';
import { ApiError } from '../http/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Logger } from '../http/logger.ts';
import { ProcessMetrics } from '../http/process-metrics.ts';
import { preferredType } from '../http/request.ts';
import { decodePath, Router } from '../http/router.ts';
import { createServer, type Handler, type HttpServer, type Mounted } from '../http/server.ts';
import { Traffic } from '../http/traffic.ts';
import type { MetricsReport } from '../lib/metrics.ts';
import { feeds } from './pages/feed.ts';
import { sendFile } from './pages/files.ts';
import { readSubject } from './pages/gallery/discovery.ts';
import { Gallery } from './pages/gallery/gallery.ts';
import { siteFiles } from './pages/gallery/site-files.ts';
import { HealthCheck, type Requester, sendReadiness } from './pages/health.ts';
import { makeReport, sendMetrics } from './pages/metrics.ts';
import { notFoundHandler } from './pages/not-found.ts';
import { referencePages } from './pages/reference/serve.ts';

export interface WebServer extends HttpServer {
  /** What this worker reports about itself. */
  report(withMetrics: boolean): Promise<MetricsReport>;
}

export function createWebServer(services: Services, prefixes: readonly string[], log: Logger): WebServer {
  const routes = withDefaultRatings(declaredRoutes, services.apiRatings);
  const router = new Router<Mounted>();
  const traffic = new Traffic();
  const ownProcess = new ProcessMetrics();
  const metrics = () => [...traffic.metrics(), ...ownProcess.metrics(), ...log.metrics()];
  /** `route` is the label of the requests in the metrics. */
  const mount = (path: string, handle: Handler, route = path) =>
    router.add(path, { handle, traffic: traffic.of(route) });
  const mountPrivate = (path: string, handle: Handler) =>
    router.add(path, { handle, traffic: traffic.of(path), isPrivate: true });
  /** What an address starts with under each of the prefixes. */
  const bases = prefixes.map((prefix) => (prefix === '/' ? '' : prefix));
  for (const base of bases)
    for (const route of routes)
      mount(
        route.path === '/' ? base || '/' : base + route.path,
        (exchange, id) => handleCall(route, base, id, services, exchange),
        route.path,
      );
  for (const feed of withDefaultRatings(feeds, services.apiRatings))
    mount(feed.path, (exchange) => handleCall(feed, '', '', services, exchange));
  const isApiPath = apiPathTest(routes, bases);
  const sendNotFound = notFoundHandler(prefixes, services.site);
  mount('/files/{name}', (exchange) => sendFile(services, exchange));
  mountPrivate('/health/live', (exchange) => exchange.send(200, '{"status":"ok"}'));
  const check = new HealthCheck(services);
  const report = (requester: Requester, withMetrics: boolean) =>
    makeReport(services, check, withMetrics ? metrics : undefined, requester);
  const collectReports = (requester: Requester, withMetrics: boolean) =>
    services.collectReports(() => report(requester, withMetrics), withMetrics);
  mountPrivate('/health/ready', (exchange) =>
    collectReports(exchange, false).then((reports) => sendReadiness(services, reports, exchange)),
  );
  mountPrivate('/metrics', (exchange) =>
    // To other clients it does not exist.
    services.mayMonitor(exchange.request)
      ? collectReports(exchange, true).then((reports) => sendMetrics(reports, exchange))
      : sendNotFound(exchange),
  );
  for (const [path, send] of Object.entries(referencePages(services, prefixes, routes))) mount(path, send);
  const gallery = new Gallery(services, bases[0] ?? '', sendNotFound);
  const information = routes.find(({ path }) => path === '/') as Route;
  const rootBase = bases.includes('') ? '' : (bases[0] ?? '');
  // Replaces the service information if the API is at the root.
  mount(
    '/',
    (exchange) => {
      exchange.vary('Accept');
      if (isGalleryRequest(exchange)) return gallery.sendPage(exchange);
      exchange.traffic = traffic.of(information.path);
      return handleCall(information, rootBase, '', services, exchange);
    },
    '/gallery',
  );
  mount('/gallery/{name}', (exchange, name) => gallery.sendFile(exchange, name));
  mount('/favicon.ico', (exchange) => gallery.sendIcon(exchange));
  const files = siteFiles(services, bases, () => gallery.readIcon());
  for (const [path, send] of Object.entries(files)) mount(path, send);
  mount('/gallery/client/{name}', (exchange, name) => gallery.sendFile(exchange, `client/${name}`));

  const server = createServer({
    router,
    traffic,
    log,
    clientOf: services.clientOf,
    // Calls of unknown endpoints count against the rate limit, too.
    beforeError: (exchange) => isApiPath(decodePath(exchange.path)) && admit(services, exchange),
    notFound(exchange) {
      if (isApiPath(decodePath(exchange.path))) throw new ApiError(404, 'There is nothing at this address.');
      sendNotFound(exchange);
    },
  });
  return {
    ...server,
    report: (withMetrics) => report({ log }, withMetrics),
    async listen(at) {
      const address = await server.listen(at);
      ownProcess.start();
      return address;
    },
    async close(idleMs) {
      ownProcess.stop();
      await server.close(idleMs);
    },
  };
}

/** Most crawlers that preview links have no preference, but their links are about something in the gallery. */
function isGalleryRequest(exchange: Exchange): boolean {
  const preferred = preferredType(exchange.request.headers.accept);
  return preferred === 'html' || (preferred === undefined && readSubject(exchange.query) !== undefined);
}

/** Everything under a prefix belongs to the API, known or not. At the root, that is everything below its endpoints. */
function apiPathTest(routes: readonly Route[], bases: readonly string[]): (path: string) => boolean {
  const firstSegment = (path: string) => path.split('/', 2)[1] ?? '';
  const segments = new Set(routes.map(({ path }) => firstSegment(path)));
  return (path) =>
    bases.some((base) =>
      base === '' ? segments.has(firstSegment(path)) : `${path}/`.startsWith(`${base}/`),
    );
}
