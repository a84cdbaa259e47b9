/**
 * Builds what `npm run package` packs: the whole zukan package in dist/ or the folder that the argument names, and
 * client/dist/ with the argument `client`. dist/ mirrors the repository, so relative paths in the source stay valid.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { transform } from 'esbuild';
import description from '../package.json' with { type: 'json' };
import { builtScript, pages, readBrowserFiles } from '../src/assets/bundle.ts';

const root = join(import.meta.dirname, '..');
const dist = resolve(root, process.argv[2] ?? 'dist');

if (process.argv[2] === 'client') compileClient(join(root, 'client/dist'));
else await buildPackage();

async function buildPackage(): Promise<void> {
  // Output of deleted sources would be packed too.
  rmSync(dist, { recursive: true, force: true });
  compile('tsconfig.package.json', '--outDir', dist);
  // zukan/client is the same code as the package zukan-client.
  compileClient(join(dist, 'client'));
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
}

/** Nothing is checked: the package has code for Node and for browsers, whose types differ. `npm run check` checks each with its own. */
function compile(project: string, ...flags: string[]): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, project), ...flags], {
    stdio: 'inherit',
  });
}
