/**
 * Serves the gallery. Its page is the same for everyone, except for links that are about something in particular: their
 * preview is looked up in the catalogue. A client that asks for too many gets the page without one.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services, Site } from '../../../api/services.ts';
import { readBrowserFiles, SCRIPT_TYPE, STYLE_TYPE } from '../../../assets/browser-files.ts';
import { bundle } from '../../../assets/bundle.ts';
import {
  type Asset,
  makeAsset,
  makeText,
  sendAsset,
  sendVersioned,
  versionOf,
} from '../../../http/assets.ts';
import { ApiError } from '../../../http/errors.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { errorField } from '../../../http/logger.ts';
import { escapeHtml, HTML_TYPE, type Markup, scriptPolicy } from '../html.ts';
import { accentStyle, iconLink, wordmark } from '../site.ts';
import { type Found, findPreview, headTags, readSubject, type Subject } from './preview.ts';

/** A logo may be an SVG with scripts. They do not run in the gallery, and with this not when the file is opened. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

/** Its address has no version. */
const ICON_CACHING = 'public, max-age=86400';

interface Loaded extends GalleryFiles {
  neutralPage: Asset;
}

export class Gallery {
  readonly #services: Services;
  readonly #prefix: string;
  readonly #notFound: (exchange: Exchange) => void;
  #loaded: Promise<Loaded> | undefined;

  /** The page calls the API under this prefix: empty if the API is at the root. */
  constructor(services: Services, prefix: string, notFound: (exchange: Exchange) => void) {
    this.#services = services;
    this.#prefix = prefix;
    this.#notFound = notFound;
  }

  /** Prepared at the first visit, because it would slow down the start. A failure is not cached. */
  #load(): Promise<Loaded> {
    this.#loaded ??= load(this.#prefix, this.#services).catch((error) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async sendFile(exchange: Exchange, name: string): Promise<void> {
    const asset = (await this.#load()).assets.get(name);
    if (!asset) return this.#notFound(exchange);
    restrictScripts(exchange, asset);
    await sendVersioned(exchange, asset);
  }

  /** At the address that browsers try for pages without a link to an icon, such as JSON. */
  async sendIcon(exchange: Exchange): Promise<void> {
    const { icon } = await this.#load();
    restrictScripts(exchange, icon);
    await sendAsset(exchange, icon, { cacheControl: ICON_CACHING });
  }

  async sendPage(exchange: Exchange): Promise<void> {
    const { page, neutralPage } = await this.#load();
    const subject = readSubject(exchange.query);
    const found = subject && (await this.#find(exchange, subject));
    exchange.headers(scriptPolicy(this.#services, exchange.request));
    if (found === undefined || found === 'blurred') return sendAsset(exchange, neutralPage);
    if (found === 'missing') return sendAsset(exchange, neutralPage, { status: 404 });
    return sendAsset(exchange, makeText(page(headTags(this.#services.site.name, found)), HTML_TYPE));
  }

  /** Undefined if the catalogue may not or cannot be asked. The gallery then shows what is wrong. */
  async #find(exchange: Exchange, subject: Subject): Promise<Found | undefined> {
    const { limiter, isInExemptNetwork, clientOf, previewLookups, originOf } = this.#services;
    const { request, log, id } = exchange;
    const isLimited = limiter && !isInExemptNetwork(request);
    if (isLimited && !previewLookups.take(clientOf(request)).isAllowed) return undefined;
    try {
      return await findPreview(this.#services, subject, originOf(request));
    } catch (error) {
      if (error instanceof ApiError) throw error;
      log.warn({ request: id, ...errorField(error) }, 'no preview');
      return undefined;
    }
  }
}

function restrictScripts(exchange: Exchange, { type }: Asset): void {
  if (type === 'image/svg+xml') exchange.header('Content-Security-Policy', FILE_POLICY);
}

async function load(prefix: string, { site }: Services): Promise<Loaded> {
  const files = await readGalleryFiles(prefix, site);
  return { ...files, neutralPage: makeAsset(files.page(headTags(site.name)), HTML_TYPE) };
}

/**
 * The first script starts the first API call while the browser loads the second. The others, and a second stylesheet, are
 * loaded after the first tiles.
 */
const entries = ['start', 'main', 'image-dialog', 'later'];
const lateStyle = 'image-dialog.css';
/** scripts/favicon.ts draws it. */
const iconPath = join(import.meta.dirname, '../../../../web/favicon.ico');

/**
 * The files of the gallery as browsers get them: `web/` bundled to four scripts and two stylesheets, its page with the name and
 * logo of the site, and the modules of the typed client, which pages on other origins import.
 */
interface GalleryFiles {
  /** By path under `/gallery/`. */
  assets: Map<string, Asset>;
  /** The logo of the site, or else the drawn icon in a format that every browser knows. */
  icon: Asset;
  /** The page with these tags in its head. */
  page(head: Markup): string;
}

async function readGalleryFiles(prefix: string, site: Site): Promise<GalleryFiles> {
  const { readModules, textOf, joinStyles } = await readBrowserFiles('web', 'client');
  const modules = await readModules();
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
