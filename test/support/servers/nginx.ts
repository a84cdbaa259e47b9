/** nginx with the configuration of docs/scaling, in front of instances that a test starts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { until } from '../until.ts';
import { temporaryFolder } from '../workspace.ts';
import { findProgram } from './needs.ts';
import { freePort } from './redis.ts';

/** Debian installs it outside the PATH of ordinary users. */
export const findNginx = () => findProgram('nginx', ['/usr/sbin']);
export const installNginx = 'install nginx (on Debian: apt-get install nginx-light)';

const folderOfConfigurations = join(import.meta.dirname, '../../../docs/scaling');

/** Returns the origin of a proxy in front of two instances. `settings` are added to its `http` block; `cache` is a folder. */
export async function startNginx(
  first: string,
  second: string,
  settings = '',
  cache = 'cache',
): Promise<string> {
  const port = String(await freePort());
  const ports = new Map([
    ['13001', new URL(first).port],
    ['13002', new URL(second).port],
    ['18080', port],
  ]);
  const text = readConfiguration('nginx.conf')
    .replaceAll(/127\.0\.0\.1:(\d+)/g, (_, original) => `127.0.0.1:${ports.get(original)}`)
    .replace('proxy_cache_path cache', `proxy_cache_path ${cache}`)
    .replace('http {', `http {\n${settings}`);
  return runNginx(text, port);
}

export function readConfiguration(name: string): string {
  // Only a container has this folder.
  return readFileSync(join(folderOfConfigurations, name), 'utf8').replace('/var/cache/nginx/zukan', 'cache');
}

/** Runs nginx until the test ends. Returns its origin once an instance responds through it. */
export async function runNginx(text: string, port: string): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'tmp'));
  const path = join(folder, 'nginx.conf');
  // One process that ends with the test.
  writeFileSync(path, `daemon off;\nmaster_process off;\n${text}`);
  const child = spawn(findNginx() ?? '', ['-p', folder, '-c', path, '-e', 'error.log'], { stdio: 'ignore' });
  after(async () => {
    const closed = once(child, 'close');
    if (child.kill('SIGKILL')) await closed;
  });
  const origin = `http://127.0.0.1:${port}`;
  await until('nginx listens', () =>
    fetch(`${origin}/health/live`).then(
      (response) => response.ok,
      () => false,
    ),
  );
  return origin;
}
