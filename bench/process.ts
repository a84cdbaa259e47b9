/** Starts servers and commands of a checkout as child processes, and reads what processes use. Linux only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finish, launch, serve } from '../test/support/zukan/program.ts';

export const thisCheckout = join(import.meta.dirname, '..');

export type Environment = Record<string, string>;

/** Disposing of it stops the process. */
export interface Server extends AsyncDisposable {
  origin: string;
  pid: number;
}

/** What the kernel counts CPU time in. */
const TICKS_PER_SECOND = 100;

/** The CPU time of all threads of a process, the collector's helpers too, or also of its children that have ended. */
export function cpuSeconds(pid: number, hasChildren = false): number {
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

/** Resident memory in MB. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

export function startServer(environment: Environment, checkout = thisCheckout): Promise<Server> {
  return start(environment, (parameters, variables) => launchZukan(checkout, parameters, variables));
}

export function startBaseline(bytes: number, threads: number): Promise<Server> {
  const file = join(import.meta.dirname, 'baseline-server.ts');
  return start({}, () => launch([String(bytes), String(threads)], {}, [], file));
}

async function start(environment: Environment, launcher: typeof launch): Promise<Server> {
  const running = await serve(environment, [], launcher);
  return { ...running, pid: running.child.pid as number };
}

/** Runs a zukan command and returns its standard output. */
export async function runCommand(
  parameters: string[],
  environment: Environment,
  checkout = thisCheckout,
): Promise<string> {
  const { status, output } = await finish(launchZukan(checkout, parameters, environment));
  if (status !== 0) throw new Error(`zukan ${parameters.join(' ')} failed with status ${status}`);
  return output.trim();
}

function launchZukan(checkout: string, parameters: string[], environment: Environment) {
  const variables = { LOG_LEVEL: 'warn', ...environment };
  // The same options as in `npm start`.
  const child = launch(parameters, variables, ['--max-semi-space-size=8'], join(checkout, 'bin/zukan.js'));
  child.stderr?.pipe(process.stderr);
  return child;
}
