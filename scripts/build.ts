/**
 * Builds what `npm run package` packs: the whole zukan package in dist/ or the folder that the argument names, and
 * client/dist/ with the argument `client`. dist/ mirrors the repository, so relative paths in the source stay valid.
 * `client <folder>` packs the client as client.tgz there.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { buildSync, transform } from 'esbuild';
import description from '../package.json' with { type: 'json' };
import { builtScript, pages, readBrowserFiles } from '../src/assets/bundle.ts';

const root = join(import.meta.dirname, '..');
const dist = resolve(root, process.argv[2] ?? 'dist');

if (process.argv[2] !== 'client') await buildPackage();
else if (process.argv[3]) packClient(process.argv[3]);
else compileClient(join(root, 'client/dist'));

async function buildPackage(): Promise<void> {
  // Output of deleted sources would be packed too.
  rmSync(dist, { recursive: true, force: true });
  compile('tsconfig.package.json', '--outDir', dist);
  // zukan/client is the same code as the package zukan-client.
  compileClient(join(dist, 'client'));
  packClient(dist);
  cpSync(join(root, 'web'), join(dist, 'web'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts') && basename(path) !== 'tsconfig.json',
  });
  await buildScripts();
  for (const part of ['bin', 'demo', 'deploy', 'docs', 'README.md', 'LICENSE', 'CHANGELOG.md'])
    cpSync(join(root, part), join(dist, part), { recursive: true });
  // Replaces the compiler's copy. npx would not run a checkout directly if its own package.json had the `bin`.
  const {
    name,
    version,
    description: summary,
    keywords,
    license,
    type,
    publishConfig,
    dependencies,
  } = description;
  const published = {
    name,
    version,
    description: summary,
    keywords,
    license,
    type,
    ...publishConfig,
    dependencies,
  };
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

/** Half as long as those of a checkout, before compression. */
async function buildScripts(): Promise<void> {
  for (const [page, { entries }] of Object.entries(pages)) {
    const scripts = await (await readBrowserFiles(page as keyof typeof pages)).readScripts();
    for (const [index, script] of scripts.entries()) {
      const { code } = await transform(script, { minify: true, target: 'es2022', legalComments: 'none' });
      writeFileSync(join(dist, builtScript(entries[index] as string)), code);
    }
  }
}

function compileClient(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  compile('client/tsconfig.json', '--noCheck', '--outDir', folder);
  // The compiler leaves `.ts` in declarations, which TypeScript 4 refuses. CommonJS needs declarations of its own.
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(join(folder, name), 'utf8');
    const importing = (extension: string) => text.replaceAll(/( from '\.[^']+)\.ts'/g, `$1.${extension}'`);
    writeFileSync(join(folder, name), importing('js'));
    writeFileSync(join(folder, name.replace(/ts$/, 'cts')), importing('cjs'));
  }
  // The same in every folder: without a tsconfig.json that may be above.
  const entry = { absWorkingDir: folder, entryPoints: ['index.js'], outfile: 'index.cjs', tsconfigRaw: {} };
  buildSync({ ...entry, bundle: true, format: 'cjs', target: 'es2022', minifyWhitespace: true });
}

/** In a folder of its own, because workers of a checkout may do this at the same time. */
function packClient(target: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'zukan-client-'));
  for (const part of ['package.json', 'README.md', 'LICENSE'])
    cpSync(join(root, 'client', part), join(folder, part));
  compileClient(join(folder, 'dist'));
  const flags = ['--ignore-scripts', '--silent', '--pack-destination', folder];
  // On Windows, npm is a script of the shell.
  const shell = process.platform === 'win32';
  const name = execFileSync('npm', ['pack', ...flags, folder], { encoding: 'utf8', shell }).trim();
  cpSync(join(folder, name), join(target, 'client.tgz'));
  rmSync(folder, { recursive: true });
}

/** Nothing is checked: the package has code for Node and for browsers, whose types differ. `npm run check` checks each with its own. */
function compile(project: string, ...flags: string[]): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, project), ...flags], {
    stdio: 'inherit',
  });
}
