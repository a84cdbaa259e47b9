/**
 * Serves the gallery. Its page is the same for everyone until the catalogue has something new to offer, except for links that
 * are about something in particular: their preview is looked up in the catalogue. A client that asks for too many gets
 * the page without one.
 */

import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Services, Site } from '../../../api/services.ts';
import { pages, readBrowserFiles, SCRIPT_TYPE, STYLE_TYPE } from '../../../assets/browser-files.ts';
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
import { type Found, findPreview, headTags, previewStart, readSubject, type Subject } from './discovery.ts';
import { FactCache, type Facts, hiddenParts } from './facts.ts';
import { ICON_CACHING } from './site-files.ts';

/** A logo may be an SVG with scripts. They do not run in the gallery, and with this not when the file is opened. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

export class Gallery {
  readonly #services: Services;
  readonly #prefix: string;
  readonly #notFound: (exchange: Exchange) => void;
  readonly #facts: FactCache;
  #loaded: Promise<GalleryFiles> | undefined;
  /** The page about nothing in particular. */
  #plain: KeptPage | undefined;
  /** Only the latest: clients choose the origin in it, by the `Host` that they send. */
  #start: KeptPage | undefined;

  /** The page calls the API under this prefix: empty if the API is at the root. */
  constructor(services: Services, prefix: string, notFound: (exchange: Exchange) => void) {
    this.#services = services;
    this.#prefix = prefix;
    this.#notFound = notFound;
    this.#facts = new FactCache(services);
  }

  /** Prepared at the first visit, because it would slow down the start. A failure is not cached. */
  #load(): Promise<GalleryFiles> {
    this.#loaded ??= readGalleryFiles(this.#prefix, this.#services.site).catch((error) => {
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

  /** The picture that other icons are drawn from. */
  async readIcon(): Promise<Buffer> {
    const { assets } = await this.#load();
    return ((assets.get('logo') ?? assets.get('icon.svg')) as Asset).bytes as Buffer;
  }

  /** At the address that browsers try for pages without a link to an icon, such as JSON. */
  async sendIcon(exchange: Exchange): Promise<void> {
    const { icon } = await this.#load();
    restrictScripts(exchange, icon);
    await sendAsset(exchange, icon, { cacheControl: ICON_CACHING });
  }

  async sendPage(exchange: Exchange): Promise<void> {
    const { site, originOf } = this.#services;
    const { page } = await this.#load();
    // Not together: preparing the files blocks the thread, and the wait for the facts is limited.
    const facts = await this.#facts.get(exchange);
    const subject = readSubject(exchange.query);
    const found = subject && (await this.#find(exchange, subject));
    exchange.headers(scriptPolicy(this.#services, exchange.request));
    if (typeof found === 'object')
      return sendAsset(exchange, makeText(page(facts, headTags(site.name, found)), HTML_TYPE));
    const status = found === 'missing' ? 404 : 200;
    if (exchange.search === '') {
      const preview = previewStart(facts.newest, originOf(exchange.request), this.#prefix);
      const make = () => makeText(page(facts, headTags(site.name, undefined, preview)), HTML_TYPE);
      this.#start = keepPage(this.#start, JSON.stringify([facts.has, preview]), make);
      return sendAsset(exchange, this.#start.asset, { status });
    }
    const make = () => makeAsset(page(facts, headTags(site.name)), HTML_TYPE);
    this.#plain = keepPage(this.#plain, facts.has.join(), make);
    return sendAsset(exchange, this.#plain.asset, { status });
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

/** A page, with everything that it depends on. */
interface KeptPage {
  content: string;
  asset: Asset;
}

function keepPage(kept: KeptPage | undefined, content: string, make: () => Asset): KeptPage {
  return kept?.content === content ? kept : { content, asset: make() };
}

function restrictScripts(exchange: Exchange, { type }: Asset): void {
  if (type === 'image/svg+xml') exchange.header('Content-Security-Policy', FILE_POLICY);
}

/**
 * The first script starts the first API call while the browser loads the second. The others, and a second stylesheet, are
 * loaded after the first tiles.
 */
const { entries } = pages.gallery;
const lateStyle = 'image-dialog.css';
const webFolder = join(import.meta.dirname, '../../../../web');

/**
 * The files of the gallery as browsers get them: `web/` bundled to four scripts and two stylesheets, its page with the name and
 * logo of the site, and the modules of the typed client, which pages on other origins import.
 */
interface GalleryFiles {
  /** By path under `/gallery/`. */
  assets: Map<string, Asset>;
  /** The logo of the site, or else the drawn icon in a format that every browser knows (scripts/favicon.ts draws it). */
  icon: Asset;
  /** The page for a catalogue, with these tags in its head. */
  page(facts: Facts, head: Markup): string;
}

async function readGalleryFiles(prefix: string, site: Site): Promise<GalleryFiles> {
  const { readScripts, readModules, textOf, joinStyles } = await readBrowserFiles('gallery');
  const [scripts, modules] = [await readScripts(), await readModules()];
  const template = textOf('web/index.html');
  const styles = [...template.matchAll(styleLinks)].map(([, name]) => `web/${name}`);
  const style = joinStyles(styles) + accentStyle(site.accent);
  const assets = new Map([
    ...scripts.map((text, index) => prepare(`${basename(entries[index] ?? '')}.js`, text, SCRIPT_TYPE)),
    prepare('style.css', style, STYLE_TYPE),
    prepare(lateStyle, joinStyles([`web/${lateStyle}`]), STYLE_TYPE),
    prepare('serif.woff2', await readFile(join(webFolder, 'serif.woff2')), 'font/woff2'),
    prepare('icon.svg', textOf('web/icon.svg'), 'image/svg+xml'),
    ...(site.logo ? [prepare('logo', site.logo.bytes, site.logo.type)] : []),
    ...[...modules]
      .filter(([path]) => path.startsWith('client/'))
      .map(([path, text]) => prepare(`${path}.js`, toBrowserModule(text), SCRIPT_TYPE)),
  ]);
  const parts = template.split(changingParts);
  // Texts of the site are inserted once, before the rest: they may look like a part that changes.
  const texts = parts.map((part, index) =>
    index % 2 === 0 ? fillTemplate(part, prefix, site, assets) : part,
  );
  const icon =
    assets.get('logo') ?? makeAsset(await readFile(join(webFolder, 'favicon.ico')), 'image/x-icon');
  const page = (facts: Facts, head: Markup) => {
    const hidden = Object.entries(hiddenParts(facts)).map(([name, isHidden]) => [
      ` data-needs="${name}"`,
      isHidden ? ' hidden' : '',
    ]);
    const values = {
      '{{head}}': head.text,
      '{{catalogue}}': facts.has.join(' '),
      ...Object.fromEntries(hidden),
    };
    return texts.map((text, index) => (index % 2 === 0 ? text : values[text])).join('');
  };
  return { assets, icon, page };
}

/** What differs from page to page. `data-needs="artists"` becomes `hidden` if there are none. */
const changingParts = /(\{\{(?:head|catalogue)\}\}| data-needs="\w+")/;

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
