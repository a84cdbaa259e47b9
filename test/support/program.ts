/** The program as people start it: a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after } from 'node:test';

const main = join(import.meta.dirname, '../../src/main.ts');
/** The suite starts the program hundreds of times; compiled code that is kept halves what a start takes. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.cache/compiled');

export interface Finished {
  status: number | null;
  output: string;
  errors: string;
}

type Environment = Record<string, string>;

/** Runs a command to its end. */
export async function zukan(parameters: string[], environment: Environment, input = ''): Promise<Finished> {
  const child = start(parameters, environment);
  child.stdin?.end(input);
  let [output, errors] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const [status] = await once(child, 'close');
  return { status, output, errors };
}

export interface Running {
  child: ChildProcess;
  origin: string;
  /** Everything on standard output so far. */
  output: () => string;
  /** Resolves with the exit status. */
  ended: Promise<number | null>;
}

/** Starts `zukan serve` on a free port and waits until it says where it listens. */
export async function serve(environment: Environment, parameters: string[] = []): Promise<Running> {
  const child = start(['serve', ...parameters], { PORT: '0', RATE_LIMIT: 'off', ...environment });
  const ended = once(child, 'close').then(([status]) => status as number | null);
  let [text, errors] = ['', ''];
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      const address = /http:\/\/[^\s]+/.exec(text)?.[0];
      if (address && text.includes('\n')) resolve(address);
    });
    ended.then(() => reject(new Error(`zukan serve ended: ${errors}`)));
  });
  return { child, origin, ended, output: () => text };
}

export function start(parameters: string[], environment: Environment): ChildProcess {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [main, ...parameters], {
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
  });
  after(() => child.kill('SIGKILL'));
  return child;
}
