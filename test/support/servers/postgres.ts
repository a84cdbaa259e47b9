/** A private PostgreSQL server from the machine's binaries, on a free loopback port, removed after the test. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { atEnd } from '../at-end.ts';
import { until } from '../until.ts';
import { newFolder } from '../workspace.ts';
import { findPostgres, findProgram, installPostgres, unless } from './needs.ts';
import { freePort } from './redis.ts';

export interface Postgres {
  url(database?: string): string;
  /** Creates a database, empty or a copy of one that nobody uses, and returns its URL. */
  newDatabase(template?: string): string;
  /** Runs SQL and returns psql's output, one row per line. */
  query(sql: string): string;
  /** Starts a streaming replica. */
  replica(): Promise<Postgres>;
  start(): Promise<void>;
  /** `fast` terminates all connections; `kill` does not shut down cleanly. */
  stop(how?: 'fast' | 'kill'): Promise<void>;
  /** Stops all of its processes as they are, or lets them continue. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Stops the server and removes its files. */
  discard(): Promise<void>;
}

const execFileLater = promisify(execFile);

/** Declares tests that need PostgreSQL. Without it they are skipped, and nothing is prepared for them. */
export function describeOnPostgres(name: string, suite: () => Promise<void>): void {
  const skip = unless(findPostgres(), 'PostgreSQL', installPostgres);
  describe(name, { skip }, skip ? undefined : suite);
}

let shared: Promise<Postgres> | undefined;

/** The server of all test files of this process that only need databases. */
export async function sharedPostgres(): Promise<Postgres> {
  shared ??= startPostgres().then((server) => {
    atEnd(() => server.discard());
    return server;
  });
  return await shared;
}

export async function startPostgres(
  settings: Record<string, string> = {},
  parentFolder?: string,
): Promise<Postgres> {
  const template = templateData();
  const folder = newServerFolder(parentFolder);
  execFileSync('cp', ['-a', `${template}/.`, join(folder, 'data')]);
  return startIn(folder, settings);
}

/**
 * A data folder fresh from initdb, cached because copying it takes a tenth of the time. It is created under a temporary
 * name, because several test files may run at once.
 */
function templateData(): string {
  const { mtimeMs } = statSync(program('postgres'));
  const name = `postgres-${Math.round(mtimeMs)}-${process.getuid?.()}`;
  const template = join(import.meta.dirname, '../../../node_modules/.cache', name);
  if (existsSync(template)) return template;
  const folder = newServerFolder();
  const setup = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  run('initdb', [...setup, '--no-sync'], folder);
  const unfinished = `${template}.${process.pid}`;
  mkdirSync(dirname(template), { recursive: true });
  execFileSync('cp', ['-a', join(folder, 'data'), unfinished]);
  rmSync(folder, { recursive: true });
  try {
    renameSync(unfinished, template);
  } catch (error) {
    // Another process was faster.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(template)) throw error;
  }
  return template;
}

async function startIn(folder: string, settings: Record<string, string>): Promise<Postgres> {
  const port = await freePort();
  let server: ChildProcess | undefined;
  let databases = 0;
  const url = (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const query = (sql: string) => psql(url(), sql);
  const version = Number(readFileSync(join(folder, 'data/PG_VERSION'), 'utf8'));
  // From version 15 on, the default writes each page to the log, which takes twice the CPU time.
  const strategy = version < 15 ? '' : 'strategy file_copy';
  const start = async () => {
    const fast = { fsync: 'off', full_page_writes: 'off' };
    const all = { listen_addresses: '127.0.0.1', port, max_connections: 60, ...fast, ...settings };
    const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(program('postgres'), ['-D', join(folder, 'data'), '-k', folder, ...flags], {
      ...processOptions(folder),
      stdio: 'ignore',
    });
    server = child;
    await until('PostgreSQL accepts connections', () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL exited with status ${child.exitCode}`);
      return isReady(folder, child);
    });
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
    newDatabase(template = url('template1')) {
      const name = `test_${++databases}`;
      query(`create database ${name} template ${new URL(template).pathname.slice(1)} ${strategy}`);
      return url(name);
    },
    async replica() {
      const replicaFolder = newServerFolder();
      const backup = ['-D', join(replicaFolder, 'data'), '-d', url(), '-R', '-c', 'fast', '--no-sync'];
      run('pg_basebackup', backup, replicaFolder);
      return startIn(replicaFolder, { ...settings, hot_standby_feedback: 'on' });
    },
    signal(name) {
      const { pid } = server ?? {};
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
      for (const id of [String(pid), ...children].filter(Boolean)) signalIfRunning(Number(id), name);
    },
    async discard() {
      await stop('kill');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function signalIfRunning(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** PostgreSQL writes its process id and its status to this file; pg_ctl waits for the same. */
function isReady(folder: string, { pid }: ChildProcess): boolean {
  try {
    const lines = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

const psqlFlags = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];

/** Runs SQL in the database at this URL and returns psql's output, one row per line. */
export function psql(url: string, sql: string): string {
  const options = { input: sql, encoding: 'utf8', maxBuffer: 2 ** 30 } as const;
  return execFileSync(program('psql'), ['-d', url, ...psqlFlags], options);
}

/** The same while this process goes on: it may have a connection whose transfer PostgreSQL waits for. */
export async function psqlLater(url: string, sql: string): Promise<string> {
  const { stdout } = await execFileLater(program('psql'), ['-d', url, ...psqlFlags, '-c', sql]);
  return stdout;
}

export interface Session {
  /** Ends the session, which releases its locks and rolls back an open transaction. */
  close(): Promise<void>;
}

/** Runs SQL in a session that stays open. */
export async function openSession(url: string, sql: string): Promise<Session> {
  const child = spawn(program('psql'), ['-d', url, ...psqlFlags], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  child.stdin.write(`${sql};\nselect 'done';\n`);
  await Promise.race([once(child.stdout, 'data'), closed]);
  if (child.exitCode !== null) throw new Error(`psql exited with status ${child.exitCode}`);
  return {
    async close() {
      child.stdin.end();
      await closed;
    },
  };
}

const program = (name: string) => join(dirname(findPostgres() ?? ''), name);

function run(name: string, parameters: string[], folder: string): void {
  execFileSync(program(name), parameters, { ...processOptions(folder), stdio: ['ignore', 'ignore', 'pipe'] });
}

function processOptions(folder: string) {
  return { ...unprivilegedUser(), cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
}

// Debian installs it outside the PATH of ordinary users.
export const findPgbouncer = () => findProgram('pgbouncer', ['/usr/sbin']);
export const installPgbouncer = 'install PgBouncer (on Debian: apt-get install pgbouncer)';

/** Pools the connections of a server by transaction, by session … until it is closed. */
export async function startPooler(
  url: string,
  mode: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const folder = newServerFolder();
  const pooled = new URL(url);
  const server = `host=127.0.0.1 port=${pooled.port} user=postgres`;
  pooled.port = String(await freePort());
  const own = `listen_addr = 127.0.0.1\nlisten_port = ${pooled.port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}`;
  writeFileSync(join(folder, 'settings.ini'), `[databases]\n* = ${server}\n[pgbouncer]\n${own}\n`);
  const child = spawn(findPgbouncer() ?? '', ['settings.ini'], {
    ...processOptions(folder),
    stdio: 'ignore',
  });
  await until('PgBouncer accepts connections', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer exited with status ${child.exitCode}`);
    const client = new pg.Client(pooled.href);
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
  return {
    url: pooled.href,
    async close() {
      const ended = once(child, 'close');
      child.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a folder that PostgreSQL may use, with an empty data folder in it. */
function newServerFolder(parentFolder?: string): string {
  const folder = newFolder('zukan-pg-', parentFolder);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const { uid, gid } = unprivilegedUser();
  if (uid !== undefined) for (const path of [folder, data]) chownSync(path, uid, gid ?? uid);
  return folder;
}

let nobody: { uid?: number; gid?: number } | undefined;

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): { uid?: number; gid?: number } {
  const readId = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  nobody ??= process.getuid?.() === 0 ? { uid: readId('-u'), gid: readId('-g') } : {};
  return nobody;
}
