/** A private Redis from the machine's binary, on a free loopback port. */
import { type ChildProcess, spawn } from 'node:child_process';
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

export async function startRedis(): Promise<PrivateRedis> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const start = async () => {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    child = spawn(findRedis() ?? '', [...settings, '--dir', '/'], { stdio: 'ignore' });
    const probe = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    probe.on('error', () => {});
    await probe.ping();
    probe.disconnect();
  };
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  };
  await start();
  return { url, port, kill, start, signal: (name) => child?.kill(name) };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
