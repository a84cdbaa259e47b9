/** Loads a server over loopback. */
import autocannon, { type Request, type Result } from 'autocannon';
import type { Target } from './endpoints.ts';
import { cpuSeconds } from './process.ts';

export interface Measurement {
  /** CPU time of the server, all threads, in µs per response. */
  cpu: number;
  /** Responses per second. */
  rate: number;
  /** The median and the 99th percentile, in milliseconds. */
  p50: number;
  p99: number;
}

/** Of each worker: with fewer, it has fewer requests to process together, and each costs more. */
export const CONNECTIONS = 32;

/** Throws when a target that should succeed does not. */
export async function measure(target: Target, seconds: number, workers = 1): Promise<Measurement> {
  const { server, paths, headers, status } = target;
  const before = cpuSeconds(server.pid);
  const { responses, errors, ...loaded } = await sendLoad(target, seconds, CONNECTIONS * workers);
  const cpu = ((cpuSeconds(server.pid) - before) * 1e6) / responses;
  if (status === 200 && errors > 0) throw new Error(`${errors} requests failed: ${server.origin}${paths[0]}`);
  // Wait for a slow server to finish what the loader gave up on; it would disturb the next measurement.
  await (await fetch(server.origin + paths[0], { headers })).arrayBuffer();
  return { ...loaded, cpu };
}

/** Computes percentiles itself: autocannon rounds them to milliseconds and counts only 2xx responses. */
async function sendLoad({ server, paths, headers }: Target, seconds: number, connections: number) {
  // Given all requests at once, it would prepare each of them for each connection, which takes seconds.
  let sent = 0;
  const nextPath = (request: Request): Request => ({ ...request, path: paths[sent++ % paths.length] });
  const requests = [{ method: 'GET' as const, setupRequest: nextPath }];
  const times: number[] = [];
  // autocannon's duration includes connecting, so measure from the first response to the last.
  let [first, last] = [Number.NaN, Number.NaN];
  const result = await new Promise<Result>((resolve, reject) => {
    const options = { url: server.origin, connections, duration: seconds, headers, requests };
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
    /** Responses with a status other than 2xx or 3xx, and failed requests. */
    errors: result.non2xx + result.errors,
    p50: at(50),
    p99: at(99),
  };
}
