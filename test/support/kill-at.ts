/**
 * Preloaded into a child process (`--import`). Counts the operations that change a file or the database, and kills the
 * process before the one that KILL_AT names. At exit it prints the number of operations and the position of the commit.
 */
import fs, { type PathLike } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const killAt = Number(process.env.KILL_AT);
let operations = 0;
let commit = 0;

function count(): void {
  operations++;
  if (operations === killAt) process.kill(process.pid, 'SIGKILL');
}

for (const name of ['open', 'writeFile', 'rename', 'rm', 'mkdir'] as const) {
  const original = fs.promises[name] as (path: PathLike, ...rest: unknown[]) => Promise<unknown>;
  Object.assign(fs.promises, {
    [name]: (path: PathLike, ...rest: unknown[]) => {
      count();
      return original(path, ...rest);
    },
  });
}
syncBuiltinESMExports();

const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql: string) {
  count();
  if (/^commit/i.test(sql)) {
    commit = operations;
    process.stdout.write('committing\n');
  }
  return exec.call(this, sql);
};
const statement = StatementSync.prototype as unknown as { run: (...parameters: unknown[]) => unknown };
const { run } = statement;
statement.run = function (...parameters) {
  count();
  return run.apply(this, parameters);
};

process.on('exit', () => process.stderr.write(`${JSON.stringify({ operations, commit })}\n`));
