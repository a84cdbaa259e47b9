/**
 * Joins modules to scripts, so a browser loads four files instead of fifty. Each module becomes a function that runs once and
 * returns its exports, after those that it imports. That suffices because imports have no cycles (a test sees to it) and
 * exports are never reassigned. Scripts of one page share their constants, so a later script uses the modules of an
 * earlier one.
 */
import { posix } from 'node:path';

/** The code of modules without types, by path without extension, such as `web/main`. */
export type Modules = ReadonlyMap<string, string>;

const importStatement =
  /^import\s+(?:(?<namespace>\*\s+as\s+\w+)|\{(?<names>[^}]*)\})\s+from\s+'(?<path>\.[^']+)\.[tj]s';?$/gm;
const reExport = /^export\s+\{(?<names>[^}]*)\}\s+from\s+'(?<path>\.[^']+)\.[tj]s';?$/gm;
const ownExport = /^export\s+(?=(?:async\s+)?(?:function\*?|class|const)\s+(?<name>\w+))/gm;
/** The compiler marks a module without imports and exports like this. */
const emptyExport = /^export\s+\{\s*\};?$/gm;
const leftover = /^(?:import|export)\b.*/m;
const commentLines = /^[ ]*(\/\/.*|\/\*.*\*\/|\/\*\*\n([ ]*\*.*\n)*?[ ]*\*\/)$/gm;
const blankLines = /[ \t]+$|^[ \t]*\n/gm;

/** One script for each of the entries. A module is in the first script that needs it. */
export function bundle(modules: Modules, entries: readonly string[]): string[] {
  const done = new Set<string>();
  return entries.map((entry) => {
    const parts = inOrder(modules, entry, done).map((path) => wrap(path, modules.get(path) as string));
    return `'use strict';\n${parts.join('\n')}\n`;
  });
}

/** The module and everything that it needs and `done` lacks, dependencies first. */
function inOrder(modules: Modules, path: string, done: Set<string>): string[] {
  if (done.has(path)) return [];
  done.add(path);
  const text = modules.get(path);
  if (text === undefined) throw new Error(`There is no module ${path}.`);
  const targets = [...text.matchAll(importStatement), ...text.matchAll(reExport)]
    .sort((one, other) => one.index - other.index)
    .map(({ groups }) => resolve(path, groups?.path as string));
  return [...targets.flatMap((target) => inOrder(modules, target, done)), path];
}

function wrap(path: string, text: string): string {
  const exports: string[] = [];
  const target = (relative: string) => constantName(resolve(path, relative));
  const body = text
    .replaceAll(commentLines, '')
    .replaceAll(importStatement, (...match) => {
      const { namespace, names, path } = match.at(-1);
      const bound = namespace ? namespace.replace(/^\*\s+as\s+/, '') : `{${listNames(names).join()}}`;
      return `const ${bound}=${target(path)};`;
    })
    .replaceAll(reExport, (...match) => {
      const { names, path } = match.at(-1);
      for (const name of listNames(names)) {
        const [from = '', to = from] = name.split(':');
        exports.push(`${to}:${target(path)}.${from}`);
      }
      return '';
    })
    .replaceAll(ownExport, (...match) => {
      exports.push(match.at(-1).name);
      return '';
    })
    .replaceAll(emptyExport, '')
    .replaceAll(blankLines, '');
  const [unknown] = leftover.exec(body) ?? [];
  if (unknown !== undefined) throw new Error(`Cannot bundle ${path}: ${unknown}`);
  return `const ${constantName(path)}=(()=>{\n${body}\nreturn {${exports.join()}};\n})();`;
}

/** `a, b as c` becomes `a` and `b:c`. */
function listNames(names: string): string[] {
  const list = names.split(',').map((name) => name.trim().replace(/\s+as\s+/, ':'));
  return list.filter((name) => name !== '');
}

function resolve(from: string, relative: string): string {
  return posix.join(posix.dirname(from), relative);
}

function constantName(path: string): string {
  return `$${path.replaceAll(/\W/g, '_')}`;
}
