/**
 * Serves the gallery: the files of `web/` and of the typed client, prepared for browsers at the first visit and cached.
 * The gallery calls the public API, so this file needs nothing from the catalogue.
 */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';
import { type Asset, makeAsset, sendAsset } from '../server/assets.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Services } from '../services.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export class Gallery {
  readonly #prefix: string;
  readonly #notFound: (exchange: Exchange) => void;
  #assets: Promise<Map<string, Asset>> | undefined;

  /** The page calls the API under this prefix: empty if the API is at the root. */
  constructor(prefix: string, notFound: (exchange: Exchange) => void) {
    this.#prefix = prefix;
    this.#notFound = notFound;
  }

  /** Prepared at the first visit, because it would slow down the start. A failure is not cached. */
  #load(): Promise<Map<string, Asset>> {
    this.#assets ??= readAssets(this.#prefix).catch((error) => {
      this.#assets = undefined;
      throw error;
    });
    return this.#assets;
  }

  async send(exchange: Exchange, name: string, services: Services): Promise<void> {
    const asset = (await this.#load()).get(name);
    if (!asset) return this.#notFound(exchange);
    if (asset.type === types['.html']) exchange.headers(pageHeaders(services, exchange));
    sendAsset(exchange, asset);
  }
}

/** Allows only our own files, the API, and images from the origin of this client's links. */
function pageHeaders({ links, originOf }: Services, { request }: Exchange): Record<string, string> {
  const { url } = links.signer(originOf(request), { begins: 0, expires: 1 })('-', '-');
  const policy = [
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
    `img-src 'self' ${new URL(url).origin}`,
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ];
  return { 'Content-Security-Policy': policy.join('; '), 'Referrer-Policy': 'no-referrer' };
}

/** Returns assets by their path under `/gallery/`. */
async function readAssets(prefix: string): Promise<Map<string, Asset>> {
  const root = join(import.meta.dirname, '../../..');
  const texts = new Map([
    ...(await readTexts(join(root, 'web'), '')),
    ...(await readTexts(join(root, 'client'), 'client/')),
  ]);
  const modules = [...texts.keys()].filter((name) => name.endsWith('.js'));
  const preloads = modules.map((name) => `<link rel="modulepreload" href="/gallery/${name}">`);
  const page = texts.get('index.html') ?? '';
  texts.set('index.html', page.replace('{{prefix}}', prefix).replace('{{modules}}', preloads.join('\n')));
  const entries = [...texts].map(
    async ([name, text]) => [name, await makeAsset(text, typeOf(name))] as const,
  );
  return new Map(await Promise.all(entries));
}

function typeOf(name: string): string {
  return types[extname(name)] ?? 'application/octet-stream';
}

/** In an installed package the modules are compiled, with `.d.ts` files next to them. */
async function readTexts(folder: string, prefix: string): Promise<[string, string][]> {
  const files = readdirSync(folder).filter((file) => /(?<!\.d)\.ts$|\.(js|css|html|svg)$/.test(file));
  return Promise.all(
    files.map(async (file): Promise<[string, string]> => {
      const text = await readFile(join(folder, file), 'utf8');
      const isModule = /\.[tj]s$/.test(file);
      const name = prefix + file.replace(/\.ts$/, '.js');
      return [name, isModule ? toBrowserModule(text, file.endsWith('.ts')) : text];
    }),
  );
}

const commentLines = /^[ ]*(\/\/.*|\/\*.*\*\/|\/\*\*\n([ ]*\*.*\n)*?[ ]*\*\/)$/gm;

/** Removes types and comments, which are a seventh of the compressed bytes, and points imports to the paths that we serve. */
function toBrowserModule(text: string, isTypeScript: boolean): string {
  const script = isTypeScript ? stripTypes(text) : text;
  return script
    .replaceAll(commentLines, '')
    .replaceAll(/(\bfrom |\bimport )'(\.[^']+)\.ts'/g, "$1'$2.js'")
    .replaceAll("'../client/", "'./client/");
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
