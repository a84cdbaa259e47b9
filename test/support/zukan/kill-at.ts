/**
 * Preloaded into a child process (`--import`). Counts the operations that change a file or the database, and sends the
 * process a signal (KILL_SIGNAL, SIGKILL by default) before the one that KILL_AT names. With KILL_FROM, a
 * pattern, the first operation that matches is number 1: how many come before it may depend on timing. At exit it prints the
 * number of operations, the position of the first commit, and all operations in order.
 */
import fs, { type PathLike } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const killAt = Number(process.env.KILL_AT);
const signal = process.env.KILL_SIGNAL ?? 'SIGKILL';
const from = new RegExp(process.env.KILL_FROM ?? '');
const trace: string[] = [];
let commit = 0;
let counted = 0;

function count(operation: string): void {
  trace.push(operation);
  if (counted > 0 || from.test(operation)) counted++;
  if (counted === killAt) process.kill(process.pid, signal);
}

type Handle = Record<'sync' | 'datasync' | 'appendFile', (...rest: unknown[]) => Promise<unknown>>;

/** Counts what makes the file durable, too: a process can die before and after it. */
function countHandle(handle: Handle, path: PathLike): void {
  for (const name of ['sync', 'datasync', 'appendFile'] as const) {
    const original = handle[name].bind(handle);
    handle[name] = (...rest) => {
      count(`${name} ${path}`);
      return original(...rest);
    };
  }
}

for (const name of ['open', 'writeFile', 'rename', 'rm', 'mkdir'] as const) {
  const original = fs.promises[name] as (path: PathLike, ...rest: unknown[]) => Promise<unknown>;
  Object.assign(fs.promises, {
    [name]: async (path: PathLike, ...rest: unknown[]) => {
      count(`${name} ${path}${name === 'rename' ? ` ${rest[0]}` : ''}`);
      const result = await original(path, ...rest);
      if (name === 'open') countHandle(result as Handle, path);
      return result;
    },
  });
}
syncBuiltinESMExports();

const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql: string) {
  count(sql);
  if (/^commit/i.test(sql)) {
    commit ||= trace.length;
    process.stdout.write('committing\n');
  }
  return exec.call(this, sql);
};
const statement = StatementSync.prototype as unknown as { run: (...parameters: unknown[]) => unknown };
const { run } = statement;
statement.run = function (...parameters) {
  count('run');
  return run.apply(this, parameters);
};

// Loading the driver takes time that commands on SQLite need not spend.
if (process.env.DATABASE_URL?.startsWith('postgres')) {
  const { default: pg } = await import('pg');
  const client = pg.Client.prototype as unknown as { query: (...parameters: unknown[]) => unknown };
  const { query } = client;
  client.query = function (...parameters) {
    const [statement] = parameters as [string | { text?: string }];
    const sql = typeof statement === 'string' ? statement : (statement?.text ?? 'query');
    count(sql);
    if (/^commit/i.test(sql)) commit ||= trace.length;
    return query.apply(this, parameters);
  };
}

process.on('exit', () => {
  let rest = Buffer.from(`${JSON.stringify({ operations: trace.length, commit, trace })}\n`);
  // What process.stderr cannot write at once is lost here.
  while (rest.length > 0)
    try {
      rest = rest.subarray(fs.writeSync(2, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
});
