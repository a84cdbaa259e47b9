/** The only wiring: configuration and engines to a server that is ready to listen. */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientReader } from './access/client-address.ts';
import { Cursors } from './access/cursors.ts';
import { FileLinks } from './access/file-links.ts';
import type { Clock } from './clock.ts';
import { type Config, isLinkKey } from './config/config.ts';
import { openFiles, openLimiter, openStore, storageLinkSigner } from './engines.ts';
import { LimiterCounters } from './http/metrics/limiter.ts';
import { Log } from './http/server/log.ts';
import { originReader } from './http/server/origin.ts';
import type { HttpServer } from './http/server/server.ts';
import type { Services } from './http/services.ts';
import { createWebServer } from './http/web-server.ts';
import type { RandomInt } from './random.ts';
import { secureRandomInt } from './random.ts';

export interface App extends HttpServer {
  log: Log;
}

/** Time and chance can be given, for tests. */
export async function createApp(
  config: Config,
  given: { clock?: Clock; randomInt?: RandomInt } = {},
): Promise<App> {
  const log = new Log(config.logLevel);
  // Before anything is opened that would have to be closed again.
  const keys = config.linkKeys ?? keptLinkKeys(config.dataDir);
  const fileLinks = new FileLinks(keys);
  const store = await openStore(config, (server, isUnavailable, reason) => {
    if (isUnavailable) log.warn({ server, reason }, 'replica unavailable, skipping it');
    else log.info({ server, reason }, 'replica available again');
  });
  const limiter = await openLimiter(config, given.clock, (isUnavailable, reason) => {
    if (isUnavailable) log.warn({ reason }, 'Redis unavailable; this instance limits on its own');
    else log.info({ reason }, 'Redis available again; the limit is shared again');
  });
  const services: Services = {
    store,
    catalogue: store.catalogue,
    tokens: store.tokens,
    files: openFiles(config),
    links: storageLinkSigner(config) ?? fileLinks,
    fileLinks,
    linkLifetime: config.linkLifetime,
    cursors: new Cursors(keys),
    clock: given.clock ?? Date.now,
    limiter,
    decisions: new LimiterCounters(),
    clientOf: clientReader(config.trustedProxies),
    randomInt: given.randomInt ?? secureRandomInt,
    originOf: originReader(config.publicUrl, config.trustedProxies),
  };
  const web = createWebServer(services, config.apiPrefixes, log);
  return {
    log,
    server: web.server,
    async listen(at) {
      // Not waited for: what cannot be had at once does not keep the server from starting.
      void limiter?.start();
      if (mayNotBeAlone(config))
        log.warn(
          {},
          `LINK_KEYS is not set: the ${signedBy(config)} of this instance work on this instance only`,
        );
      return web.listen(at);
    },
    async close() {
      await web.close();
      await store[Symbol.asyncDispose]();
      await limiter?.close();
      log.flush();
    },
  };
}

/** Whether other instances may serve the same catalogue, without the keys of this one. */
function mayNotBeAlone({ database, linkKeys }: Config): boolean {
  return database.engine === 'postgres' && linkKeys === undefined;
}

/** What the keys sign. A bucket has links of its own. */
function signedBy({ storage }: Config): string {
  return storage.engine === 'folder' ? 'links and cursors' : 'cursors';
}

/** The signing keys in the data folder, a line each; the first start makes one. */
function keptLinkKeys(dataDir: string): string[] {
  const path = join(dataDir, 'link.keys');
  const read = () => {
    const keys = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    if (keys.length > 0 && keys.every(isLinkKey)) return keys;
    throw new Error(
      `${path} holds no usable keys; remove it to have a new one made (links given so far then end)`,
    );
  };
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dataDir, { recursive: true });
  // Linked into place whole, so that of several processes that start at once all use the key of the first.
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside);
  }
  return read();
}
