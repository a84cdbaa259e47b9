/** Starting programs for a measurement, each as a process of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** As `npm start` runs it. */
const main = ['--max-semi-space-size=4', join(import.meta.dirname, '../bin/zukan.js')];

/** Stopped when it is disposed of. */
export interface Server extends AsyncDisposable {
  origin: string;
  /** Resident, in MB. */
  memory(): number;
}

export type Environment = Record<string, string>;

export function startServer(environment: Environment): Promise<Server> {
  return started(start([...main, 'serve'], { RATE_LIMIT: 'off', ...environment }));
}

export function startYardstick(bytes: number): Promise<Server> {
  return startProgram('yardstick.ts', [String(bytes)]);
}

/** A program of this folder that prints where it listens. */
export function startProgram(file: string, parameters: string[]): Promise<Server> {
  return started(start([join(import.meta.dirname, file), ...parameters], {}));
}

async function started(child: ChildProcess): Promise<Server> {
  const ended = once(child, 'close');
  const first = once(child.stdout as NodeJS.ReadableStream, 'data');
  const failed = ended.then(() => Promise.reject(new Error(`${child.spawnargs.join(' ')} did not start`)));
  // It ends at some time, which is no failure once it has started.
  failed.catch(() => {});
  const [chunk] = await Promise.race([first, failed]);
  return {
    origin: /http:\/\/\S+/.exec(String(chunk))?.[0] ?? '',
    memory: () => Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)])) / 1024),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Runs a command to its end and gives its standard output. */
export async function command(parameters: string[], environment: Environment): Promise<string> {
  const child = start([...main, ...parameters], environment);
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`zukan ${parameters.join(' ')} ended with ${status}`);
  return output.trim();
}

function start(parameters: string[], environment: Environment): ChildProcess {
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'warn', ...environment };
  return spawn(process.execPath, parameters, { env, stdio: ['ignore', 'pipe', 'inherit'] });
}
