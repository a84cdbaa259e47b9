/**
 * The pages of the site: path to view, view to model, model to HTML. Pages that depend on the catalogue only are kept finished until
 * it changes.
 */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { linkValidity } from '../access/links.ts';
import { RequestCaller } from '../api/call.ts';
import { pictureLinks, type Services, type Site } from '../api/endpoint.ts';
import { pages, readBrowserFiles, SCRIPT_TYPE, STYLE_TYPE } from '../assets/bundle.ts';
import type { Statistics } from '../catalogue/schemas.ts';
import {
  type Asset,
  makeAsset,
  makeText,
  once,
  sendAsset,
  sendVersioned,
  versionOf,
} from '../http/assets.ts';
import { ApiError, type Exchange } from '../http/exchange.ts';
import { errorField } from '../http/logger.ts';
import { prefersHtml } from '../http/request.ts';
import { decodePath, type Handler } from '../http/server.ts';
import { LruCache } from '../lib/lru-cache.ts';
import { Unavailable } from '../lib/metrics.ts';
import { formatView, isPlain, kindWords, newAddress, parseView, type View } from './address.ts';
import { describe, headTags } from './head.ts';
import { accentStyle, admitPage, HTML_TYPE, html, ICON_CACHING, scriptPolicy } from './html.ts';
import { layout, problemContent } from './layout.ts';
import { type Facts, type Model, readFacts, readModel, type Source } from './model.ts';
import { siteFiles } from './site-files.ts';
import { content } from './templates.ts';
import { texts } from './texts.ts';
import { ratioStyles } from './tile.ts';

/** For finished pages, in each thread that serves. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
/** Of eight letters and digits. */
const SEED_RANGE = 36 ** 8;

interface Kept {
  /** What is in the links of the page, and when they expire. */
  origin: string;
  expires: number;
  asset: Asset;
  bytes: number;
}

/** Handlers by path. */
export function pageRoutes(
  services: Services,
  bases: readonly string[],
  sendNotFound: (exchange: Exchange) => void,
): Record<string, Handler> {
  const pages = new Pages(services);
  const show: Handler = (exchange) => pages.send(exchange);
  const { assets } = pages;
  const sendAssetFile = async (exchange: Exchange, name: string) => {
    const file = (await assets()).files.get(name);
    return file ? sendFile(exchange, file) : sendNotFound(exchange);
  };
  const words = Object.values(kindWords);
  return {
    ...Object.fromEntries(
      words.flatMap((word) => [
        [`/${word}`, show],
        [`/${word}/{path*}`, show],
      ]),
    ),
    '/newest': show,
    '/search': show,
    '/pictures/{path*}': show,
    '/': show,
    '/gallery/{name}': sendAssetFile,
    '/gallery/client/{name}': (exchange, name) => sendAssetFile(exchange, `client/${name}`),
    '/favicon.ico': async (exchange) => sendIcon(exchange, await assets()),
    ...siteFiles(services, bases, async () => drawnIcon(await assets())),
  };
}

class Pages {
  readonly assets;
  readonly #services: Services;
  readonly #kept = new LruCache<string, Kept>(MAX_KEPT_BYTES);
  /** The catalogue returns the same object until it changes. */
  #statistics: Statistics | undefined;
  #facts: Promise<Facts> | undefined;
  #policy: { origin: string; headers: Record<string, string> } | undefined;

  constructor(services: Services) {
    this.assets = assetReader(services.site);
    this.#services = services;
  }

  async send(exchange: Exchange): Promise<void> {
    if (!admitPage(this.#services, exchange)) return;
    exchange.headers(this.#policyFor(exchange));
    try {
      await this.#sendView(exchange);
    } catch (error) {
      await this.#sendProblem(exchange, error);
    }
  }

  /** Only the latest is kept: clients choose the origin in it. */
  #policyFor({ request }: Exchange): Record<string, string> {
    const origin = this.#services.originOf(request);
    if (this.#policy?.origin !== origin)
      this.#policy = { origin, headers: scriptPolicy(this.#services, request, true) };
    return this.#policy.headers;
  }

  async #sendView(exchange: Exchange): Promise<void> {
    const path = decodePath(exchange.path);
    const moved = path === '/' ? newAddress(exchange.query) : undefined;
    if (moved !== undefined)
      return exchange.redirect(301, moved, { 'Cache-Control': 'public, max-age=86400' });
    const view = parseView(path, exchange.query);
    if (!view) throw new ApiError(404, texts.missingLead);
    const { catalogue, tuning } = this.#services;
    const source = this.#sourceOf(exchange);
    const { origin, expires } = source;
    const statistics = await catalogue.statistics();
    const key = isKept(view) ? formatView(view) : '';
    const kept = statistics === this.#statistics && tuning.isCaching ? this.#kept.get(key) : undefined;
    if (kept?.origin === origin && kept.expires === expires) return sendAsset(exchange, kept.asset);
    const facts = await this.#readFacts(source, statistics);
    const model = await readModel(source, view);
    // Not cached: undoing the merge brings the entry back.
    if ('movedTo' in model) return exchange.redirect(301, model.movedTo, { 'Cache-Control': 'no-store' });
    const page = await this.#write(model, facts, origin);
    if (key === '' || isEmpty(model)) {
      exchange.header('Cache-Control', 'no-cache');
      return exchange.sendCompressed(200, Buffer.from(page), HTML_TYPE);
    }
    const asset = makeText(page, HTML_TYPE);
    // One page for each address: clients choose the origin, by the `Host` that they send.
    if (statistics === this.#statistics)
      this.#kept.set(key, { origin, expires, asset, bytes: 2 * asset.bytes.length });
    return sendAsset(exchange, asset);
  }

  #sourceOf(exchange: Exchange): Source & { origin: string; expires: number } {
    const { originOf, clock, previewLifetime, randomInt, hasLastingLinks } = this.#services;
    const origin = originOf(exchange.request);
    return {
      services: this.#services,
      caller: new RequestCaller(this.#services, exchange),
      signLink: pictureLinks(this.#services, hasLastingLinks ? '' : origin),
      newSeed: () => randomInt(SEED_RANGE).toString(36),
      origin,
      expires: hasLastingLinks ? Infinity : linkValidity(clock(), previewLifetime, false).expires,
    };
  }

  /** Read once for each version of the catalogue. */
  #readFacts(source: Source, statistics: Statistics): Promise<Facts> {
    if (statistics !== this.#statistics || !this.#facts || !this.#services.tuning.isCaching) {
      this.#kept.clear();
      this.#statistics = statistics;
      // Its own caller, because the client that triggers a look-up may disconnect while others wait for it.
      const caller = { client: 'pages', signal: new AbortController().signal };
      this.#facts = readFacts({ ...source, caller }, statistics);
      this.#facts.catch(() => (this.#facts = undefined));
    }
    return this.#facts;
  }

  async #write(model: Model, facts: Facts, origin: string): Promise<string> {
    const { site } = this.#services;
    const description = describe(model, facts, site, origin);
    const head = headTags(model, description, site, origin);
    const main = content(model, { description, facts });
    return layout(await this.#frame(facts), head, main, model.view);
  }

  async #frame(facts?: Facts) {
    const { addressOf } = await this.assets();
    return { site: this.#services.site, addressOf, kinds: facts?.kinds };
  }

  async #sendProblem(exchange: Exchange, error: unknown): Promise<void> {
    const isOurs = error instanceof ApiError || error instanceof Unavailable;
    // For a program, or without an explanation, it is the error that the API would send.
    if (!isOurs || exchange.response.headersSent || !prefersHtml(exchange.request.headers.accept))
      throw error;
    const status = error instanceof ApiError ? error.status : 503;
    const { log, id } = exchange;
    if (status === 503) log.warn({ request: id, ...errorField(error) }, 'page unavailable');
    const [title, lead] =
      status === 404
        ? [texts.missing, texts.missingLead]
        : status === 503
          ? [texts.unavailable, (error as Unavailable).advice ?? texts.unavailableLead]
          : [texts.invalid, error.message];
    const head = html`<title>${title} · ${this.#services.site.name}</title>
<meta name="robots" content="noindex">`;
    const page = layout(await this.#frame(), head, problemContent(title, lead));
    exchange.headers({
      'Cache-Control': 'no-store',
      ...(error instanceof ApiError ? error.headers : { 'Retry-After': (error as Unavailable).retryAfter }),
    });
    exchange.sendCompressed(status, Buffer.from(page), HTML_TYPE);
  }
}

/** Those of which there are not many more than entries and images. */
function isKept(view: View): boolean {
  if (view.name === 'random' || view.name === 'search') return false;
  return view.name === 'list' ? view.query.search === undefined : isPlain(view);
}

/** Any number of addresses have nothing to show. */
function isEmpty(model: Model): boolean {
  if (model.name === 'picture') return false;
  return (model.name === 'entries' ? model.entries : model.images).length === 0;
}

// The files that pages load, under `/gallery/`: scripts, the stylesheet, the font, the icon and the logo of the site, and the modules
// of the typed client, which pages on other origins import.

const webFolder = join(import.meta.dirname, '../../web');
const styles = ['style', 'header', 'controls', 'content', 'picture', 'gallery/panels'].map(
  (name) => `web/${name}.css`,
);
/** A logo may be an SVG with scripts. They do not run in a page, and with this not when the file is opened. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

interface Assets {
  /** By path under `/gallery/`. */
  files: ReadonlyMap<string, Asset>;
  /** The logo of the site, or else the drawn icon in a format that every browser knows (scripts/favicon.ts draws it). */
  icon: Asset;
  /** With the version, so browsers never ask again. */
  addressOf: (file: string) => string;
}

/** Prepared at the first visit, because it would slow down the start. */
const assetReader = (site: Site): (() => Promise<Assets>) => once(() => readAssets(site));

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

async function sendFile(exchange: Exchange, asset: Asset): Promise<void> {
  restrictScripts(exchange, asset);
  await sendVersioned(exchange, asset);
}

/** At the address that browsers try for pages without a link to an icon, such as JSON. */
async function sendIcon(exchange: Exchange, { icon }: Assets): Promise<void> {
  restrictScripts(exchange, icon);
  await sendAsset(exchange, icon, ICON_CACHING);
}

/** The picture that other icons are drawn from. */
const drawnIcon = ({ files }: Assets): Buffer =>
  ((files.get('logo') ?? files.get('icon.svg')) as Asset).bytes as Buffer;

function restrictScripts(exchange: Exchange, { type }: Asset): void {
  if (type === 'image/svg+xml') exchange.header('Content-Security-Policy', FILE_POLICY);
}
