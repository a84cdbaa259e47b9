/** Reads the sources of pages: modules, stylesheets and templates. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

/** By path, such as `web/main.ts`. In an installed package the modules are compiled, with `.d.ts` files next to them. */
export async function readSources(folders: readonly string[]): Promise<Map<string, string>> {
  const root = join(import.meta.dirname, '../../../..');
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

/** The code of a module without types, by its path without extension. Nothing for another file. */
export function toModule(path: string, text: string): [string, string][] {
  const [, name, extension] = /^(.*)\.([tj]s)$/.exec(path) ?? [];
  return name ? [[name, extension === 'ts' ? stripTypes(text) : text]] : [];
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
