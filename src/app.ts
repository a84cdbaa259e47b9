/** The only wiring: turns a configuration into a server that is ready to listen. */
import { clientReader, networkCheck } from './access/client-address.ts';
import { Cursors } from './access/cursors.ts';
import { Exemptions } from './access/exemptions.ts';
import { FileLinks } from './access/file-links.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/config.ts';
import { loadLinkKeys } from './config/link-keys.ts';
import {
  bucketLinkSigner,
  locateBucket,
  openFiles,
  openLimiter,
  openLogo,
  openStore,
  openThumbnailMaker,
} from './engines.ts';
import { LimiterCounters } from './http/metrics/limiter.ts';
import { Logger } from './http/server/logger.ts';
import { originReader } from './http/server/origin.ts';
import type { HttpServer } from './http/server/server.ts';
import type { Services } from './http/services.ts';
import { createWebServer } from './http/web-server.ts';
import { type RandomInt, secureRandomInt } from './random.ts';

export interface App extends HttpServer {
  log: Logger;
}

export interface AppOptions {
  clock?: Clock;
  randomInt?: RandomInt;
}

/** Tests pass their own clock and random numbers. */
export async function createApp(config: Config, { clock, randomInt }: AppOptions = {}): Promise<App> {
  const log = new Logger(config.logLevel);
  // First, because these may fail and the engines would have to be closed then.
  const keys = config.linkKeys ?? loadLinkKeys(config.dataDir);
  const logo = await openLogo(config);
  const bucket = locateBucket(config, {
    ...(clock && { clock }),
    onFailure: ({ message }) =>
      log.warn({ reason: message }, 'S3 credentials could not be refreshed; trying again'),
  });
  await loadCredentials(bucket);
  const fileLinks = new FileLinks(keys);
  const store = await openStore(config, (server, isUnavailable, reason) => {
    if (isUnavailable) log.warn({ server, reason }, 'replica unavailable, skipping it');
    else log.info({ server, reason }, 'replica available again');
  });
  const limiter = await openLimiter(config, clock, (isUnavailable, reason) => {
    if (isUnavailable) log.warn({ reason }, 'Redis unavailable; using the in-memory limiter');
    else log.info({ reason }, 'Redis available again');
  });
  const files = openFiles(config, bucket);
  const services: Services = {
    store,
    catalogue: store.catalogue,
    tokens: store.tokens,
    files,
    thumbnails: openThumbnailMaker(files),
    links: bucket ? bucketLinkSigner(bucket) : fileLinks,
    fileLinks,
    linkLifetime: config.linkLifetime,
    previewLifetime: config.previewLifetime,
    site: { ...config.site, logo },
    cursors: new Cursors(keys),
    clock: clock ?? Date.now,
    limiter,
    exemptions: new Exemptions(),
    isInExemptNetwork: networkCheck(config.rateLimitExempt, config.trustedProxies),
    decisions: new LimiterCounters(),
    clientOf: clientReader(config.trustedProxies),
    mayMonitor: networkCheck(config.metricsAllow, config.trustedProxies),
    randomInt: randomInt ?? secureRandomInt,
    originOf: originReader(config.publicUrl, config.trustedProxies),
  };
  const web = createWebServer(services, config.apiPrefixes, log);
  const stopRefreshing = bucket?.credentials.keepFresh();
  return {
    log,
    server: web.server,
    async listen(address) {
      // Not awaited: the server starts even if Redis is unavailable.
      void limiter?.start();
      warnAboutUnsharedKeys(config, log);
      return web.listen(address);
    },
    async close(idleMs) {
      await web.close(idleMs);
      stopRefreshing?.();
      await store[Symbol.asyncDispose]();
      await limiter?.close();
      await log.flush();
    },
  };
}

/** Links are signed without waiting, so the credentials have to be there before the first request. */
async function loadCredentials(bucket: ReturnType<typeof locateBucket>): Promise<void> {
  await bucket?.credentials.get().catch((error) => {
    throw new Error(`there are no credentials for FILES_URL: ${error.message}`);
  });
}

/** With PostgreSQL, other instances may serve the same catalogue. They need the same keys. */
function warnAboutUnsharedKeys({ database, linkKeys, storage }: Config, log: Logger): void {
  if (database.engine !== 'postgres' || linkKeys !== undefined) return;
  // Storage with its own links signs them with its own keys.
  const signed = storage.engine === 'folder' ? 'links and cursors' : 'cursors';
  log.warn({}, `LINK_KEYS is not set: ${signed} from this instance are not valid on other instances`);
}
