/** A private Redis from the machine's binary, on a free loopback port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { findProgram } from './needs.ts';

export const findRedis = () => findProgram('redis-server') ?? findProgram('valkey-server');
export const installRedis = 'install Redis (on Debian: apt-get install redis-server)';

export interface PrivateRedis {
  url: string;
  port: number;
  kill(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
}

export async function startRedis(...flags: string[]): Promise<PrivateRedis> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const start = async () => {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    child = spawn(findRedis() ?? '', [...settings, '--dir', '/', ...flags], { stdio: 'ignore' });
    const probe = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    probe.on('error', () => {});
    const ended = once(child, 'close').then(([status]) =>
      Promise.reject(new Error(`Redis exited with status ${status}`)),
    );
    await Promise.race([probe.ping(), ended]).finally(() => probe.disconnect());
    // Later, it may end.
    ended.catch(() => {});
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  };
  await start();
  return { url, port, kill, start, signal: (name) => child?.kill(name) };
}

/** Below those that the system gives to others, so that it stays free until it is used, and while a server restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
