/** Clients that try to take the server down for others. Meanwhile the calls of an ordinary client are measured. */
import { setTimeout } from 'node:timers/promises';
import { hostileName, hostilePatterns } from '../test/catalogue/search/hostile-patterns.ts';
import { keyed } from '../test/support/catalogues/import.ts';
import { writeLines } from '../test/support/catalogues/lines.ts';
import { writeTiny } from '../test/support/pictures/tiny.ts';
import { until } from '../test/support/until.ts';
import { closed, Flooder, request } from './flooder.ts';
import { countDescriptors } from './meter.ts';
import { startProbe } from './probe.ts';
import { randomFor } from './random.ts';
import { behindProxy, newCatalogues, runOrThrow, startTarget, type Target } from './servers.ts';
import type { Run } from './torture.ts';

const CATEGORIES = 400;
/** As many as a list may have. */
const NAMED = 100;
const MAX_GROWTH_MB = 100;
/** The server's own files and connections to its database may vary by this many. */
const DESCRIPTOR_SLACK = 40;
const MAX_CALL_MS = 100;
const MAX_SEARCH_MS = 250;
const MAX_FILTER_MS = 500;

interface Flood {
  what: string;
  /** Connections that it holds at once. */
  connections: number;
  /** The calls of the ordinary client, if they are not the usual ones. */
  calls?: string[];
  maxCallMs?: number;
  run(flooder: Flooder): Promise<void>;
}

const usual = ['/api/image/random?limit=1', '/api/stats', '/api/artist?limit=5', '/health/live'];
const searches = Array.from(
  { length: 20 },
  (_, number) => `/api/artist?search=%25${hostileName(number, 12).slice(4, 9)}%25`,
).map((path) => path.replaceAll(' ', '+').replaceAll('é', '%C3%A9'));
const filters = Array.from(
  { length: 20 },
  (_, number) => `/api/image/random?categories=c${number},c${number * 7}&match=any`,
);

const floods: Flood[] = [
  {
    what: 'expensive searches',
    ...{ connections: 40, calls: searches, maxCallMs: MAX_SEARCH_MS },
    run: (flooder) =>
      flooder.pace((random) => {
        const patterns = [`_%a_{${5 + random.below(9)}}a%a_{13}a%a_{14}b%z`, ...hostilePatterns];
        return `/api/artist?search=${encodeURIComponent(random.pick(patterns))}`;
      }),
  },
  {
    what: 'filters with a hundred categories',
    ...{ connections: 300, calls: filters, maxCallMs: MAX_FILTER_MS },
    run: (flooder) =>
      flooder.pace((random) => {
        const names = Array.from({ length: NAMED }, () => `c${random.below(CATEGORIES)}`);
        return `/api/image/random?match=any&exclude=c${random.below(CATEGORIES)}&categories=${names.join()}`;
      }),
  },
  {
    what: 'headers that are too large',
    connections: 20,
    run: (flooder) =>
      flooder.repeat(200, async (socket) => {
        socket.resume();
        socket.write(`GET /api HTTP/1.1\r\nHost: x\r\n${`X-Filler: ${'x'.repeat(8000)}\r\n`.repeat(9)}\r\n`);
        await closed(socket);
      }),
  },
  {
    what: 'bodies without end',
    connections: 5,
    run: (flooder) =>
      flooder.repeat(0, async (socket) => {
        socket.resume();
        socket.write('GET /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
        const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
        const send = () => {
          while (!socket.destroyed && !flooder.isOver() && socket.write(chunk));
        };
        socket.on('drain', send);
        send();
        await closed(socket);
      }),
  },
  {
    what: 'slow readers',
    connections: 400,
    run: (flooder) => flooder.hold(request('/openapi.json').repeat(3), 2),
  },
  {
    what: 'files, pipelined, then disconnects',
    connections: 20,
    async run(flooder) {
      const link = await flooder.fileLink();
      await flooder.repeat(1000, async (socket) => {
        socket.write(request(link).repeat(2000));
        await Promise.race([closed(socket), setTimeout(flooder.random.below(300))]);
        socket.resetAndDestroy();
      });
    },
  },
  {
    what: 'pages, pipelined and not read',
    connections: 20,
    run: (flooder) => flooder.hold(request('/docs').repeat(2500)),
  },
];

export async function flood(run: Run): Promise<void> {
  const { folder, engines, announce, isShort } = run;
  writeTiny(folder, 'flood.png', 1);
  const file = writeLines(folder, 'flood.ndjson', records(run));
  const catalogues = newCatalogues(folder, engines);
  for (const [number, [name, catalogue]] of catalogues.entries()) {
    const isOwn = (_: Flood, index: number) => !isShort || index % catalogues.length === number;
    const own = floods.slice(0, run.floods).filter(isOwn);
    if (own.length === 0) continue;
    announce(`importing the catalogue to flood, ${name}`);
    await runOrThrow(['import', '--quiet', file], catalogue);
    await using target = await startTarget(name, { ...catalogue, ...behindProxy });
    await loadPages(target);
    const quietMs = new Map<string[], number>();
    for (const { calls = usual } of isShort ? [] : own)
      if (!quietMs.has(calls)) quietMs.set(calls, await medianCall(urlsOf(target, calls), run.attackMs / 4));
    for (const one of own) await measure(target, one, quietMs.get(one.calls ?? usual) ?? 0, run);
  }
}

async function measure(target: Target, one: Flood, quietMs: number, run: Run): Promise<void> {
  const { report, announce, attackMs, isShort } = run;
  const { connections, calls = usual, maxCallMs = MAX_CALL_MS } = one;
  const what = `flood, ${target.name}: ${one.what}`;
  const fail = (problem: string) => report.fail(what, problem, `for ${attackMs} ms`);
  announce(what);
  const { growth, descriptors } = await report.observe(what, target, async () => {
    const probe = await startProbe(urlsOf(target, calls));
    const deadline = performance.now() + attackMs;
    const flooder = new Flooder(target, randomFor(run.seed, what), connections, deadline);
    await one.run(flooder).catch((error: Error) => fail(error.message));
    const { count, slowestMs, failures } = await probe.stop();
    flooder.close();
    report.add(what, slowestMs, count);
    for (const failure of failures) fail(`a call of another client: ${failure}`);
    const maxMs = Math.round(Math.max(maxCallMs, 5 * quietMs));
    if (!isShort && slowestMs > maxMs)
      fail(`a call of another client took ${Math.round(slowestMs)} ms, more than ${maxMs}`);
  });
  if (growth > MAX_GROWTH_MB) fail(`the memory grew by ${Math.round(growth)} MB`);
  const { before, peak } = descriptors;
  // Besides its connection, each client may have one file open.
  const maxDescriptors = before + 2 * connections + DESCRIPTOR_SLACK;
  if (peak > maxDescriptors) fail(`${peak} descriptors are open, more than ${maxDescriptors}`);
  const open = () => countDescriptors(target.pid);
  await until('descriptors are closed', () => open() <= before + DESCRIPTOR_SLACK).catch(() =>
    fail(`${open()} descriptors stay open, ${before} before`),
  );
}

const urlsOf = ({ origin }: Target, calls: string[]) => calls.map((path) => origin + path);

/**
 * In a checkout, the first page of each worker loads Node's type stripper, which blocks its thread for 60 ms or more, once. New
 * connections spread over the workers.
 */
async function loadPages({ origin }: Target): Promise<void> {
  for (let turn = 0; turn < 32; turn++) {
    const response = await fetch(`${origin}/docs`, { headers: { connection: 'close' } });
    await response.arrayBuffer();
  }
}

/** Without load. These calls also load names and shelves. */
async function medianCall(urls: string[], ms: number): Promise<number> {
  const probe = await startProbe(urls);
  await setTimeout(ms);
  return (await probe.stop()).medianMs;
}

function* records({ names, images }: Run): Generator<object> {
  for (let number = 0; number < CATEGORIES; number++) yield { type: 'category', name: `c${number}` };
  yield { type: 'category', name: 'file' };
  yield { type: 'image', file: 'flood.png', nsfw: 'sfw', categories: ['file'] };
  for (let number = 0; number < names; number++) yield { type: 'artist', name: hostileName(number, 60) };
  for (let number = 0; number < images; number++) {
    const categories = Array.from(
      { length: 10 },
      (_, turn) => `c${(number * (turn + 1) + turn * 37) % CATEGORIES}`,
    );
    yield keyed(number, { categories: [...new Set(categories)] });
  }
}
