/** The only wiring: turns a configuration into a server with the whole site on it, ready to listen. */
import {
  clientReader,
  hiddenClientsRule,
  monitorCheck,
  networkCheck,
  originReader,
  SharedAddressWatch,
} from '../access/clients.ts';
import { Cursors, FileLinks } from '../access/links.ts';
import { Exemptions, fileRule, pageRule, tokenRule } from '../access/rate.ts';
import { admit, handleCall } from '../api/call.ts';
import type { Route, Services } from '../api/endpoint.ts';
import { routes as declaredRoutes, withDefaultRatings } from '../api/routes.ts';
import type { Config } from '../config/config.ts';
import { loadLinkKeys } from '../config/environment.ts';
import { once } from '../http/assets.ts';
import { ApiError, type Exchange, LimiterCounters, Traffic } from '../http/exchange.ts';
import { Logger, type WriteBlock } from '../http/logger.ts';
import { warnAboutPipelining } from '../http/pipeline.ts';
import { preferredType } from '../http/request.ts';
import {
  createServer,
  decodePath,
  type Handler,
  type HttpServer,
  type Mounted,
  Router,
} from '../http/server.ts';
import type { Clock } from '../lib/clock.ts';
import { isNearlyFull } from '../lib/file-system.ts';
import { type MetricsReport, ProcessMetrics } from '../lib/metrics.ts';
import { type RandomInt, secureRandomInt } from '../lib/random.ts';
import { siteReader } from '../lib/site-texts.ts';
import { defaultTuning, type Tuning } from '../lib/tuning.ts';
import { S3Links } from '../media/s3/client.ts';
import { newAddress, pageWords } from '../pages/address.ts';
import { notFoundHandler } from '../pages/html.ts';
import { pageRoutes } from '../pages/routes.ts';
import {
  createDocumentMemory,
  disksOf,
  fillDocumentCache,
  locateBucket,
  openBudget,
  openFiles,
  openLimiter,
  openLogo,
  openStore,
  openThumbnailMaker,
} from './engines.ts';
import { feeds } from './pages/feed.ts';
import { sendFile, sendPicture } from './pages/files.ts';
import { healthCheck, makeReport, type Requester, sendMetrics, sendReadiness } from './pages/health.ts';

/** Loaded by who first asks for one of them: few visitors do, and loading them takes a tenth of the start. */
const referencePaths = [
  '/docs',
  '/docs.css',
  '/docs.js',
  '/openapi.json',
  '/postman.json',
  '/client.tgz',
] as const;

/** How long running requests may take to finish after the signal to stop. */
export const SHUTDOWN_TIMEOUT_MS = 5000;
/** Memory for the signatures of links, as a part of that for the documents. With one worker it is enough for all cached documents. */
const SIGNATURES_PART = 1 / 12;
/** How long idle connections stay open after that signal, for requests that are on their way. */
const IDLE_MS = 500;

const HIDDEN_CLIENTS =
  'most requests of the last minute came from one private address; if it is a proxy, all of its clients share one rate limit: ' +
  'add it to TRUSTED_PROXIES, and let it send the address of the client in X-Forwarded-For';

export interface App extends WebServer {
  log: Logger;
}

/** The memory that the threads of a process that serve have in common. */
export interface SharedMemory {
  /** Another thread fills it. */
  documents: SharedArrayBuffer;
  limits: SharedArrayBuffer;
  /** The turn to decode a picture. */
  decoding: SharedArrayBuffer;
  /** Identifies the thread there: no other thread of the process has or had this number. */
  owner: number;
}

interface Shared extends SharedMemory {
  writeLog: WriteBlock;
  /** Asks all threads for their reports. */
  collectReports: (withMetrics: boolean) => Promise<MetricsReport[]>;
}

interface AppOptions {
  clock?: Clock;
  randomInt?: RandomInt;
  tuning?: Tuning;
  /** Undefined if this is the only thread that serves. */
  shared?: Shared;
}

/** Tests pass their own clock, random numbers and tuning. */
export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { clock, randomInt, shared, tuning = defaultTuning } = options;
  const log = new Logger(config.logLevel, shared?.writeLog, config.logFormat);
  // First, because these may fail and the engines would have to be closed then.
  const keys = config.linkKeys ?? (await loadLinkKeys(config.dataDir));
  const logo = await openLogo(config);
  const bucket = locateBucket(config, {
    ...(clock && { clock }),
    onFailure: ({ message }) =>
      log.warn({ reason: message }, 'S3 credentials could not be refreshed; trying again'),
  });
  await loadCredentials(bucket);
  const fileLinks = new FileLinks(keys, (config.cacheMb * SIGNATURES_PART * 1024 * 1024) / config.workers);
  const documents = shared ? shared.documents : createDocumentMemory(config, ArrayBuffer);
  const store = await openStore(config, {
    documents,
    tuning,
    onReplicaChange(server, isUnavailable, reason) {
      if (isUnavailable) log.warn({ server, reason }, 'replica unavailable, skipping it');
      else log.info({ server, reason }, 'replica available again');
    },
  });
  const clients = { clock, shared: shared && { memory: shared.limits, owner: shared.owner } };
  const limiter = await openLimiter(config, {
    ...clients,
    onRedisChange(isUnavailable, reason) {
      if (isUnavailable) log.warn({ reason }, 'Redis unavailable; using the in-memory limiter');
      else log.info({ reason }, 'Redis available again');
    },
  });
  const files = openFiles(config, bucket);
  const watch = new SharedAddressWatch(openBudget(hiddenClientsRule, clients), (address) =>
    log.warn({ address }, HIDDEN_CLIENTS),
  );
  const readSite = siteReader({ ...config.site, logo }, () => store.catalogue.siteTexts);
  const services: Services = {
    store,
    catalogue: store.catalogue,
    tokens: store.tokens,
    files,
    thumbnails: openThumbnailMaker(config, files, shared && { memory: shared.decoding, owner: shared.owner }),
    links: bucket ? new S3Links(bucket) : fileLinks,
    fileLinks,
    linkLifetime: config.linkLifetime,
    previewLifetime: config.previewLifetime,
    hasLastingLinks: config.lastingLinks,
    get site() {
      return readSite();
    },
    apiRatings: config.apiRatings,
    cursors: new Cursors(keys),
    tuning,
    clock: clock ?? Date.now,
    limiter,
    exemptions: new Exemptions(openBudget(tokenRule, clients)),
    isInExemptNetwork: networkCheck(config.rateLimitExempt, config.trustedProxies),
    noticeClient: (client) => watch.count(client, (clock ?? Date.now)()),
    decisions: new LimiterCounters(),
    fileBudget: openBudget(fileRule, clients),
    pageBudget: openBudget(pageRule, clients),
    clientOf: clientReader(config.trustedProxies),
    mayMonitor: monitorCheck(networkCheck(config.metricsAllow, config.trustedProxies), config.publicUrl),
    randomInt: randomInt ?? secureRandomInt,
    originOf: originReader(config.publicUrl, config.trustedProxies),
    publicUrl: config.publicUrl,
    disks: () => disksOf(config),
    collectReports: async (own, withMetrics) => (shared ? shared.collectReports(withMetrics) : [await own()]),
  };
  const web = createWebServer(services, config.apiPrefixes, log);
  let filler: AsyncDisposable | undefined;
  const stopRefreshing = bucket?.credentials.keepFresh();
  return {
    ...web,
    log,
    async listen(address) {
      // Not awaited: the server starts even if Redis is unavailable.
      void limiter?.start();
      // Reads the texts of the site, for pages that read nothing else.
      store.catalogue.statistics().catch(() => {});
      const url = await web.listen(address);
      if (!shared) filler = await fillDocumentCache(config, documents);
      return url;
    },
    async close(idleMs) {
      await web.close(idleMs);
      await filler?.[Symbol.asyncDispose]();
      stopRefreshing?.();
      await store[Symbol.asyncDispose]();
      await limiter?.close();
      await log.flush();
    },
  };
}

/** Waits for running requests, then closes their connections. */
export async function shutDown(app: App, timeoutMs = SHUTDOWN_TIMEOUT_MS): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), timeoutMs);
  await app.close(IDLE_MS);
  clearTimeout(timer);
}

/** Links are signed without waiting, so the credentials have to be there before the first request. */
async function loadCredentials(bucket: ReturnType<typeof locateBucket>): Promise<void> {
  await bucket?.credentials.get().catch((error) => {
    throw new Error(`there are no credentials for FILES_URL: ${error.message}`);
  });
}

/** Logs what an operator should know about this machine and these settings. */
export async function logWarnings(config: Config, log: Logger): Promise<void> {
  warnAboutUnsharedKeys(config, log);
  for (const { folder, free } of disksOf(config).filter(isNearlyFull))
    log.warn({ folder, free }, 'the disk is nearly full; free some space, or imports and changes fail');
  warnAboutHiddenPages(config, log);
  await warnAboutPipelining(log);
}

export function warnAboutHiddenPages({ apiPrefixes }: Pick<Config, 'apiPrefixes'>, log: Logger): void {
  for (const word of pageWords.filter((word) => hasPrefix(apiPrefixes, word)))
    log.warn(
      {},
      `API_PREFIXES has a prefix at /${word}, where pages are: the API answers there, and these pages do not exist`,
    );
}

/** With PostgreSQL, other instances may serve the same catalogue. They need the same keys. */
export function warnAboutUnsharedKeys({ database, linkKeys, storage }: Config, log: Logger): void {
  if (database.engine !== 'postgres' || linkKeys !== undefined) return;
  // Storage with its own links signs them with its own keys.
  const signed = storage.engine === 'folder' ? 'links and cursors' : 'cursors';
  log.warn({}, `LINK_KEYS is not set: ${signed} from this instance are not valid on other instances`);
}

// The whole site on one server: the API under each prefix, the gallery, feeds, the reference, health and metrics. If a prefix is
// `/`, the API shares the root with the others: no endpoint has the name of one of their addresses, and `/` itself is
// the gallery for browsers and the service information for everyone else.

interface WebServer extends HttpServer {
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
  for (const feed of feeds) mount(feed.path, (exchange) => handleCall(feed, '', '', services, exchange));
  const isApiPath = apiPathTest(routes, bases);
  const sendNotFound = notFoundHandler(prefixes, services);
  mount('/files/{name}', (exchange) => sendFile(services, exchange));
  mountPrivate('/health/live', (exchange) => exchange.send(200, '{"status":"ok"}'));
  const check = healthCheck(services);
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
  const reference = once(async () => {
    const { referencePages } = await import('./pages/reference/openapi.ts');
    return referencePages(services, prefixes, routes);
  });
  for (const path of referencePaths) mount(path, async (exchange) => (await reference())[path](exchange));
  const rootBase = bases.includes('') ? '' : (bases[0] ?? '');
  /** Sends what the API has at this path to everyone but people. */
  const negotiate = (path: string, send: Handler): Handler => {
    const route = routes.find((route) => route.path === path) as Route;
    return (exchange, id) => {
      exchange.vary('Accept');
      if (isPageRequest(exchange)) return send(exchange, id);
      exchange.traffic = traffic.of(route.path);
      return handleCall(route, rootBase, '', services, exchange);
    };
  };
  for (const [path, send] of Object.entries(pageRoutes(services, bases, sendNotFound))) {
    const word = firstSegment(path);
    const isHidden = pageWords.includes(word) && hasPrefix(prefixes, word);
    if (word === 'pictures')
      mount(
        path,
        (exchange, rest) => {
          // No name has a dot.
          if (rest.includes('.')) return sendPicture(services, exchange, sendNotFound);
          exchange.traffic = traffic.of('/pictures/{id}');
          return isHidden ? sendNotFound(exchange) : send(exchange, rest);
        },
        '/pictures',
      );
    else if (path === '/' || path === '/search') {
      if (!isHidden) mount(path, negotiate(path, send), path === '/' ? '/gallery' : path);
    } else if (!isHidden) mount(path, send, path.replace('*', ''));
  }

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

/** Most crawlers that preview links have no preference, but an old address is that of a page. */
function isPageRequest(exchange: Exchange): boolean {
  const preferred = preferredType(exchange.request.headers.accept);
  return preferred === 'html' || (preferred === undefined && newAddress(exchange.query) !== undefined);
}

const firstSegment = (path: string): string => path.split('/', 2)[1] ?? '';

/** Whether the API is where pages with this word would be. */
const hasPrefix = (prefixes: readonly string[], word: string): boolean =>
  prefixes.some((prefix) => firstSegment(prefix) === word);

/** Everything under a prefix belongs to the API, known or not. At the root, that is everything below its endpoints. */
function apiPathTest(routes: readonly Route[], bases: readonly string[]): (path: string) => boolean {
  const segments = new Set(routes.map(({ path }) => firstSegment(path)));
  return (path) =>
    bases.some((base) =>
      base === '' ? segments.has(firstSegment(path)) : `${path}/`.startsWith(`${base}/`),
    );
}
