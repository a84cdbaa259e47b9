/** The web server on a catalogue that a test wraps, to record calls or to inject faults. */
import { after } from 'node:test';
import { Cursors, FileLinks } from '../../../src/access/links.ts';
import { Exemptions, fileRule, pageRule, tokenRule } from '../../../src/access/rate.ts';
import type { Catalogue } from '../../../src/catalogue/catalogue.ts';
import type { Config } from '../../../src/config/config.ts';
import { LimiterCounters } from '../../../src/http/exchange.ts';
import { Logger } from '../../../src/http/logger.ts';
import { secureRandomInt } from '../../../src/lib/random.ts';
import { defaultTuning } from '../../../src/lib/tuning.ts';
import { createWebServer } from '../../../src/server/app.ts';
import { openBudget, openFiles, openStore, openThumbnailMaker } from '../../../src/server/engines.ts';
import { clock as fixedClock } from './api.ts';
import { type Answer, send } from './service.ts';

type Get = (path: string, headers?: Record<string, string>) => Promise<Answer>;

/** Returns a function that calls the API. */
export async function startWrapped(
  config: Config,
  wrap: (catalogue: Catalogue) => Catalogue,
  clock = fixedClock,
): Promise<Get> {
  const store = await openStore(config);
  const files = openFiles(config);
  const keys = ['a key of sixteen'];
  const fileLinks = new FileLinks(keys);
  const server = createWebServer(
    {
      store,
      catalogue: wrap(store.catalogue),
      tokens: store.tokens,
      files,
      thumbnails: openThumbnailMaker(config, files),
      links: fileLinks,
      fileLinks,
      linkLifetime: config.linkLifetime,
      previewLifetime: config.previewLifetime,
      hasLastingLinks: config.lastingLinks,
      site: { ...config.site, logo: undefined },
      apiRatings: config.apiRatings,
      cursors: new Cursors(keys),
      tuning: defaultTuning,
      clock,
      randomInt: secureRandomInt,
      limiter: undefined,
      exemptions: new Exemptions(openBudget(tokenRule, { clock })),
      fileBudget: openBudget(fileRule, { clock }),
      pageBudget: openBudget(pageRule, { clock }),
      isInExemptNetwork: () => false,
      noticeClient() {},
      decisions: new LimiterCounters(),
      clientOf: () => 'client',
      disks: () => [],
      mayMonitor: () => true,
      originOf: () => 'http://localhost',
      publicUrl: undefined,
      collectReports: async (own) => [await own()],
    },
    config.apiPrefixes,
    new Logger('silent'),
  );
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  after(async () => {
    await server.close();
    await store[Symbol.asyncDispose]();
  });
  return (path, headers = {}) => send(new URL(path, origin), headers);
}
