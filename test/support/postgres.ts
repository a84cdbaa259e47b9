/** A private PostgreSQL, started from the machine's binaries, reached by its socket alone, gone with the test. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findPostgres } from './needs.ts';

export interface Postgres {
  /** Runs SQL and gives what it prints, a row a line. */
  query(sql: string): string;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const bin = dirname(findPostgres() ?? '');
  const folder = mkdtempSync(join(tmpdir(), 'zukan-pg-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const user = unprivileged();
  if (user.uid !== undefined)
    for (const path of [folder, data]) chownSync(path, user.uid, user.gid ?? user.uid);
  const options = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };

  const setup = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(bin, 'initdb'), setup, { ...options, stdio: 'ignore' });
  const settings = ['-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'max_connections=20'];
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-k', folder, ...settings], {
    ...options,
    stdio: 'ignore',
  });
  const connection = ['-h', folder, '-U', 'postgres', '-d', 'postgres'];
  await waitUntil(() => execFileSync(join(bin, 'pg_isready'), connection, { stdio: 'ignore' }));
  return {
    query(sql) {
      const psql = [...connection, '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];
      return execFileSync(join(bin, 'psql'), psql, { input: sql, encoding: 'utf8', maxBuffer: 2 ** 30 });
    },
    async stop() {
      server.kill('SIGINT');
      await once(server, 'close');
      rmSync(folder, { recursive: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function waitUntil(attempt: () => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return attempt();
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
