// depth: all
/** zukan works on the oldest Node that its package claims to support, and answers as on the Node of this checkout. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import description from '../package.json' with { type: 'json' };
import runtime from '../runtime/package.json' with { type: 'json' };
import { writeTiny } from './support/pictures/tiny.ts';
import { onDisk, temporaryFolder } from './support/workspace.ts';
import { runCommand } from './support/zukan/program.ts';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '..');
const oldest = `${description.publishConfig.engines.node.replace('>=', '')}.0`;
const nodePackage = `node-${process.platform}-${process.arch}`;
const skip =
  process.platform === 'linux' && nodePackage in runtime.optionalDependencies
    ? false
    : `the registry has no Node ${oldest} for this system`;

describe(`Node ${oldest}`, { skip }, () => {
  const folder = temporaryFolder(onDisk);
  const oldNode = join(folder, 'node_modules', nodePackage, 'bin/node');
  const program = join(folder, 'zukan/bin/zukan.js');
  const pictures = join(folder, 'pictures');
  const backup = join(folder, 'backup');
  const environment = (data = 'data') => ({
    PATH: '',
    PORT: '0',
    RATE_LIMIT: 'off',
    WORKERS: '2',
    LINK_SECRET: 's'.repeat(32),
    DATA_DIR: join(folder, data),
  });
  /** Runs a command of the package on the old Node. */
  const zukan = async (...parameters: string[]) =>
    (await run(oldNode, [program, ...parameters], { env: environment() })).stdout;

  before(async () => {
    await run('npm', ['install', '--prefix', folder, '--prefer-offline', `${nodePackage}@${oldest}`]);
    await run(process.execPath, [join(checkout, 'scripts/build.ts'), join(folder, 'zukan')]);
    // test/package.test.ts installs the dependencies.
    symlinkSync(join(checkout, 'node_modules'), join(folder, 'zukan/node_modules'));
    mkdirSync(pictures);
    for (let index = 0; index < 30; index++) {
      writeTiny(pictures, `${index}.png`, index);
      const names = {
        artist: `Artist ${index % 4}`,
        characters: ['Kitsune'],
        tags: ['fox', `tag ${index % 3}`],
      };
      writeFileSync(join(pictures, `${index}.json`), JSON.stringify({ ...names, rating: 'sfw' }));
    }
    await zukan('import', '--quiet', pictures);
  });

  test('is the Node that runs', async () => {
    assert.equal((await run(oldNode, ['--version'])).stdout.trim(), `v${oldest}`);
    assert.equal((await zukan('--version')).trim(), `v${description.version}`);
  });

  test('every command explains itself', async () => {
    const help = await zukan('--help');
    const commands = Array.from(help.matchAll(/^ {2}([a-z]+) /gm), ([, name = '']) => name);
    assert.ok(commands.length > 15);
    for (const name of commands.filter((name) => name !== 'help')) {
      const { output } = await runCommand([name, '--help'], {});
      assert.equal(await zukan(name, '--help'), output, name);
    }
  });

  test('commands print what they print on the Node of this checkout', async () => {
    for (const command of [
      ...['export', 'stats', 'find', 'duplicates', 'check', 'imports', 'thumbnails'],
      ...['entry category fox', 'token list', 'config', 'import --dry-run pictures'],
    ]) {
      const parameters = command.replace('pictures', pictures).split(' ');
      const { status, output, errors } = await runCommand(parameters, environment());
      assert.equal(status, 0, errors);
      assert.equal(await zukan(...parameters), output, command);
    }
  });

  test('edits, removes, backs up and restores', async () => {
    const [first = '', second = ''] = (await zukan('find')).trim().split('\n');
    await zukan('edit', first, '--rating', 'questionable');
    await zukan('remove', '--yes', second);
    await zukan('backup', backup);
    const restored = environment('restored');
    await run(oldNode, [program, 'restore', backup], { env: restored });
    const exported = await run(oldNode, [program, 'export'], { env: restored });
    assert.equal(exported.stdout, await zukan('export'));
    assert.equal(exported.stdout.match(/"type":"image"/g)?.length, 29);
  });

  test('the server answers as on the Node of this checkout', async () => {
    const [token, id = ''] = [
      await zukan('token', 'create', '--owner', 'o', '--purpose', 'p', '--scope', 'image:list'),
      ...(await zukan('find')).split('\n'),
    ];
    const origins = [await startServer(oldNode), await startServer(process.execPath)];
    for (const path of [
      ...[
        '/',
        '/stats',
        '/token',
        '/image/random?limit=25&seed=s',
        '/image/random?limit=3&categories=fox&seed=s',
      ],
      ...['/image/latest?limit=5', '/image?limit=25&offset=4', `/image/${id}`, `/image/${id}/similar`],
      ...[
        '/image/random?seed=s&include=artist,thumbnails',
        '/image/random?categories=none',
        '/image/random?limit=0',
      ],
      ...[
        '/artist?search=%25tist _&include=count,cover',
        '/artist?search=[',
        '/character',
        '/category?limit=2',
      ],
      ...['/nothing', '/image/random?expiry=60', '/image/x'],
    ]) {
      const headers = { Authorization: `Bearer ${token.trim()}` };
      const [old, current] = await Promise.all(
        origins.map((origin) => read(`${origin}/api${path}`, headers)),
      );
      assert.deepEqual(old, current, path);
    }
    for (const path of [
      '/?seed=s',
      '/docs',
      '/docs.js',
      '/openapi.json',
      '/gallery/gallery.js',
      '/health/live',
      '/health/ready',
    ]) {
      const headers = { Accept: 'text/html', 'Accept-Encoding': 'br' };
      const [old, current] = await Promise.all(origins.map((origin) => read(origin + path, headers)));
      assert.equal(old?.status, 200, path);
      assert.deepEqual(old, current, path);
    }
    const [origin = ''] = origins;
    const file = await fetch(`${origin}/api/image/${id}/file`);
    const pictureBytes = readdirSync(pictures).map((name) => readFileSync(join(pictures, name)));
    const bytes = Buffer.from(await file.arrayBuffer());
    assert.ok(pictureBytes.some((picture) => picture.equals(bytes)));
  });

  test('the studio opens', async () => {
    const child = start(oldNode, ['studio']);
    const address = await readAddress(child);
    const page = await fetch(address);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<title>/);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'close'), [0, null]);
  });

  test('the tests of the API pass', async () => {
    const files = globSync('test/http/**/*.test.ts', { cwd: checkout });
    // The variable marks the process of a test file, which would not run others.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const flags = ['--test', '--test-concurrency=2', '--test-reporter=dot'];
    await run(oldNode, [...flags, ...files], { cwd: checkout, env, maxBuffer: 1e8 }).catch(({ stdout }) =>
      assert.fail(stdout),
    );
  });

  function start(node: string, parameters: string[]): ChildProcess {
    const child = spawn(node, [program, ...parameters], {
      env: environment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    after(() => child.kill('SIGKILL'));
    return child;
  }

  const startServer = (node: string) => readAddress(start(node, ['serve']));
});

/** The first address on standard output. */
async function readAddress(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += chunk;
    const [address] = /http:\S+(?=\s)/.exec(text) ?? [];
    if (address) return address;
  }
  return assert.fail('the command ended');
}

/** A response without what differs between two servers or two moments. */
async function read(url: string, headers: Record<string, string>) {
  const response = await fetch(url, { headers });
  const { origin } = new URL(url);
  const body = (await response.text())
    .replaceAll(origin, '')
    .replace(/expires=\d+&signature=[\w-]+/g, '')
    .replace(/"expires":"[^"]+"/g, '');
  const type = response.headers.get('content-type');
  return { status: response.status, type, total: response.headers.get('x-total-count'), body };
}
