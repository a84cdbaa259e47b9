/** Loads a server over loopback with wrk, or with autocannon if wrk is not installed. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Request, Result } from 'autocannon';
import { findProgram } from '../test/support/servers/needs.ts';
import type { Target } from './endpoints.ts';
import { cpuSeconds } from './process.ts';

type Load = Pick<Target, 'origin' | 'paths' | 'headers'> & { seconds: number; connections: number };

export interface Measurement {
  responses: number;
  /** CPU time of the server, all threads, in µs per response. */
  cpu: number;
  /** Responses per second. */
  rate: number;
  /** Milliseconds, by percentile. */
  latency: Map<number, number>;
  /** Responses with a status other than 2xx or 3xx, and failed requests. */
  errors: number;
}

/** Of each worker: with fewer, it has fewer requests to process together, and each costs more. */
export const CONNECTIONS = 32;

export const percentiles = [1, 10, 25, 50, 75, 90, 95, 99, 99.9];
const run = promisify(execFile);
const wrk = findProgram('wrk');

export const loaderName = wrk ? 'wrk' : 'autocannon';

/** Throws when a target that should succeed does not. */
export async function measure(
  target: Omit<Target, 'bytes'>,
  seconds: number,
  workers = 1,
): Promise<Measurement> {
  const { origin, paths, headers, status } = target;
  const load = { origin, paths, headers, seconds, connections: CONNECTIONS * workers };
  const before = cpuSeconds(origin);
  const loaded = await (wrk ? loadWithWrk(wrk, load) : loadWithAutocannon(load));
  const measurement = { ...loaded, cpu: ((cpuSeconds(origin) - before) * 1e6) / loaded.responses };
  if (status === 200 && measurement.errors > 0)
    throw new Error(`${measurement.errors} requests failed: ${origin}${paths[0]}`);
  // Wait for a slow server to finish what the loader gave up on; it would disturb the next measurement.
  await (await fetch(origin + paths[0], { headers })).arrayBuffer();
  return measurement;
}

async function loadWithWrk(program: string, load: Load): Promise<Omit<Measurement, 'cpu'>> {
  const { origin, paths, headers, seconds, connections } = load;
  const folder = await mkdtemp(join(tmpdir(), 'zukan-load-'));
  const script = join(folder, 'load.lua');
  const quoted = (texts: string[]) => texts.map((text) => JSON.stringify(text)).join(',');
  await writeFile(
    script,
    `local requests, last = {}, 0
     init = function()
       for index, path in ipairs({${quoted(paths)}}) do requests[index] = wrk.format("GET", path) end
     end
     request = function() last = last % #requests + 1; return requests[last] end
     done = function(summary, latency)
       local e = summary.errors
       local errors = e.status + e.connect + e.read + e.write
       io.write("RESULT ", summary.requests, " ", summary.requests / summary.duration * 1e6, " ", errors)
       for _, p in ipairs({${percentiles.join()}}) do io.write(" ", latency:percentile(p) / 1000) end
       io.write("\\n")
     end`,
  );
  try {
    const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const { stdout } = await run(program, [
      ...['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script],
      ...[...flags, origin],
    ]);
    const results = (/RESULT (.*)/.exec(stdout)?.[1] ?? '').split(' ').map(Number);
    const [responses = 0, rate = 0, errors = 0, ...times] = results;
    return {
      responses,
      rate,
      errors,
      latency: new Map(percentiles.map((p, index) => [p, times[index] ?? Number.NaN])),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Computes percentiles itself: autocannon rounds them to milliseconds and counts only 2xx responses. */
async function loadWithAutocannon(load: Load): Promise<Omit<Measurement, 'cpu'>> {
  const { default: autocannon } = await import('autocannon');
  const { origin, paths, headers, seconds, connections } = load;
  // Given all requests at once, it would prepare each of them for each connection, which takes seconds.
  let sent = 0;
  const nextPath = (request: Request): Request => ({ ...request, path: paths[sent++ % paths.length] });
  const requests = [{ method: 'GET' as const, setupRequest: nextPath }];
  const times: number[] = [];
  // autocannon's duration includes connecting, so measure from the first response to the last.
  let [first, last] = [Number.NaN, Number.NaN];
  const result = await new Promise<Result>((resolve, reject) => {
    const options = { url: origin, connections, duration: seconds, headers, requests };
    const loader = autocannon(options, (error, done) => (error ? reject(error) : resolve(done)));
    loader.on('response', (_client, _status, _bytes, time) => {
      last = performance.now();
      if (times.push(time) === 1) first = last;
    });
  });
  times.sort((a, b) => a - b);
  const at = (p: number) => times[Math.floor((times.length * p) / 100)] ?? Number.NaN;
  return {
    responses: times.length,
    rate: times.length > 1 ? ((times.length - 1) / (last - first)) * 1000 : 0,
    errors: result.non2xx + result.errors,
    latency: new Map(percentiles.map((p) => [p, at(p)])),
  };
}
