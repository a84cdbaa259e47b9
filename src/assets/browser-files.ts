/** The sources of the pages: what browsers run is plain TypeScript, without a build step in a checkout. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { bundle, type Modules } from './bundle.ts';

export const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
export const STYLE_TYPE = 'text/css; charset=utf-8';

/** 図鑑 in strokes, because few systems have a font that suits it. */
export const MARK =
  '<svg class="mark" viewBox="0 0 212 100" aria-hidden="true"><path d="M12 12H88V90H12ZM33 27L40 40M51 24L57 37M75 27Q64 58 27 75M36 49Q56 58 74 76M138 9Q128 26 112 36M138 9Q148 23 162 32M126 41H150M117 57H158M138 41V87M123 65L128 78M153 65L147 78M113 88H162M169 10V49M169 10H188M169 23H185V36H169M169 49H188M178 10V23M178 36V49M196 6Q194 18 188 26M194 17H209M194 32H207M172 60V87M172 60H205V87M183 60V87M194 60V87M165 88H211"/></svg>';

/** The folders that each page needs, without those inside of them, and the entries of its scripts, in their order. */
export const pages = {
  gallery: {
    folders: ['web', 'client'],
    entries: ['web/start', 'web/main', 'web/image-dialog', 'web/later'],
  },
  reference: { folders: ['web', 'web/reference', 'client'], entries: ['web/reference/main'] },
  studio: { folders: ['web', 'web/studio', 'client'], entries: ['web/studio/main'] },
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
  return modules;
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
