/**
 * The files of the gallery as browsers get them: `web/` bundled to two scripts and one stylesheet, its page with the name and
 * logo of the site, and the modules of the typed client, which pages on other origins import.
 */
import { type Asset, makeAsset, versionOf } from '../../server/assets.ts';
import type { Site } from '../../services.ts';
import { ON_ACCENT, readableAccent } from '../accent.ts';
import { escapeHtml, html, type Markup } from '../reference/markup.ts';
import { hasOwnMark, iconLink } from '../site-mark.ts';
import { bundle } from './bundle.ts';
import { readSources, toModule } from './sources.ts';

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';
const folders = ['web', 'client'];
/** The first script starts the first API call while the browser loads the second. */
const entries = ['start', 'main'];

export interface GalleryFiles {
  /** By path under `/gallery/`. */
  assets: Map<string, Asset>;
  /** The page with these tags in its head. */
  page(head: Markup): string;
}

export async function readGalleryFiles(prefix: string, site: Site): Promise<GalleryFiles> {
  const texts = await readSources(folders);
  const textOf = (path: string) => texts.get(path) ?? '';
  const modules = new Map([...texts].flatMap(([path, text]) => toModule(path, text)));
  const template = textOf('web/index.html');
  const scripts = bundle(
    modules,
    entries.map((name) => `web/${name}`),
  );
  const styles = [...template.matchAll(styleLinks)].map(([, name]) => textOf(`web/${name}`));
  const style = [...styles, accentStyle(site)].join('').replaceAll(comments, '');
  const assets = new Map(
    await Promise.all([
      ...scripts.map((text, index) => prepare(`${entries[index]}.js`, text, SCRIPT_TYPE)),
      prepare('style.css', style, 'text/css; charset=utf-8'),
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

function toBrowserModule(text: string): string {
  return text.replaceAll(/(\bfrom |\bimport )'(\.[^']+)\.ts'/g, "$1'$2.js'");
}
