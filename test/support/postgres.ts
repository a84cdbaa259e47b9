/** A private PostgreSQL, started from the machine's binaries on a free port of the loopback, gone with the test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findPostgres } from './needs.ts';
import { freePort } from './redis.ts';
import { newFolder } from './workspace.ts';

export interface Postgres {
  /** The address of a database of it. */
  url(database?: string): string;
  /** Makes an empty database and gives its address. */
  newDatabase(): string;
  /** Runs SQL and gives what it prints, a row a line. */
  query(sql: string): string;
  /** Makes a replica that streams from it. */
  replica(): Promise<Postgres>;
  start(): Promise<void>;
  /** `fast` lets nobody finish; `kill` does not even tell them. */
  stop(how?: 'fast' | 'kill'): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Stops it and removes its files. */
  discard(): Promise<void>;
}

export async function startPostgres(
  settings: Record<string, string> = {},
  place?: string,
): Promise<Postgres> {
  const kept = keptData();
  const folder = newHome(place);
  execFileSync('cp', ['-a', `${kept}/.`, join(folder, 'data')]);
  return startIn(folder, settings);
}

/**
 * What initdb makes, kept beside the compiled code: every file of the suite starts with a copy of it, which takes a
 * tenth of the time. The first one makes it, under another name until it is whole.
 */
function keptData(): string {
  const version = execFileSync(program('postgres'), ['--version'], { encoding: 'utf8' }).replace(/\W+/g, '-');
  const kept = join(import.meta.dirname, `../../node_modules/.cache/${version}${process.getuid?.()}`);
  if (existsSync(kept)) return kept;
  const folder = newHome();
  const setup = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  run('initdb', [...setup, '--no-sync'], folder);
  const unfinished = `${kept}.${process.pid}`;
  mkdirSync(dirname(kept), { recursive: true });
  execFileSync('cp', ['-a', join(folder, 'data'), unfinished]);
  rmSync(folder, { recursive: true });
  try {
    renameSync(unfinished, kept);
  } catch (error) {
    // Another was first.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(kept)) throw error;
  }
  return kept;
}

async function startIn(folder: string, settings: Record<string, string>): Promise<Postgres> {
  const port = await freePort();
  let server: ChildProcess | undefined;
  let databases = 0;
  const url = (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const query = (sql: string) => psql(url(), sql);
  const start = async () => {
    const all = { listen_addresses: '127.0.0.1', port, fsync: 'off', max_connections: 60, ...settings };
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    server = spawn(program('postgres'), ['-D', join(folder, 'data'), '-k', folder, ...flags], {
      ...surroundings(folder),
      stdio: 'ignore',
    });
    await waitUntil(() =>
      execFileSync(program('pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' }),
    );
  };
  const stop = async (how: 'fast' | 'kill' = 'fast') => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'close');
    server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  };
  await start();
  return {
    url,
    query,
    start,
    stop,
    newDatabase() {
      const name = `test_${++databases}`;
      query(`create database ${name}`);
      return url(name);
    },
    async replica() {
      const own = newHome();
      run('pg_basebackup', ['-D', join(own, 'data'), '-d', url(), '-R', '-c', 'fast', '--no-sync'], own);
      return startIn(own, { ...settings, hot_standby_feedback: 'on' });
    },
    signal: (name) => server?.kill(name),
    async discard() {
      server?.kill('SIGCONT');
      await stop('kill');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs SQL in the database at this address and gives what it prints, a row a line. */
export function psql(url: string, sql: string): string {
  const flags = ['-d', url, '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];
  return execFileSync(program('psql'), flags, { input: sql, encoding: 'utf8', maxBuffer: 2 ** 30 });
}

export const psqlProgram = () => program('psql');

const program = (name: string) => join(dirname(findPostgres() ?? ''), name);

function run(name: string, parameters: string[], folder: string): void {
  execFileSync(program(name), parameters, { ...surroundings(folder), stdio: ['ignore', 'ignore', 'pipe'] });
}

function surroundings(folder: string) {
  return { ...unprivileged(), cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
}

/** A folder that PostgreSQL may use, with an empty one in it for its data. */
function newHome(place?: string): string {
  const folder = newFolder('zukan-pg-', place);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const { uid, gid } = unprivileged();
  if (uid !== undefined) for (const path of [folder, data]) chownSync(path, uid, gid ?? uid);
  return folder;
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
      if (tries === 200) throw error;
      await setTimeout(50);
    }
  }
}
