/** Loading a server over loopback with wrk, or with autocannon where there is no wrk. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Result } from 'autocannon';
import { findProgram } from '../test/support/needs.ts';

export interface Load {
  origin: string;
  /** Asked for in turn. */
  paths: string[];
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

export interface Measured {
  /** Answers a second. */
  rate: number;
  /** Milliseconds, by percentile. */
  latency: Map<number, number>;
  /** How many answers were not of status 2xx or 3xx, or did not come whole. */
  refused: number;
}

export const percentiles = [1, 10, 25, 50, 75, 90, 95, 99, 99.9];
const run = promisify(execFile);
const wrk = findProgram('wrk');

export const loaderName = wrk ? 'wrk' : 'autocannon';

export function load(what: Load): Promise<Measured> {
  return wrk ? loadWithWrk(wrk, what) : loadWithAutocannon(what);
}

async function loadWithWrk(program: string, what: Load): Promise<Measured> {
  const { origin, paths, headers, connections, seconds } = what;
  const folder = await mkdtemp(join(tmpdir(), 'zukan-load-'));
  const script = join(folder, 'load.lua');
  const quoted = (texts: string[]) => texts.map((text) => JSON.stringify(text)).join(',');
  await writeFile(
    script,
    `local requests, turn = {}, 0
     init = function()
       for index, path in ipairs({${quoted(paths)}}) do requests[index] = wrk.format("GET", path) end
     end
     request = function() turn = turn % #requests + 1; return requests[turn] end
     done = function(summary, latency)
       local errors = summary.errors
       local refused = errors.status + errors.connect + errors.read + errors.write
       io.write("RESULT ", summary.requests / summary.duration * 1e6, " ", refused)
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
    const [rate = 0, refused = 0, ...times] = (/RESULT (.*)/.exec(stdout)?.[1] ?? '').split(' ').map(Number);
    return {
      rate,
      refused,
      latency: new Map(percentiles.map((p, index) => [p, times[index] ?? Number.NaN])),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Its own percentiles are in whole milliseconds, and of answers with status 2xx only. */
async function loadWithAutocannon(what: Load): Promise<Measured> {
  const { default: autocannon } = await import('autocannon');
  const { origin, paths, headers, connections, seconds } = what;
  const requests = paths.map((path) => ({ method: 'GET' as const, path }));
  const times: number[] = [];
  // Preparing many paths takes part of its time, so the rate is that from the first answer to the last.
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
    rate: times.length > 1 ? ((times.length - 1) / (last - first)) * 1000 : 0,
    refused: result.non2xx + result.errors,
    latency: new Map(percentiles.map((p) => [p, at(p)])),
  };
}
