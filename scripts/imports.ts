/** The imports of the project's own files, for the architecture test and for choosing tests. */
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** The files that a file imports, relative to the root, with forward slashes. */
export function readImports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const targets = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^'$]+\.ts)'/g);
  return Array.from(targets, ([, target]) => posix.normalize(posix.join(dirname(file), target as string)));
}

/** Everything that a file imports, directly or not. */
export function readAllImports(file: string, found = new Set<string>()): Set<string> {
  for (const target of readImports(file)) {
    if (found.has(target)) continue;
    found.add(target);
    readAllImports(target, found);
  }
  return found;
}
