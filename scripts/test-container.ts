/**
 * Builds the container image and runs it: `npm run test:container`. Works without Docker and without an image registry:
 * debootstrap makes the base, and buildah builds and runs in a chroot. Needs Linux and root.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { writeTiny } from '../test/support/pictures/tiny.ts';
import { findProgram } from '../test/support/servers/needs.ts';
import { freePort } from '../test/support/servers/redis.ts';
import { until } from '../test/support/until.ts';
import { newFolder, onDisk } from '../test/support/workspace.ts';

const root = join(import.meta.dirname, '..');
const {
  DEBIAN_MIRROR = 'http://deb.debian.org/debian',
  NODE_EXTRA_CA_CERTS,
  npm_execpath: npm = '',
} = process.env;
/** The release of Debian that the Dockerfile is based on. */
const SUITE = 'trixie';
const BASE = 'localhost/zukan-test-base';
const BUILD_BASE = 'localhost/zukan-test-build-base';
const IMAGE = 'localhost/zukan-test';

const missing = ['buildah', 'debootstrap'].filter((name) => !findProgram(name, ['/usr/sbin']));
if (process.getuid?.() !== 0) missing.push('root');
if (missing.length > 0) {
  console.error(
    `\n!!! SKIPPED: the container image was not tested. Missing: ${missing.join(', ')} ` +
      '(on Debian: sudo apt-get install buildah debootstrap, and run this as root)\n',
  );
  process.exit(process.env.ZUKAN_TEST_EVERYTHING ? 1 : 0);
}

const folder = newFolder('zukan-container-', onDisk);
/** Apart from the images of this machine, and removed at the end. */
const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];

function buildah(...parameters: string[]): string {
  // An error has the output in its message.
  const options = { encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync('buildah', [...storage, ...parameters], options).trim();
}

function report(line: string): void {
  console.log(`# ${line}`);
}

try {
  makeBases();
  report(`building ${IMAGE}`);
  const bases = ['--build-arg', `BASE=${BASE}`, '--build-arg', `BUILD_BASE=${BUILD_BASE}`];
  // Images of the OCI's own format have no health check.
  const flags = ['--isolation', 'chroot', '--format', 'docker', '--tag', IMAGE];
  execFileSync('buildah', [...storage, 'build', ...flags, ...bases, root], { stdio: 'inherit' });
  await testImage();
  console.log('1 passed, 0 failed');
} finally {
  for (const container of buildah('containers', '--quiet').split('\n').filter(Boolean))
    buildah('rm', container);
  buildah('rmi', '--all', '--force');
  rmSync(folder, { recursive: true, force: true });
}

/** The base is a minimal Debian. The base of the build also has the Node and the npm of this machine. */
function makeBases(): void {
  const base = buildah('from', 'scratch');
  buildah('copy', '--quiet', base, makeSystem(), '/');
  buildah('config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', base);
  buildah('commit', '--quiet', base, BASE);
  buildah('copy', '--quiet', base, process.execPath, '/usr/local/bin/node');
  buildah('copy', '--quiet', base, dirname(dirname(realpathSync(npm))), '/usr/local/lib/npm');
  buildah(
    'run',
    '--isolation',
    'chroot',
    base,
    '--',
    'ln',
    '-s',
    '../lib/npm/bin/npm-cli.js',
    '/usr/local/bin/npm',
  );
  if (NODE_EXTRA_CA_CERTS) {
    buildah('copy', '--quiet', base, NODE_EXTRA_CA_CERTS, '/usr/local/etc/certificates.pem');
    buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/usr/local/etc/certificates.pem', base);
  }
  buildah('commit', '--quiet', '--rm', base, BUILD_BASE);
}

/** About what the image debian:trixie-slim contains. Kept for the next run. */
function makeSystem(): string {
  const system = join(root, `node_modules/.cache/${SUITE}`);
  if (existsSync(system)) return system;
  report('installing Debian with debootstrap');
  const unfinished = `${system}.${process.pid}`;
  execFileSync('debootstrap', ['--variant=minbase', SUITE, unfinished, DEBIAN_MIRROR], {
    stdio: 'ignore',
  });
  for (const path of [
    'var/cache/apt',
    'var/lib/apt/lists',
    'var/log',
    'usr/share/doc',
    'usr/share/man',
    'usr/share/locale',
  ])
    for (const name of readdirSync(join(unfinished, path)))
      rmSync(join(unfinished, path, name), { recursive: true });
  // As in Debian's own images: apt leaves no caches behind.
  writeFileSync(
    join(unfinished, 'etc/apt/apt.conf.d/no-caches'),
    'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";\n',
  );
  renameSync(unfinished, system);
  return system;
}

async function testImage(): Promise<void> {
  const { config } = JSON.parse(buildah('inspect', '--type', 'image', IMAGE)).Docker;
  report(`size: ${buildah('images', '--format', '{{.Size}}', IMAGE)}`);
  report(`user: ${config.User}, volume: ${Object.keys(config.Volumes)}`);
  report(`command: ${[...config.Entrypoint, ...config.Cmd].join(' ')}`);
  assert.match(config.User, /^[1-9]\d*:[1-9]\d*$/);
  const container = buildah('from', IMAGE);
  const pictures = join(folder, 'pictures');
  writeTiny(pictures, 'cats/1.png', 1);
  for (const user of [config.User as string, '4321:4321']) {
    const [uid = 0, gid = 0] = user.split(':').map(Number);
    const data = join(folder, `data-${uid}`);
    mkdirSync(data);
    chownSync(data, uid, gid);
    await testAs(user, { container, config, data, pictures });
  }
}

interface Setup {
  container: string;
  config: { Entrypoint: string[]; Cmd: string[]; Healthcheck: { Test: string[] } };
  data: string;
  pictures: string;
}

/** Starts the image's own command with the demo, imports the mounted folder, and stops it. */
async function testAs(user: string, { container, config, data, pictures }: Setup): Promise<void> {
  // Another address than that of the health check: it listens on all of them.
  const origin = `http://127.0.0.2:${await freePort()}`;
  const flags = [
    ...['--isolation', 'chroot', '--user', user],
    ...['--volume', `${data}:/data`, '--volume', `${pictures}:/pictures:ro`],
    ...[`PORT=${new URL(origin).port}`, 'IMPORT_ON_START=/pictures'].flatMap((setting) => ['--env', setting]),
    container,
    '--',
  ];
  const child = spawn('buildah', [
    ...storage,
    'run',
    ...flags,
    ...config.Entrypoint,
    ...config.Cmd,
    '--demo',
  ]);
  const pid = child.pid as number;
  const ended = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  try {
    await until('it has imported the folder', () => {
      assert.equal(child.exitCode, null);
      return output.includes('"msg":"import finished"');
    });
    const statistics = await (await fetch(`${origin}/api/stats`)).text();
    report(`as user ${user} it serves: ${statistics}`);
    assert.equal(JSON.parse(statistics).data.images.count, 68 + 1);
    const [, ...check] = config.Healthcheck.Test;
    buildah('run', ...flags, ...check);
    report('health: the check exits with 0');
    const init = descendants(pid).find((id) => readStatus(id, 'Name') === 'tini') as number;
    assert.equal(`${readStatus(init, 'Uid')}:${readStatus(init, 'Gid')}`, user);
    const before = performance.now();
    process.kill(init, 'SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    report(`stop: exits with 0, ${Math.round(performance.now() - before)} ms after SIGTERM`);
    assert.throws(() => buildah('run', ...flags, ...check), 'the check fails if nothing listens');
  } finally {
    if (child.exitCode === null) for (const id of descendants(pid)) process.kill(id, 'SIGKILL');
    report(`its output was:\n${output}`);
  }
}

function readStatus(id: number, field: string): string {
  const [, value = ''] =
    new RegExp(`^${field}:\\s+(\\S+)`, 'm').exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
  return value;
}

/** The ids of all processes below this one. */
function descendants(pid: number): number[] {
  // Each thread lists the children that it started.
  const children = readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' '))
    .filter(Boolean)
    .map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}
