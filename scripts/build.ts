/**
 * Runs before `npm pack`: compiles the sources into dist/, which mirrors the repository. Relative paths in the source
 * stay valid. `npm run check` checks the types.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import description from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const [web, dist] = [join(root, 'web'), join(root, 'dist')];

// Output of deleted sources would be packed too.
rmSync(dist, { recursive: true, force: true });
const compiler = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.package.json')], { stdio: 'inherit' });

cpSync(web, join(dist, 'web'), {
  recursive: true,
  filter: (path) => !path.endsWith('.ts') && basename(path) !== 'tsconfig.json',
});

// The program reads its version from here. Replaces the compiler's full copy, which would look like a second package.
const { name, version, type } = description;
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`);
