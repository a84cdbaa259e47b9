/**
 * Preloaded into a child process (`--import`). Counts the operations that change a file or the database, and kills the
 * process before the one that KILL_AT names. At exit it prints the kind of each operation, in order.
 */
import fs, { type PathLike } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const killAt = Number(process.env.KILL_AT);
const operations: string[] = [];

function count(kind: string): void {
  operations.push(kind);
  if (operations.length === killAt) process.kill(process.pid, 'SIGKILL');
}

for (const name of ['open', 'writeFile', 'rename', 'rm', 'mkdir'] as const) {
  const original = fs.promises[name] as (path: PathLike, ...rest: unknown[]) => Promise<unknown>;
  Object.assign(fs.promises, {
    [name]: (path: PathLike, ...rest: unknown[]) => {
      count(name);
      return original(path, ...rest);
    },
  });
}
syncBuiltinESMExports();

const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql: string) {
  const [kind = ''] = /^\w*/.exec(sql.trim().toLowerCase()) ?? [];
  count(kind);
  if (kind === 'commit') process.stdout.write('committing\n');
  return exec.call(this, sql);
};
const statement = StatementSync.prototype as unknown as {
  sourceSQL: string;
  run: (...parameters: unknown[]) => unknown;
};
const { run } = statement;
statement.run = function (...parameters) {
  count(/^\s*\w+/.exec(this.sourceSQL)?.[0].trim().toLowerCase() ?? '');
  return run.apply(this, parameters);
};

process.on('exit', () => process.stderr.write(`${JSON.stringify(operations)}\n`));
