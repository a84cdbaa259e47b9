/** Starts servers and commands as child processes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const thisCheckout = join(import.meta.dirname, '..');

/** The same options as in `npm start`. */
const zukan = (checkout: string) => ['--max-semi-space-size=8', join(checkout, 'bin/zukan.js')];

/** Disposing of it stops the process. */
export interface Server extends AsyncDisposable {
  origin: string;
  /** Resident memory in MB. */
  memory(): number;
}

/** Process ids of the servers that run, by origin. */
const servers = new Map<string, number>();

/** What the kernel counts CPU time in. */
const TICKS_PER_SECOND = 100;

/** The CPU time that a server has used, by all its threads: the collector's helpers count, too. Linux only. */
export const cpuSeconds = (origin: string): number => cpuSecondsOf(servers.get(origin) as number);

/** The CPU time of a process, or of its children that have ended as well. */
export function cpuSecondsOf(pid: number, hasChildren = false): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // It has ended by now.
    return 0;
  }
  // The name of the program, in brackets, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, hasChildren ? 15 : 13).map(Number);
  return ticks.reduce((sum, part) => sum + part) / TICKS_PER_SECOND;
}

export type Environment = Record<string, string>;

export function startServer(environment: Environment, checkout = thisCheckout): Promise<Server> {
  return waitForOrigin(start([...zukan(checkout), 'serve'], { RATE_LIMIT: 'off', ...environment }));
}

export function startBaseline(bytes: number, threads: number): Promise<Server> {
  const file = join(import.meta.dirname, 'baseline-server.ts');
  return waitForOrigin(start([file, String(bytes), String(threads)], {}));
}

async function waitForOrigin(child: ChildProcess): Promise<Server> {
  const ended = once(child, 'close');
  const first = once(child.stdout as NodeJS.ReadableStream, 'data');
  const failed = ended.then(() => Promise.reject(new Error(`${child.spawnargs.join(' ')} did not start`)));
  // Ending later is not a failure.
  failed.catch(() => {});
  const [chunk] = await Promise.race([first, failed]);
  const origin = /http:\/\/\S+/.exec(String(chunk))?.[0] ?? '';
  servers.set(origin, child.pid as number);
  return {
    origin,
    memory: () => residentMemory(child.pid as number),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      servers.delete(origin);
    },
  };
}

function residentMemory(pid: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Math.round(Number(stdout) / 1024);
}

/** Runs a zukan command and returns its standard output. */
export async function runCommand(
  parameters: string[],
  environment: Environment,
  checkout = thisCheckout,
): Promise<string> {
  const child = start([...zukan(checkout), ...parameters], environment);
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`zukan ${parameters.join(' ')} failed with status ${status}`);
  return output.trim();
}

function start(parameters: string[], environment: Environment): ChildProcess {
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'warn', WORKERS: '1', ...environment };
  return spawn(process.execPath, parameters, { env, stdio: ['ignore', 'pipe', 'inherit'] });
}
