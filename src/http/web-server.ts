/** The whole site on one server: the API under each prefix, the gallery, the reference, health and metrics. */
import { admit } from './api/admission.ts';
import { handleCall } from './api/call.ts';
import { routes } from './api/routes.ts';
import { ProcessMetrics } from './metrics/process.ts';
import { Traffic } from './metrics/traffic.ts';
import { sendFile } from './pages/files.ts';
import { Gallery } from './pages/gallery.ts';
import { HealthCheck, sendReadiness } from './pages/health.ts';
import { sendMetrics } from './pages/metrics.ts';
import { referencePages } from './pages/reference/serve.ts';
import type { Logger } from './server/logger.ts';
import { decodePath, Router } from './server/router.ts';
import { createServer, type Handler, type HttpServer, type Mounted } from './server/server.ts';
import type { Services } from './services.ts';

export function createWebServer(services: Services, prefixes: readonly string[], log: Logger): HttpServer {
  const router = new Router<Mounted>();
  const traffic = new Traffic();
  const ownProcess = new ProcessMetrics();
  const metrics = () => [...traffic.metrics(), ...ownProcess.metrics(), ...log.metrics()];
  /** `route` is the label of the requests in the metrics. */
  const mount = (path: string, handle: Handler, route = path) =>
    router.add(path, { handle, traffic: traffic.of(route) });
  for (const prefix of prefixes)
    for (const route of routes)
      mount(
        route.path === '/' ? prefix : prefix + route.path,
        (exchange, id) => handleCall(route, prefix, id, services, exchange),
        route.path,
      );
  mount('/files/{name}', (exchange, name) => sendFile(services, exchange, name));
  mount('/health/live', (exchange) => exchange.send(200, '{"status":"ok"}'));
  const check = new HealthCheck(services);
  mount('/health/ready', (exchange) => sendReadiness(services, check, exchange));
  mount('/metrics', (exchange) => sendMetrics(services, check, metrics, exchange));
  for (const [path, send] of Object.entries(referencePages(routes, prefixes)))
    mount(path, (exchange) => send(exchange, services.originOf(exchange.request)));
  const gallery = new Gallery(prefixes[0] ?? '');
  mount('/', (exchange) => gallery.send(exchange, 'index.html', services), '/gallery');
  mount('/gallery/{name}', (exchange, name) => gallery.send(exchange, name, services));
  mount('/gallery/client/{name}', (exchange, name) => gallery.send(exchange, `client/${name}`, services));

  const server = createServer({
    router,
    traffic,
    log,
    clientOf: services.clientOf,
    // Calls of unknown endpoints count against the rate limit, too.
    async beforeError(exchange) {
      if (isUnder(prefixes, decodePath(exchange.path))) await admit(services, exchange);
    },
  });
  return {
    ...server,
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

function isUnder(prefixes: readonly string[], path: string): boolean {
  return prefixes.some((prefix) => `${path}/`.startsWith(`${prefix}/`));
}
