/** zukan's own handlers behind Fastify's router and reply. Runs in its own process. */
import type { ServerResponse } from 'node:http';
import fastify, { type FastifyReply } from 'fastify';
import { clientReader, networkCheck, originReader } from '../../src/access/client-address.ts';
import { Cursors } from '../../src/access/cursors.ts';
import { FileLinks } from '../../src/access/file-links.ts';
import { Exemptions, tokenRule } from '../../src/access/limiter.ts';
import { handleCall } from '../../src/api/call.ts';
import { routes } from '../../src/api/routes.ts';
import type { Services } from '../../src/api/services.ts';
import { readConfig } from '../../src/config/config.ts';
import { loadLinkKeys } from '../../src/config/link-keys.ts';
import { sendError } from '../../src/http/errors.ts';
import { Exchange } from '../../src/http/exchange.ts';
import { Logger } from '../../src/http/logger.ts';
import { LimiterCounters, RouteTraffic } from '../../src/http/traffic.ts';
import { batchPerTick } from '../../src/lib/event-loop.ts';
import { secureRandomInt } from '../../src/lib/random.ts';
import { defaultTuning as tuning } from '../../src/lib/tuning.ts';
import { createDocumentMemory, fillDocumentCache, openBudget, openStore } from '../../src/server/engines.ts';

const config = readConfig({ DATA_DIR: process.argv[2] ?? '' });
const log = new Logger('warn');
const documents = createDocumentMemory(config, ArrayBuffer);
const store = await openStore(config, { documents, tuning, onReplicaChange() {} });
await fillDocumentCache(config, documents);
const keys = await loadLinkKeys(config.dataDir);
const links = new FileLinks(keys, (config.cacheMb / 12) * 1024 * 1024);
/** What the four endpoints use, as in app.ts. There is no rate limit. */
const services = {
  store,
  catalogue: store.catalogue,
  tokens: store.tokens,
  tuning,
  links,
  fileLinks: links,
  linkLifetime: config.linkLifetime,
  clock: Date.now,
  randomInt: secureRandomInt,
  site: { ...config.site, logo: undefined },
  apiRatings: config.apiRatings,
  limiter: undefined,
  cursors: new Cursors(keys),
  exemptions: new Exemptions(openBudget(tokenRule, {})),
  decisions: new LimiterCounters(),
  isInExemptNetwork: networkCheck(config.rateLimitExempt, config.trustedProxies),
  clientOf: clientReader(config.trustedProxies),
  originOf: originReader(config.publicUrl, config.trustedProxies),
} as Partial<Services> as Services;

/** Passes on to Fastify what the handlers send. */
function responseOf(reply: FastifyReply): ServerResponse {
  return {
    headersSent: false,
    writeHead(status: number, headers: string[]) {
      reply.code(status);
      for (let index = 0; index < headers.length; index += 2)
        reply.header(headers[index] as string, headers[index + 1]);
    },
    end(body: Buffer | string, encoding: BufferEncoding) {
      // Fastify sends strings as UTF-8, but these have one character for each byte.
      const isByteString = typeof body === 'string' && encoding === 'latin1';
      reply.send(isByteString ? Buffer.from(body, 'latin1') : body);
    },
    once: (event: string, listener: () => void) => reply.raw.once(event, listener),
  } as Partial<ServerResponse> as ServerResponse;
}

// Our own parser reads the query; parsing it twice would not be fair.
const app = fastify({ routerOptions: { querystringParser: () => ({}) } });
const enqueue = batchPerTick<() => void>((calls) => {
  for (const call of calls) call();
});
for (const route of routes) {
  const traffic = new RouteTraffic();
  const onFinished = ({ startedAt }: Exchange, status: number) => {
    traffic.count(status, performance.now() - startedAt);
  };
  const options = { log, onFinished, stallTimeoutMs: 30_000 };
  const path = `/api${route.path.replace('{id}', ':id')}`;
  app.get<{ Params: { id?: string } }>(path, ({ raw, params }, reply) => {
    const exchange = new Exchange(raw, responseOf(reply), traffic, options);
    enqueue(() => {
      try {
        handleCall(route, '/api', params.id ?? '', services, exchange)?.catch((error) =>
          sendError(error, exchange),
        );
      } catch (error) {
        sendError(error, exchange);
      }
    });
  });
}
app.get('/metrics', () => {
  const { user, system } = process.cpuUsage();
  return `process_cpu_seconds_total ${(user + system) / 1e6}\n`;
});

console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
process.once('SIGTERM', () => process.exit(0));
