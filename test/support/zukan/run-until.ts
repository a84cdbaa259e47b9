/** Runs a command in a process of its own, which is killed before one of its operations or after some time, or ends by itself. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Finished, finish, launch } from './program.ts';

/** When a process is killed. Without any of these, it ends by itself. */
export interface Moment {
  /** Before this operation on files or the database, counted from the first one that matches `from`. */
  operation?: number;
  from?: string;
  ms?: number;
  /** Instead of SIGKILL. */
  signal?: NodeJS.Signals;
}

export interface Ended extends Finished {
  signal: NodeJS.Signals | null;
  ms: number;
}

/** What a command did that was not killed. `commit` is the position of its first commit. */
export interface Trace {
  operations: number;
  commit: number;
  trace: string[];
}

const preload = `--import=${join(import.meta.dirname, 'kill-at.ts')}`;

type Environment = Record<string, string>;

export function launchUntil(
  { operation = 0, from = '', ms, signal = 'SIGKILL' }: Moment,
  command: string[],
  environment: Environment,
  { flags = [] as string[], program = undefined as string | undefined } = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const variables = { ...environment, KILL_AT: String(operation), KILL_FROM: from, KILL_SIGNAL: signal };
  const startedAt = performance.now();
  const child = launch(command, variables, [preload, ...flags], program);
  const closed = finish(child);
  const kill = async (after: number) => {
    await Promise.race([closed, setTimeout(after, undefined, { ref: false })]);
    child.kill(signal);
  };
  if (ms !== undefined) void kill(ms);
  const ended = closed.then((finished) => ({ ...finished, ms: performance.now() - startedAt }));
  return { child, ended };
}

/** Runs a command to its end. */
export async function traceCommand(command: string[], environment: Environment): Promise<Ended & Trace> {
  const ended = await launchUntil({}, command, environment).ended;
  assert.equal(ended.status, 0, `${command.join(' ')}: ${ended.errors}`);
  return { ...ended, ...traceIn(ended) };
}

export const traceIn = ({ errors }: Finished): Trace => JSON.parse(errors.trim().split('\n').at(-1) ?? '');

/** Kills a command before an operation that it has. */
export async function killBefore(
  operation: number,
  command: string[],
  environment: Environment,
  { from = '', flags = [] as string[] } = {},
): Promise<void> {
  const { signal, errors } = await launchUntil({ operation, from }, command, environment, { flags }).ended;
  assert.equal(signal, 'SIGKILL', `${command.join(' ')} has no operation ${operation} ${from}: ${errors}`);
}
