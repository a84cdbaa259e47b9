/**
 * Joins modules to scripts, so a browser loads four files instead of fifty. Each module becomes a function that runs once and
 * returns its exports, after those that it imports. That suffices because imports have no cycles (a test sees to it) and
 * exports are never reassigned. Scripts of one page share their constants, so a later script uses the modules of an
 * earlier one.
 */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** The code of modules without types, by path without extension, such as `web/main`. */
type Modules = ReadonlyMap<string, string>;

const importStatement =
  /^import\s+(?:(?<namespace>\*\s+as\s+\w+)|\{(?<names>[^}]*)\})\s+from\s+'(?<path>[^']+?)(?:\.[tj]s)?';?$/gm;
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

function resolve(from: string, path: string): string {
  return path.startsWith('.') ? posix.join(posix.dirname(from), path) : path;
}

function constantName(path: string): string {
  return `$${path.replaceAll(/\W/g, '_')}`;
}

// The sources of the pages: what browsers run is plain TypeScript, without a build step in a checkout.

export const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
export const STYLE_TYPE = 'text/css; charset=utf-8';

/** 図鑑 in strokes, because few systems have a font that suits it. */
export const MARK =
  '<svg class="mark" viewBox="0 0 212 100" aria-hidden="true"><path d="M12 12H88V90H12ZM33 27L40 40M51 24L57 37M75 27Q64 58 27 75M36 49Q56 58 74 76M138 9Q128 26 112 36M138 9Q148 23 162 32M126 41H150M117 57H158M138 41V87M123 65L128 78M153 65L147 78M113 88H162M169 10V49M169 10H188M169 23H185V36H169M169 49H188M178 10V23M178 36V49M196 6Q194 18 188 26M194 17H209M194 32H207M172 60V87M172 60H205V87M183 60V87M194 60V87M165 88H211"/></svg>';

const studioRooms = ['views', 'panel', 'loupe', 'grid', 'changes', 'saving', 'shared', 'styles'];

/** The folders that each page needs, without those inside of them, and the entries of its scripts, in their order. */
export const pages = {
  gallery: {
    folders: ['web', 'web/gallery', 'client'],
    entries: ['web/gallery/gallery', 'web/gallery/viewer'],
  },
  reference: { folders: ['web', 'web/reference', 'client'], entries: ['web/reference/main'] },
  studio: {
    folders: ['web', 'client', 'web/studio', ...studioRooms.map((room) => `web/studio/${room}`)],
    entries: ['web/studio/main'],
  },
};

interface BrowserFiles {
  /** Of the entries. The package has them already; a checkout joins their modules. */
  readScripts(): Promise<string[]>;
  readModules(): Promise<Modules>;
  /** The text of the file at this path, such as `web/style.css`. */
  textOf(path: string): string;
  /** These stylesheets as one. */
  joinStyles(paths: readonly string[]): string;
}

const comments = /\/\*[\s\S]*?\*\/\n?/g;

/** What `npm run package` writes the script of an entry to. */
export const builtScript = (entry: string): string => `${entry}.min.js`;

export async function readBrowserFiles(page: keyof typeof pages): Promise<BrowserFiles> {
  const { folders, entries } = pages[page];
  const texts = await readSources(folders);
  const textOf = (path: string) => texts.get(path) ?? '';
  let modules: Promise<Modules> | undefined;
  const readModules = () => (modules ??= removeTypes(texts));
  return {
    async readScripts() {
      const built = entries.map((entry) => textOf(builtScript(entry)));
      return built.every(Boolean) ? built : bundle(await readModules(), entries);
    },
    readModules,
    textOf,
    joinStyles: (paths) => paths.map(textOf).join('').replaceAll(comments, ''),
  };
}

/** Takes long. */
async function removeTypes(texts: ReadonlyMap<string, string>): Promise<Modules> {
  const modules = new Map<string, string>();
  for (const [path, text] of texts) {
    const [, name, extension] = /^(.*)\.([tj]s)$/.exec(path) ?? [];
    if (name) modules.set(name, extension === 'ts' ? stripTypes(text) : text);
    // Other requests are served meanwhile.
    await setImmediate();
  }
  // The only module of a package that a page needs.
  return modules.set('thumbhash', await readFile(new URL(import.meta.resolve('thumbhash')), 'utf8'));
}

/** By path, such as `web/main.ts`. In an installed package the modules are compiled, with `.d.ts` files next to them. */
async function readSources(folders: string[]): Promise<Map<string, string>> {
  const root = join(import.meta.dirname, '../..');
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => /(?<!\.d)\.ts$|\.(js|css|html|svg)$/.test(file))
      .map((file) => `${folder}/${file}`),
  );
  return new Map(
    await Promise.all(
      paths.map(async (path): Promise<[string, string]> => [path, await readFile(join(root, path), 'utf8')]),
    ),
  );
}

/** Suppresses Node's warning that the function is experimental, which would only confuse operators. */
function stripTypes(text: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
