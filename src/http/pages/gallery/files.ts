/**
 * The files of the gallery as browsers get them: `web/` bundled to four scripts and two stylesheets, its page with the name and
 * logo of the site, and the modules of the typed client, which pages on other origins import.
 */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { type Asset, makeAsset, versionOf } from '../../server/assets.ts';
import type { Site } from '../../services.ts';
import { ON_ACCENT, readableAccent } from '../accent.ts';
import { escapeHtml, html, type Markup } from '../reference/markup.ts';
import { hasOwnMark, iconLink } from '../site-mark.ts';
import { bundle } from './bundle.ts';

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const folders = ['web', 'client'];
/**
 * The first script starts the first API call while the browser loads the second. The others, and a second stylesheet, are
 * loaded after the first tiles.
 */
const entries = ['start', 'main', 'image-dialog', 'later'];
const lateStyle = 'image-dialog.css';

export interface GalleryFiles {
  /** By path under `/gallery/`. */
  assets: Map<string, Asset>;
  /** The page with these tags in its head. */
  page(head: Markup): string;
}

export async function readGalleryFiles(prefix: string, site: Site): Promise<GalleryFiles> {
  const texts = await readSources();
  const textOf = (path: string) => texts.get(path) ?? '';
  const modules = new Map([...texts].flatMap(([path, text]) => toModule(path, text)));
  const template = textOf('web/index.html');
  const scripts = bundle(
    modules,
    entries.map((name) => `web/${name}`),
  );
  const styles = [...template.matchAll(styleLinks)].map(([, name]) => textOf(`web/${name}`));
  const style = [...styles, accentStyle(site)].join('');
  const assets = new Map(
    await Promise.all([
      ...scripts.map((text, index) => prepare(`${entries[index]}.js`, text, SCRIPT_TYPE)),
      prepareStyle('style.css', style),
      prepareStyle(lateStyle, textOf(`web/${lateStyle}`)),
      prepare('icon.svg', textOf('web/icon.svg'), 'image/svg+xml'),
      ...(site.logo ? [prepare('logo', site.logo.bytes, site.logo.type)] : []),
      ...[...modules]
        .filter(([path]) => path.startsWith('client/'))
        .map(([path, text]) => prepare(`${path}.js`, toBrowserModule(text), SCRIPT_TYPE)),
    ]),
  );
  const [start = '', end = ''] = fillTemplate(template, prefix, site, assets).split('{{head}}');
  return { assets, page: (head) => start + head.text + end };
}

async function prepare(name: string, content: string | Buffer, type: string): Promise<[string, Asset]> {
  return [name, await makeAsset(content, type)];
}

function prepareStyle(name: string, text: string): Promise<[string, Asset]> {
  return prepare(name, text.replaceAll(comments, ''), 'text/css; charset=utf-8');
}

function accentStyle({ accent }: Site): string {
  return accent ? `:root{--seal:${readableAccent(accent)};--on-seal:${ON_ACCENT}}\n` : '';
}

const styleLinks = /<link rel="stylesheet" href="\/gallery\/([\w-]+\.css)">\n/g;
const comments = /\/\*[\s\S]*?\*\/\n?/g;

function fillTemplate(template: string, prefix: string, site: Site, assets: Map<string, Asset>): string {
  const styleLink = '<link rel="stylesheet" href="/gallery/style.css">\n';
  let hasStyle = false;
  return template
    .replaceAll(styleLinks, () => {
      const link = hasStyle ? '' : styleLink;
      hasStyle = true;
      return link;
    })
    .replace(/<svg class="mark".*?<\/svg>/s, (drawn) => (hasOwnMark(site) ? '' : drawn))
    .replace('{{logo}}', () => (site.logo ? logoImage(site.logo).text : ''))
    .replace('{{icon}}', () => iconLink(site).text)
    .replaceAll('{{name}}', () => escapeHtml(site.name))
    .replace('{{prefix}}', () => escapeHtml(prefix))
    .replace('{{ratings}}', () => site.ratings.join())
    .replaceAll(/"\/gallery\/([\w./-]+)"/g, (link, name) => {
      const asset = assets.get(name);
      return asset ? `"/gallery/${name}?v=${versionOf(asset)}"` : link;
    });
}

function logoImage({ width, height }: NonNullable<Site['logo']>): Markup {
  return html`<img src="/gallery/logo" width="${width}" height="${height}" alt="">`;
}

/** By path, such as `web/main.ts`. In an installed package the modules are compiled, with `.d.ts` files next to them. */
async function readSources(): Promise<Map<string, string>> {
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

/** The code of a module without types, by its path without extension. */
function toModule(path: string, text: string): [string, string][] {
  const [, name, extension] = /^(.*)\.([tj]s)$/.exec(path) ?? [];
  return name ? [[name, extension === 'ts' ? stripTypes(text) : text]] : [];
}

function toBrowserModule(text: string): string {
  return text.replaceAll(/(\bfrom |\bimport )'(\.[^']+)\.ts'/g, "$1'$2.js'");
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
