// depth: all
// process: own
/** The npm packages: packed, installed in empty folders, and used there. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import type { Image } from '../client/index.ts';
import description from '../package.json' with { type: 'json' };
import { changesOf } from '../scripts/release.ts';
import { builtScript, pages } from '../src/assets/bundle.ts';
import { onDisk, temporaryFolder } from './support/workspace.ts';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '..');
const folder = temporaryFolder(onDisk);
const home = join(folder, 'home');
const installed = join(home, 'node_modules/zukan');
/** The client alone. */
const clientHome = join(folder, 'client');
const command = join(home, 'node_modules/.bin/zukan');

/** The environment of another machine: this Node, access to the registry, and nothing from this checkout. */
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(home|npm_config_(registry|cache|userconfig)|.*_proxy|ssl_.*|node_extra_ca_certs)$/i.test(name),
    ),
  ),
  PATH: [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)]
    .filter((path) => path === dirname(process.execPath) || !path.includes('node_modules'))
    .join(delimiter),
};

before(async () => {
  // Makes the packages as for a release.
  await run(process.execPath, ['scripts/release.ts', `v${description.version}`, folder], {
    cwd: checkout,
    env,
  });
  await install(home, tarballPath('zukan'));
  await install(clientHome, tarballPath('zukan-client'));
});

async function install(target: string, name: string): Promise<void> {
  mkdirSync(target);
  // Without the prefix, npm looks for a package.json in the folders above.
  const flags = ['--prefix', target, '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...flags, name], { cwd: target, env });
}

const tarballPath = (name: string) => join(folder, `${name}-${description.version}.tgz`);

const readInstalled = (path: string) => readFileSync(join(installed, path), 'utf8');

test('a release has checksums, licences and what changed', async () => {
  const read = (name: string) => readFileSync(join(folder, name));
  const lines = read('SHA256SUMS').toString().trim().split('\n');
  const names = lines.map((line) => {
    const [sum, name = ''] = line.split('  ');
    assert.equal(sum, hash('sha256', read(name)));
    return name;
  });
  const packages = ['zukan', 'zukan-client'].map((name) => `${name}-${description.version}.tgz`);
  assert.deepEqual(names.sort(), [...packages, 'zukan.spdx.json'].sort());
  const { packages: parts } = JSON.parse(read('zukan.spdx.json').toString());
  const licences = new Map(
    parts.map(({ name, licenseDeclared }: Record<string, string>) => [name, licenseDeclared]),
  );
  for (const name of Object.keys(description.dependencies)) assert.ok(licences.get(name), name);
  assert.match(read('CHANGES.md').toString(), /^[#-]/m);
  const wrong = run(process.execPath, ['scripts/release.ts', 'v0.0.1', folder], { cwd: checkout, env });
  await assert.rejects(wrong, /the tag is v0\.0\.1, but zukan is version/);
});

test('the changes of a version are its section of the changelog', () => {
  const changelog = '# Changelog\n\n## 2.0.0 (2026-12-01)\n\n- New.\n\n## 1.0.0\n\n- Old.\n';
  assert.equal(changesOf(changelog, '2.0.0'), '- New.');
  assert.equal(changesOf(changelog, '1.0.0'), '- Old.');
  assert.throws(() => changesOf(changelog, '2.0'), /no section "2.0"/);
});

test('contains compiled code only, no Node, and stays small', () => {
  assert.ok(statSync(tarballPath('zukan')).size < 9_000_000);
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
    'client',
    'client.tgz',
    'demo',
    'deploy',
    'docs',
    'package.json',
    'src',
    'web',
  ]);
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    files.filter((file) => /(?<!\.d)\.ts$|\.map$|\.test\./.test(file)),
    [],
  );
  const scripts = files.filter((file) => file.endsWith('.js'));
  assert.ok(scripts.length > 100);
  for (const script of scripts)
    assert.doesNotMatch(readInstalled(script), /sourceMappingURL|from '\.[^']*\.ts'/);
});

test('contains every module and every file of the gallery', () => {
  const parts = ['src', 'client', 'web'];
  const expected = parts.flatMap((part) => sourceFiles(part).map((file) => join(part, file)));
  assert.ok(expected.length > 150);
  const isScript = (file: string) => file.startsWith('web/') && file.endsWith('.ts');
  assert.deepEqual(
    expected
      .filter((file) => !isScript(file) && !existsSync(join(installed, file.replace(/\.ts$/, '.js'))))
      .concat(Object.values(pages).flatMap(({ entries }) => entries.map(builtScript)))
      .filter((file) => !existsSync(join(installed, file))),
    [],
  );
});

function sourceFiles(part: string): string[] {
  const entries = readdirSync(join(checkout, part), { recursive: true, encoding: 'utf8' });
  return entries.filter((name) => /^[\w/-]+\.(ts|css|html|svg)$/.test(name) && !name.startsWith('dist'));
}

test('declares the Node version it needs and has no install scripts', () => {
  const published = JSON.parse(readInstalled('package.json'));
  assert.match(published.engines.node, /^>=\d+\.\d+$/);
  for (const field of ['private', 'optionalDependencies', 'scripts', 'devDependencies', 'publishConfig'])
    assert.equal(published[field], undefined, field);
});

test('prints its version, also with npx in a checkout, which needs neither the network nor a cache', async () => {
  const empty = { npm_config_cache: join(folder, 'cache'), npm_config_offline: 'true' };
  const results = await Promise.all([
    run(command, ['--version'], { cwd: home, env }),
    run('npx', ['zukan', '--version'], { cwd: checkout, env: { ...env, ...empty } }),
  ]);
  for (const { stdout } of results) assert.equal(stdout, `v${description.version}\n`);
  assert.equal(existsSync(join(folder, 'cache/_npx')), false);
});

test('explains in one line that Node is too old', async () => {
  const pretend = (version: string) => {
    const code = `Object.defineProperty(process, "version", { value: "${version}" })`;
    return [process.execPath, '--import', `data:text/javascript,${code}`];
  };
  const old = [pretend('v20.99.2'), pretend('v24.19.2'), ...(await findOldNode())];
  for (const [node = '', ...flags] of old) {
    const ended = run(node, [...flags, join(installed, 'bin/zukan.js'), '--version'], { env });
    await assert.rejects(ended, (error: { code: number; stdout: string; stderr: string }) => {
      const needed = description.publishConfig.engines.node.replace('>=', '');
      assert.match(
        error.stderr,
        /^zukan: needs Node [\d.]+ or newer, but this is Node [\d.]+; install .+\n$/,
      );
      assert.ok(error.stderr.includes(`Node ${needed} or`));
      assert.deepEqual([error.code, error.stdout], [1, '']);
      return true;
    });
  }
});

/** The system's Node, if it is too old. */
async function findOldNode(): Promise<string[][]> {
  const path = '/usr/bin/node';
  if (!existsSync(path)) return [];
  const { stdout } = await run(path, ['--version']);
  const needed = Number.parseInt(description.publishConfig.engines.node.replace('>=', ''), 10);
  return Number.parseInt(stdout.slice(1), 10) < needed ? [[path]] : [];
}

const program = (name: string) => `import { type Image, Zukan } from '${name}';
const [image]: Image[] = await new Zukan({ origin: String(globalThis.origin) }).random({ limit: 1 });
// @ts-expect-error: images have no depth
console.log(image?.meta.dimens.width, image?.meta.dimens.depth);
`;

test('both clients have types for Node and for bundlers', async () => {
  writeFileSync(join(home, 'program.mts'), program('zukan/client'));
  writeFileSync(join(clientHome, 'program.mts'), program('zukan-client'));
  const compiler = join(checkout, 'node_modules/typescript/bin/tsc');
  const flags = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2024'];
  // The types of the language itself need no check; ours do.
  flags.push('--skipDefaultLibCheck');
  const modes = [['nodenext'], ['preserve', '--moduleResolution', 'bundler']];
  await Promise.all(
    [home, clientHome].flatMap((cwd) =>
      modes.map((mode) =>
        run(process.execPath, [compiler, ...flags, '--module', ...mode, 'program.mts'], { cwd, env }).catch(
          (error) => assert.fail(error.stdout),
        ),
      ),
    ),
  );
});

test('the client imports nothing outside its folder', () => {
  const parts = readdirSync(join(installed, 'client')).filter((name) => name.endsWith('.js'));
  assert.ok(parts.length > 3);
  for (const part of parts)
    for (const [, target] of readInstalled(join('client', part)).matchAll(
      /(?:from|import)\s*\(?\s*'([^']+)'/g,
    ))
      assert.match(target as string, /^\.\/[\w-]+\.js$/, part);
});

test('zukan-client is the same code as zukan/client, small and without dependencies', () => {
  assert.deepEqual(
    readdirSync(join(clientHome, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['zukan-client'],
  );
  const client = join(clientHome, 'node_modules/zukan-client');
  assert.deepEqual(readdirSync(client).sort(), ['LICENSE', 'README.md', 'dist', 'package.json']);
  assert.ok(statSync(tarballPath('zukan-client')).size < 40_000);
  assert.deepEqual(readFileSync(join(installed, 'client.tgz')), readFileSync(tarballPath('zukan-client')));
  const names = readdirSync(join(client, 'dist')).sort();
  assert.deepEqual(readdirSync(join(installed, 'client')).sort(), names);
  for (const name of names)
    assert.equal(readFileSync(join(client, 'dist', name), 'utf8'), readInstalled(join('client', name)));
  const read = (path: string) => readFileSync(path, 'utf8');
  assert.equal(read(join(client, 'LICENSE')), readInstalled('LICENSE'));
  const { version, license, dependencies } = JSON.parse(read(join(client, 'package.json')));
  assert.deepEqual([version, license, dependencies], [description.version, description.license, undefined]);
});

test('serves the demo with npx, and the client gets a picture', { timeout: 120_000 }, async (t) => {
  const child = spawn('npx', ['zukan', 'serve', '--demo'], {
    cwd: home,
    env: { ...env, PORT: '0', RATE_LIMIT: 'off' },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close');
  t.after(async () => {
    // Ctrl-C reaches the whole process group: npx and the program it started.
    process.kill(-(child.pid as number), 'SIGINT');
    await closed;
  });
  const origin = await readOrigin(child.stdout);

  const response = await fetch(`${origin}/api/image/random?limit=1`);
  const [image] = ((await response.json()) as { data: [Image] }).data;
  const bytes = Buffer.from(await (await fetch(image.url)).arrayBuffer());
  assert.equal(bytes.length, image.meta.size);
  const scripts = ['gallery', 'viewer', 'client/index'].map((name) => `/gallery/${name}.js`);
  for (const path of ['/', ...scripts, '/docs.js', '/client.tgz'])
    assert.equal((await fetch(origin + path, { headers: { Accept: 'text/html' } })).status, 200, path);

  // Before and after a picture is opened.
  const compressed = ['gallery', 'viewer'].map(
    (name) => brotliCompressSync(readInstalled(`web/gallery/${name}.min.js`)).length,
  );
  const [first = 0, later = 0] = compressed;
  t.diagnostic(`scripts of the gallery: ${first} and ${first + later} bytes`);
  assert.ok(first > 0 && first <= 12_000 && first + later <= 28_000, compressed.join());

  writeFileSync(join(home, 'program.mts'), program('zukan/client'));
  const setOrigin = `data:text/javascript,globalThis.origin = "${origin}"`;
  const { stdout } = await run(process.execPath, ['--import', setOrigin, 'program.mts'], { cwd: home, env });
  assert.match(stdout, /^\d+ undefined\n$/);
});

/** From the first line on standard output. */
async function readOrigin(output: Readable): Promise<string> {
  let text = '';
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const [origin] = /http:\S+(?=\s)/.exec(text) ?? [];
    if (origin) return origin;
  }
  return assert.fail('zukan serve ended');
}
