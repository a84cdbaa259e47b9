/** The imports of the project's own files, for the architecture test and for choosing tests. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

export const root = join(import.meta.dirname, '..');

/** The files that a file imports, relative to the root, with forward slashes. */
export function readImports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const targets = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^'$]+\.ts)'/g);
  const paths = Array.from(targets, ([, target]) =>
    posix.normalize(posix.join(dirname(file), target as string)),
  );
  // A test may contain the text of a module, whose imports do not exist. The compiler finds real ones that do not.
  return paths.filter((path) => existsSync(join(root, path)));
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
