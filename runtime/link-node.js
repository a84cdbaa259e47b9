/**
 * Links node_modules/.bin/node if npm has not, and removes Node's headers and manuals, which take 70 MB and are not used.
 * npm 10 removes the link again, because the packages for other systems, which it leaves out, have a command of the same
 * name. Plain JavaScript: the Node that came with npm runs it.
 */
import { existsSync, linkSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const { optionalDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const modules = join(folder, '../node_modules');
const file = process.platform === 'win32' ? 'node.exe' : 'node';
const link = join(modules, '.bin', file);
const name = Object.keys(optionalDependencies).find((name) => existsSync(join(modules, name, 'bin', file)));

if (name !== undefined)
  for (const part of ['include', 'share'])
    rmSync(join(modules, name, part), { recursive: true, force: true });

if (name !== undefined && !existsSync(link)) {
  // It may point to a version that is gone.
  rmSync(link, { force: true });
  if (process.platform === 'win32') linkSync(join(modules, name, 'bin', file), link);
  else symlinkSync(join('..', name, 'bin', file), link);
}
