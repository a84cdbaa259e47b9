/**
 * The files that pages load, under `/gallery/`: scripts, the stylesheet, the font, the icon and the logo of the site, and the modules
 * of the typed client, which pages on other origins import.
 */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Site } from '../api/endpoint.ts';
import { pages, readBrowserFiles, SCRIPT_TYPE, STYLE_TYPE } from '../assets/bundle.ts';
import { type Asset, makeAsset, once, sendAsset, sendVersioned, versionOf } from '../http/assets.ts';
import type { Exchange } from '../http/exchange.ts';
import { accentStyle, ICON_CACHING } from './html.ts';
import { ratioStyles } from './tile.ts';

const webFolder = join(import.meta.dirname, '../../web');
const styles = ['style', 'header', 'controls', 'content', 'picture', 'gallery/panels'].map(
  (name) => `web/${name}.css`,
);
/** A logo may be an SVG with scripts. They do not run in a page, and with this not when the file is opened. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

export interface Assets {
  /** By path under `/gallery/`. */
  files: ReadonlyMap<string, Asset>;
  /** The logo of the site, or else the drawn icon in a format that every browser knows (scripts/favicon.ts draws it). */
  icon: Asset;
  /** With the version, so browsers never ask again. */
  addressOf: (file: string) => string;
}

/** Prepared at the first visit, because it would slow down the start. */
export const assetReader = (site: Site): (() => Promise<Assets>) => once(() => readAssets(site));

async function readAssets(site: Site): Promise<Assets> {
  const { readScripts, readModules, textOf, joinStyles } = await readBrowserFiles('gallery');
  const [scripts, modules] = [await readScripts(), await readModules()];
  const { entries } = pages.gallery;
  const serif = makeAsset(await readFile(join(webFolder, 'serif.woff2')), 'font/woff2');
  const style = joinStyles(styles) + fontStyle(serif) + ratioStyles() + accentStyle(site.accent);
  const files = new Map([
    ...scripts.map((text, index) => prepare(`${basename(entries[index] ?? '')}.js`, text, SCRIPT_TYPE)),
    prepare('style.css', style, STYLE_TYPE),
    prepare('viewer.css', joinStyles(['web/gallery/viewer.css']), STYLE_TYPE),
    ['serif.woff2', serif],
    prepare('icon.svg', textOf('web/icon.svg'), 'image/svg+xml'),
    ...(site.logo ? [prepare('logo', site.logo.bytes, site.logo.type)] : []),
    ...[...modules]
      .filter(([path]) => path.startsWith('client/'))
      .map(([path, text]) => prepare(`${path}.js`, toBrowserModule(text), SCRIPT_TYPE)),
  ]);
  const icon = files.get('logo') ?? makeAsset(await readFile(join(webFolder, 'favicon.ico')), 'image/x-icon');
  const addressOf = (file: string) => `/gallery/${file}?v=${versionOf(files.get(file) as Asset)}`;
  return { files, icon, addressOf };
}

/** The serif of titles: a page that is shown before it arrives keeps the one of the system, so nothing moves. */
function fontStyle(serif: Asset): string {
  const source = `url("serif.woff2?v=${versionOf(serif)}") format("woff2")`;
  return `@font-face{font-family:"Source Serif 4";src:${source};font-display:optional}`;
}

function prepare(name: string, content: string | Buffer, type: string): [string, Asset] {
  return [name, makeAsset(content, type)];
}

function toBrowserModule(text: string): string {
  return text.replaceAll(/(\bfrom |\bimport )'(\.[^']+)\.ts'/g, "$1'$2.js'");
}

export async function sendFile(exchange: Exchange, asset: Asset): Promise<void> {
  restrictScripts(exchange, asset);
  await sendVersioned(exchange, asset);
}

/** At the address that browsers try for pages without a link to an icon, such as JSON. */
export async function sendIcon(exchange: Exchange, { icon }: Assets): Promise<void> {
  restrictScripts(exchange, icon);
  await sendAsset(exchange, icon, ICON_CACHING);
}

/** The picture that other icons are drawn from. */
export const drawnIcon = ({ files }: Assets): Buffer =>
  ((files.get('logo') ?? files.get('icon.svg')) as Asset).bytes as Buffer;

function restrictScripts(exchange: Exchange, { type }: Asset): void {
  if (type === 'image/svg+xml') exchange.header('Content-Security-Policy', FILE_POLICY);
}
