/**
 * The files of the gallery as browsers get them: `web/` bundled to four scripts and two stylesheets, its page with the name and
 * logo of the site, and the modules of the typed client, which pages on other origins import.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Site } from '../../../api/services.ts';
import { readBrowserFiles, SCRIPT_TYPE, STYLE_TYPE } from '../../../assets/browser-files.ts';
import { bundle } from '../../../assets/bundle.ts';
import { type Asset, makeAsset, versionOf } from '../../../http/assets.ts';
import { accentStyle } from '../accent.ts';
import { escapeHtml, type Markup } from '../reference/markup.ts';
import { iconLink, wordmark } from '../site-mark.ts';

/**
 * The first script starts the first API call while the browser loads the second. The others, and a second stylesheet, are
 * loaded after the first tiles.
 */
const entries = ['start', 'main', 'image-dialog', 'later'];
const lateStyle = 'image-dialog.css';
/** scripts/favicon.ts draws it. */
const iconPath = join(import.meta.dirname, '../../../../web/favicon.ico');

export interface GalleryFiles {
  /** By path under `/gallery/`. */
  assets: Map<string, Asset>;
  /** The logo of the site, or else the drawn icon in a format that every browser knows. */
  icon: Asset;
  /** The page with these tags in its head. */
  page(head: Markup): string;
}

export async function readGalleryFiles(prefix: string, site: Site): Promise<GalleryFiles> {
  const { modules, textOf, joinStyles } = await readBrowserFiles('web', 'client');
  const template = textOf('web/index.html');
  const scripts = bundle(
    modules,
    entries.map((name) => `web/${name}`),
  );
  const styles = [...template.matchAll(styleLinks)].map(([, name]) => `web/${name}`);
  const style = joinStyles(styles) + accentStyle(site.accent);
  const assets = new Map([
    ...scripts.map((text, index) => prepare(`${entries[index]}.js`, text, SCRIPT_TYPE)),
    prepare('style.css', style, STYLE_TYPE),
    prepare(lateStyle, joinStyles([`web/${lateStyle}`]), STYLE_TYPE),
    prepare('icon.svg', textOf('web/icon.svg'), 'image/svg+xml'),
    ...(site.logo ? [prepare('logo', site.logo.bytes, site.logo.type)] : []),
    ...[...modules]
      .filter(([path]) => path.startsWith('client/'))
      .map(([path, text]) => prepare(`${path}.js`, toBrowserModule(text), SCRIPT_TYPE)),
  ]);
  const [start = '', end = ''] = template
    .split('{{head}}')
    .map((part) => fillTemplate(part, prefix, site, assets));
  const icon = assets.get('logo') ?? makeAsset(await readFile(iconPath), 'image/x-icon');
  return { assets, icon, page: (head) => start + head.text + end };
}

function prepare(name: string, content: string | Buffer, type: string): [string, Asset] {
  return [name, makeAsset(content, type)];
}

const styleLinks = /<link rel="stylesheet" href="\/gallery\/([\w-]+\.css)">\n/g;

function fillTemplate(template: string, prefix: string, site: Site, assets: Map<string, Asset>): string {
  const styleLink = '<link rel="stylesheet" href="/gallery/style.css">\n';
  let hasStyle = false;
  const values: Record<string, string> = {
    wordmark: wordmark(site).text,
    icon: iconLink(site).text,
    name: escapeHtml(site.name),
    prefix: escapeHtml(prefix),
    ratings: site.ratings.join(),
  };
  return template
    .replaceAll(styleLinks, () => {
      const link = hasStyle ? '' : styleLink;
      hasStyle = true;
      return link;
    })
    .replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? '')
    .replaceAll(/"\/gallery\/([\w./-]+)"/g, (link, name) => {
      const asset = assets.get(name);
      return asset ? `"/gallery/${name}?v=${versionOf(asset)}"` : link;
    });
}

function toBrowserModule(text: string): string {
  return text.replaceAll(/(\bfrom |\bimport )'(\.[^']+)\.ts'/g, "$1'$2.js'");
}
