/** Clients that try to take the server down for others. Meanwhile the calls of an ordinary client are measured. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hostileName, hostilePatterns } from '../test/catalogue/search/hostile-patterns.ts';
import { tinyPicture } from '../test/support/pictures/tiny.ts';
import { until } from '../test/support/until.ts';
import { closed, Flooder, request } from './flooder.ts';
import { countDescriptors, startMeter } from './meter.ts';
import { startProbe } from './probe.ts';
import { randomFor } from './random.ts';
import type { Report } from './report.ts';
import { type Engines, newCatalogues, runOrThrow, startTarget, type Target } from './servers.ts';
import type { ShortRun } from './torture.ts';

export interface FloodOptions {
  seed: number;
  report: Report;
  announce: (step: string) => void;
  /** How long each flood lasts. */
  ms: number;
  /** The size of the catalogue. */
  names: number;
  images: number;
  short?: ShortRun;
}

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
  /** The calls of the ordinary client. */
  calls: string[];
  maxCallMs: number;
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

export const floods: Flood[] = [
  {
    what: 'expensive searches',
    connections: 40,
    calls: searches,
    maxCallMs: MAX_SEARCH_MS,
    run: (flooder) =>
      flooder.pace(40, 40, (random) => {
        const patterns = [`_%a_{${5 + random.below(9)}}a%a_{13}a%a_{14}b%z`, ...hostilePatterns];
        return `/api/artist?search=${encodeURIComponent(random.pick(patterns))}`;
      }),
  },
  {
    ...{
      what: 'filters with a hundred categories',
      connections: 300,
      calls: filters,
      maxCallMs: MAX_FILTER_MS,
    },
    run: (flooder) =>
      flooder.pace(300, 300, (random) => {
        const names = Array.from({ length: NAMED }, () => `c${random.below(CATEGORIES)}`);
        return `/api/image/random?match=any&exclude=c${random.below(CATEGORIES)}&categories=${names.join()}`;
      }),
  },
  {
    what: 'headers that are too large',
    connections: 20,
    calls: usual,
    maxCallMs: MAX_CALL_MS,
    run: (flooder) =>
      flooder.repeat(20, 200, async (socket) => {
        socket.resume();
        socket.write(`GET /api HTTP/1.1\r\nHost: x\r\n${`X-Filler: ${'x'.repeat(8000)}\r\n`.repeat(9)}\r\n`);
        await closed(socket);
      }),
  },
  {
    what: 'bodies without end',
    connections: 5,
    calls: usual,
    maxCallMs: MAX_CALL_MS,
    run: (flooder) =>
      flooder.repeat(5, 0, async (socket) => {
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
    calls: usual,
    maxCallMs: MAX_CALL_MS,
    run: (flooder) => flooder.hold(400, request('/openapi.json').repeat(3), 2),
  },
  {
    what: 'files, pipelined, then disconnects',
    connections: 20,
    calls: usual,
    maxCallMs: MAX_CALL_MS,
    async run(flooder) {
      const link = await flooder.fileLink();
      await flooder.repeat(20, 1000, async (socket) => {
        socket.write(request(link).repeat(2000));
        await Promise.race([closed(socket), setTimeout(flooder.random.below(300))]);
        socket.resetAndDestroy();
      });
    },
  },
  {
    what: 'pages, pipelined and not read',
    connections: 20,
    calls: usual,
    maxCallMs: MAX_CALL_MS,
    run: (flooder) => flooder.hold(20, request('/docs').repeat(2500)),
  },
];

export async function flood(folder: string, engines: Engines, options: FloodOptions): Promise<void> {
  const file = join(folder, 'flood.ndjson');
  await writeFile(join(folder, 'flood.png'), tinyPicture(1));
  await writeFile(file, [...records(options)].map((record) => `${JSON.stringify(record)}\n`).join(''));
  const { short } = options;
  const catalogues = newCatalogues(folder, engines);
  for (const [number, [name, catalogue]] of catalogues.entries()) {
    const own = short
      ? floods.slice(0, short.floods).filter((_, index) => index % catalogues.length === number)
      : floods;
    if (own.length === 0) continue;
    options.announce(`importing the catalogue to flood, ${name}`);
    await runOrThrow(['import', '--quiet', file], catalogue);
    const limited = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' };
    await using target = await startTarget(name, { ...catalogue, ...limited });
    await loadPages(target);
    const quietMs = new Map<string[], number>();
    for (const { calls } of short ? [] : own)
      if (!quietMs.has(calls)) quietMs.set(calls, await medianCall(urlsOf(target, calls), options.ms / 4));
    for (const one of own) await measure(target, one, quietMs.get(one.calls) ?? 0, options);
  }
}

async function measure(
  target: Target,
  one: Flood,
  quietMs: number,
  { seed, report, announce, ms, short }: FloodOptions,
): Promise<void> {
  const what = `flood, ${target.name}: ${one.what}`;
  const repeat = `seed ${seed}, for ${ms} ms`;
  announce(what);
  const meter = startMeter(target.pid);
  const probe = await startProbe(urlsOf(target, one.calls));
  const flooder = new Flooder(target, randomFor(seed, what), performance.now() + ms);
  await one.run(flooder).catch((error: Error) => report.fail(what, error.message, repeat));
  const calls = await probe.stop();
  flooder.close();
  const usage = meter.stop();
  const ending = target.ending();
  if (ending) report.fail(what, ending, repeat);
  const row = report.row(what);
  row.tried += calls.count;
  row.slowestMs = Math.max(row.slowestMs, calls.slowestMs);
  row.memory = { growth: usage.growth, peak: usage.peak };
  for (const failure of calls.failures) report.fail(what, `a call of another client: ${failure}`, repeat);
  const maxMs = Math.max(one.maxCallMs, 5 * quietMs);
  if (!short && calls.slowestMs > maxMs)
    report.fail(
      what,
      `a call of another client took ${Math.round(calls.slowestMs)} ms, more than ${Math.round(maxMs)}`,
      repeat,
    );
  if (usage.growth > MAX_GROWTH_MB)
    report.fail(what, `the memory grew by ${Math.round(usage.growth)} MB`, repeat);
  const { before, peak } = usage.descriptors;
  // Besides its connection, each client may have one file open.
  const maxDescriptors = before + 2 * one.connections + DESCRIPTOR_SLACK;
  if (peak > maxDescriptors)
    report.fail(what, `${peak} descriptors are open, more than ${maxDescriptors}`, repeat);
  await until(
    'descriptors are closed',
    () => countDescriptors(target.pid) <= before + DESCRIPTOR_SLACK,
  ).catch(() =>
    report.fail(what, `${countDescriptors(target.pid)} descriptors stay open, ${before} before`, repeat),
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

function* records({ names, images }: FloodOptions): Generator<object> {
  for (let number = 0; number < CATEGORIES; number++) yield { type: 'category', name: `c${number}` };
  yield { type: 'category', name: 'file' };
  yield { type: 'image', file: 'flood.png', nsfw: 'sfw', categories: ['file'] };
  for (let number = 0; number < names; number++) yield { type: 'artist', name: hostileName(number, 60) };
  const meta = { size: 1, mimetype: 'image/png', color: '#00ff00', dimens: { width: 3, height: 2 } };
  for (let number = 0; number < images; number++) {
    const categories = Array.from(
      { length: 10 },
      (_, turn) => `c${(number * (turn + 1) + turn * 37) % CATEGORIES}`,
    );
    const image = { key: `${number}.png`, meta: { eTag: `tag-${number}`, ...meta }, nsfw: 'sfw' };
    yield { type: 'image', ...image, categories: [...new Set(categories)] };
  }
}
