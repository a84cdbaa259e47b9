/** The package as people get it: packed, installed with npm in an empty folder, and used there. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Image } from '../client/index.ts';
import description from '../package.json' with { type: 'json' };
import { onDisk, temporaryFolder } from './support/workspace.ts';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '..');
const folder = temporaryFolder(onDisk);
const home = join(folder, 'home');
const installed = join(home, 'node_modules/zukan');
const version = `v${description.version}\n`;

/** Someone else's machine: this Node, nothing out of this checkout, and the way to the registry. */
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(home|npm_config_(registry|cache|userconfig)|.*_proxy|ssl_.*|node_extra_ca_certs)$/i.test(name),
    ),
  ),
  PATH: [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)]
    .filter((place) => place === dirname(process.execPath) || !place.includes('node_modules'))
    .join(delimiter),
};

before(async () => {
  mkdirSync(home);
  await run('npm', ['pack', '--pack-destination', folder], { cwd: checkout, env });
  // The prefix keeps npm from looking for a package.json in the folders above.
  const quickly = ['--prefix', home, '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quickly, tarball()], { cwd: home, env });
});

function tarball(): string {
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) as string);
}

const read = (path: string) => readFileSync(join(installed, path), 'utf8');

test('it is small, brings no Node, and holds what it needs and nothing else', () => {
  assert.ok(statSync(tarball()).size < 5_000_000);
  assert.equal(existsSync(join(home, 'node_modules/.bin/node')), false);
  assert.deepEqual(
    readdirSync(join(home, 'node_modules')).filter((name) => /^node-/.test(name)),
    [],
  );
  assert.deepEqual(readdirSync(installed).sort(), [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'docs',
    'package.json',
  ]);
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    files.filter((file) => /(?<!\.d)\.ts$|\.map$|\.test\./.test(file)),
    [],
  );
  const scripts = files.filter((file) => file.endsWith('.js'));
  assert.ok(scripts.length > 100);
  for (const script of scripts) assert.doesNotMatch(read(script), /sourceMappingURL|from '\.[^']*\.ts'/);
});

test('every module of the source is in it, compiled, and so is every file of the gallery', () => {
  const expected = ['src', 'web'].flatMap((part) => openFiles(part).map((file) => join('dist', part, file)));
  assert.ok(expected.length > 100);
  assert.deepEqual(
    expected.map((file) => file.replace(/\.ts$/, '.js')).filter((file) => !existsSync(join(installed, file))),
    [],
  );
});

function openFiles(part: string): string[] {
  const entries = existsSync(join(checkout, part))
    ? readdirSync(join(checkout, part), { recursive: true, encoding: 'utf8' })
    : [];
  return entries.filter((name) => name.includes('.') && name !== 'tsconfig.json');
}

test('its description says which Node it needs, and runs nothing when it is installed', () => {
  const published = JSON.parse(read('package.json'));
  assert.match(published.engines.node, /^>=\d+$/);
  assert.deepEqual([published.private, published.optionalDependencies], [undefined, undefined]);
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
    assert.equal(published.scripts[script], undefined);
});

test('npx zukan runs in the folder, and in a checkout', async () => {
  for (const cwd of [home, checkout]) {
    const { stdout } = await run('npx', ['zukan', '--version'], { cwd, env });
    assert.equal(stdout, version, cwd);
  }
});

test('a Node that is too old is told so in one line', async () => {
  const pretence = 'Object.defineProperty(process, "version", { value: "v20.1.2" })';
  const old = [[process.execPath, '--import', `data:text/javascript,${pretence}`], ...(await oldNode())];
  for (const [node = '', ...flags] of old) {
    const ended = run(node, [...flags, join(installed, 'bin/zukan.js'), '--version'], { env });
    await assert.rejects(ended, (error: { code: number; stdout: string; stderr: string }) => {
      assert.match(
        error.stderr,
        /^zukan: needs Node \d+ or newer, but this is Node \d+\.\d+\.\d+; install .+\n$/,
      );
      assert.deepEqual([error.code, error.stdout], [1, '']);
      return true;
    });
  }
});

/** The machine's own Node, where that is really too old. */
async function oldNode(): Promise<string[][]> {
  const path = '/usr/bin/node';
  if (!existsSync(path)) return [];
  const { stdout } = await run(path, ['--version']);
  const needed = Number(description.engines.node.replace('>=', ''));
  return Number.parseInt(stdout.slice(1), 10) < needed ? [[path]] : [];
}

const program = `import { type Image, Zukan } from 'zukan/client';
const [image]: Image[] = await new Zukan({ origin: String(globalThis.origin) }).random({ limit: 1 });
// @ts-expect-error: the types know what an image has
console.log(image?.meta.dimens.width, image?.meta.dimens.depth);
`;

test('the types of the client are found by programs and by bundlers', async () => {
  writeFileSync(join(home, 'program.mts'), program);
  const compiler = join(checkout, 'node_modules/typescript/bin/tsc');
  const strictly = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    '--noEmit',
    '--target',
    'es2024',
  ];
  for (const way of [['nodenext'], ['preserve', '--moduleResolution', 'bundler']])
    await run(process.execPath, [compiler, ...strictly, '--module', ...way, 'program.mts'], {
      cwd: home,
      env,
    }).catch((error) => assert.fail(error.stdout));
});

test('the client needs nothing but itself', () => {
  const parts = readdirSync(join(installed, 'dist/client')).filter((name) => name.endsWith('.js'));
  assert.ok(parts.length > 3);
  for (const part of parts)
    for (const [, target] of read(join('dist/client', part)).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g))
      assert.match(target as string, /^\.\/\w+\.js$/, part);
});

test('npx zukan serve --demo serves pictures, and the client gets them', { timeout: 60_000 }, async (t) => {
  const child = spawn('npx', ['zukan', 'serve', '--demo'], {
    cwd: home,
    env: { ...env, PORT: '0', RATE_LIMIT: 'off' },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  t.after(async () => {
    // To all of them, as Ctrl-C does: npx has started the program.
    process.kill(-(child.pid as number), 'SIGINT');
    await ended;
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  while (!/http:\S+\s/.test(text)) await Promise.race([pause(50), ended.then(() => assert.fail('it ended'))]);
  const origin = /http:\S+/.exec(text)?.[0] ?? '';

  const answer = await fetch(`${origin}/api/image/random?limit=1`);
  const [image] = ((await answer.json()) as { data: [Image] }).data;
  const bytes = Buffer.from(await (await fetch(image.url)).arrayBuffer());
  assert.equal(bytes.length, image.meta.size);

  writeFileSync(join(home, 'program.mts'), program);
  const before = `data:text/javascript,globalThis.origin = "${origin}"`;
  const { stdout } = await run(process.execPath, ['--import', before, 'program.mts'], { cwd: home, env });
  assert.match(stdout, /^\d+ undefined\n$/);
});
