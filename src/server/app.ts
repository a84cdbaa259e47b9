/** The only wiring: turns a configuration into a server that is ready to listen. */

import { monitorCheck } from '../access/browsers.ts';
import { clientReader, networkCheck, originReader } from '../access/clients.ts';
import { Cursors } from '../access/cursors.ts';
import { Exemptions, fileRule, previewRule, tokenRule } from '../access/limiter.ts';
import { FileLinks } from '../access/links.ts';
import { hiddenClientsRule, SharedAddressWatch } from '../access/shared-address.ts';
import type { Services } from '../api/services.ts';
import type { Config } from '../config/config.ts';
import { loadLinkKeys } from '../config/link-keys.ts';
import { Logger, type WriteBlock } from '../http/logger.ts';
import { warnAboutPipelining } from '../http/pipeline.ts';
import { LimiterCounters } from '../http/traffic.ts';
import type { Clock } from '../lib/clock.ts';
import { isNearlyFull } from '../lib/disk-space.ts';
import type { MetricsReport } from '../lib/metrics.ts';
import { type RandomInt, secureRandomInt } from '../lib/random.ts';
import { defaultTuning, type Tuning } from '../lib/tuning.ts';
import {
  bucketLinkSigner,
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
import { createWebServer, type WebServer } from './web-server.ts';

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

/** What a thread has in common with the other threads of the process that serve. */
interface Shared {
  /** Another thread fills it. */
  documents: SharedArrayBuffer;
  limits: SharedArrayBuffer;
  /** The turn to decode a picture. */
  decoding: SharedArrayBuffer;
  /** Identifies the thread: no other thread of the process has or had this number. */
  owner: number;
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
  const services: Services = {
    store,
    catalogue: store.catalogue,
    tokens: store.tokens,
    files,
    thumbnails: openThumbnailMaker(config, files, shared && { memory: shared.decoding, owner: shared.owner }),
    links: bucket ? bucketLinkSigner(bucket) : fileLinks,
    fileLinks,
    linkLifetime: config.linkLifetime,
    previewLifetime: config.previewLifetime,
    site: { ...config.site, logo },
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
    previewLookups: openBudget(previewRule, clients),
    clientOf: clientReader(config.trustedProxies),
    mayMonitor: monitorCheck(networkCheck(config.metricsAllow, config.trustedProxies), config.publicUrl),
    randomInt: randomInt ?? secureRandomInt,
    originOf: originReader(config.publicUrl, config.trustedProxies),
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
  await warnAboutPipelining(log);
}

/** With PostgreSQL, other instances may serve the same catalogue. They need the same keys. */
export function warnAboutUnsharedKeys({ database, linkKeys, storage }: Config, log: Logger): void {
  if (database.engine !== 'postgres' || linkKeys !== undefined) return;
  // Storage with its own links signs them with its own keys.
  const signed = storage.engine === 'folder' ? 'links and cursors' : 'cursors';
  log.warn({}, `LINK_KEYS is not set: ${signed} from this instance are not valid on other instances`);
}
