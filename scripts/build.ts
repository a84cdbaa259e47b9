/**
 * What `npm pack` runs first: compiles the program and the gallery into dist/. It mirrors the repository, so every path
 * that the source knows leads to the same thing there. Types are checked by `npm run check`, not here.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import description from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const [web, dist] = [join(root, 'web'), join(root, 'dist')];

// What a file left there that is gone since would be packed too.
rmSync(dist, { recursive: true, force: true });
const compiler = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.package.json')], { stdio: 'inherit' });

if (existsSync(web))
  cpSync(web, join(dist, 'web'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts') && basename(path) !== 'tsconfig.json',
  });

// The program reads its version there. The compiler has put a whole copy, which would look like a second package.
const { name, version, type } = description;
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, type }, null, 2)}\n`);
