/** Runs zukan: as a child process, or a command in this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { after } from 'node:test';
import { runProgram } from '../../../src/cli/program.ts';
import { atEnd } from '../at-end.ts';
import { parseLines } from '../catalogues/lines.ts';
import { until } from '../until.ts';

export const main = join(import.meta.dirname, '../../../src/main.ts');
/** The suite starts the program often; cached code halves the start time. */
export const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/compiled');

/** What a command may know of the environment of the tests. */
function inherited(): Record<string, string> {
  const { PATH = '', NODE_V8_COVERAGE } = process.env;
  return NODE_V8_COVERAGE ? { PATH, NODE_V8_COVERAGE } : { PATH, NODE_COMPILE_CACHE };
}

export interface Finished {
  status: number | null;
  output: string;
  errors: string;
}

type Environment = Record<string, string>;

// A listener that a command leaves behind could end the process when a test emits a signal, without a failure.
atEnd(() =>
  until('no command listens for signals any more', () =>
    ['SIGINT', 'SIGTERM'].every((name) => process.listenerCount(name) === 0),
  ),
);

/**
 * Runs a command in this process, which takes a fraction of the time. Use `zukan` where the process is the subject. The
 * folder is where a `zukan.env` that is no longer read is looked for.
 */
export async function runCommand(
  parameters: string[],
  environment: Environment,
  input = '',
  folder = import.meta.dirname,
): Promise<Finished> {
  const [stdout, stderr] = [new TextCollector(), new TextCollector()];
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  const status = await runProgram(parameters, environment, { stdin, stdout, stderr }, folder);
  return { status, output: stdout.text, errors: stderr.text };
}

/** The same on a terminal, where somebody types the answer to every question. */
export async function runAnswering(
  answer: string,
  parameters: string[],
  environment: Environment,
): Promise<Finished> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const [stdout, stderr] = [new TextCollector(), Object.assign(new PassThrough(), { isTTY: true })];
  let errors = '';
  stderr.on('data', (chunk) => {
    errors += chunk;
    if (String(chunk).includes('[y/N]')) stdin.write(answer);
  });
  const status = await runProgram(parameters, environment, { stdin, stdout, stderr });
  return { status, output: stdout.text, errors };
}

class TextCollector extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk;
    done();
  }
}

/** Runs a command in a child process until it exits. */
export async function zukan(parameters: string[], environment: Environment, input = ''): Promise<Finished> {
  const child = start(parameters, environment);
  child.stdin?.end(input);
  return finish(child);
}

/** Waits until a process ends. */
export async function finish(child: ChildProcess): Promise<Finished & { signal: NodeJS.Signals | null }> {
  let [output, errors] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const [status, signal] = await once(child, 'close');
  return { status, signal, output, errors };
}

/** Disposing of it stops the process. */
export interface Running extends AsyncDisposable {
  child: ChildProcess;
  origin: string;
  /** Everything on standard output so far. */
  output: () => string;
  /** Everything on standard error so far. */
  errors: () => string;
  /** Resolves with the exit status. */
  ended: Promise<number | null>;
  /** Ends the process, and returns its exit status. */
  stop(): Promise<number | null>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read log lines whose shape they are about to check
  log(): any[];
}

/** Starts `zukan serve`, with one worker unless told otherwise, on a free port and waits until it prints its address. `launch` starts the process. */
export async function serve(
  environment: Environment,
  parameters: string[] = [],
  launch: typeof start = start,
): Promise<Running> {
  const defaults = { PORT: '0', RATE_LIMIT: 'off', WORKERS: '1' };
  const child = launch(['serve', ...parameters], { ...defaults, ...environment });
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
    ended.then(() => reject(new Error(`zukan serve exited: ${errors}`)));
  });
  const stop = () => {
    child.kill();
    return ended;
  };
  return {
    ...{ child, origin, ended, stop, output: () => text, errors: () => errors },
    log: () => parseLines(text.replaceAll(/^[^{].*/gm, '')),
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

/** Starts a command in a child process, which ends with the test at the latest. `nodeFlags` are for Node itself. */
export function start(
  parameters: string[],
  environment: Environment,
  nodeFlags: string[] = [],
): ChildProcess {
  const child = launch(parameters, environment, nodeFlags);
  after(() => child.kill('SIGKILL'));
  return child;
}

/** Starts a command, or another program, in a child process that the caller ends. */
export function launch(
  parameters: string[],
  environment: Environment,
  nodeFlags: string[] = [],
  program = main,
): ChildProcess {
  return spawn(process.execPath, [...nodeFlags, program, ...parameters], {
    env: { ...inherited(), ...environment },
  });
}
