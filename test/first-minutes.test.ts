// depth: all
/** What a new user sees: `npm ci` and `npm start` in a checkout. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import description from '../package.json' with { type: 'json' };
import { until } from './support/until.ts';
import { temporaryFolder } from './support/workspace.ts';

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
const all = Object.entries(read('package-lock.json').packages as Record<string, Locked>);
const locked = all.filter(([, { optional }]) => !optional);

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

test('npm skips no optional package because Node 18, on which npm of Debian 12 runs, is too old', () => {
  const skipped = all.filter(
    ([path, { optional, engines }]) =>
      // It is for Node 20 only, and no newer one exists there.
      optional &&
      path !== 'node_modules/@img/sharp-win32-ia32' &&
      !satisfies('18.20.4', engines?.node ?? '*'),
  );
  // They run on the Node that npm installs. npm says nothing when it skips them.
  assert.deepEqual(Object.fromEntries(skipped), {}, 'delete `engines` of these in package-lock.json');
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
