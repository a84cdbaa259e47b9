/**
 * Serves the gallery. Its page is the same for everyone until the catalogue has something new to offer, except for links that
 * are about something in particular: their preview is looked up in the catalogue. A client that asks for too many gets
 * the page without one.
 */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Services, Site } from '../../../api/endpoint.ts';
import { pages, readBrowserFiles, SCRIPT_TYPE, STYLE_TYPE } from '../../../assets/bundle.ts';
import type { Filter } from '../../../catalogue/catalogue.ts';
import { UNKNOWN_ARTIST } from '../../../catalogue/documents/document.ts';
import { withoutLink } from '../../../catalogue/documents/image-document.ts';
import type { Image, Statistics } from '../../../catalogue/schemas.ts';
import {
  type Asset,
  makeAsset,
  makeText,
  sendAsset,
  sendVersioned,
  versionOf,
} from '../../../http/assets.ts';
import { ApiError, type Exchange } from '../../../http/exchange.ts';
import { errorField } from '../../../http/logger.ts';
import {
  accentStyle,
  escapeHtml,
  HTML_TYPE,
  iconLink,
  type Markup,
  scriptPolicy,
  wordmark,
} from '../html.ts';
import {
  type Found,
  findPreview,
  headTags,
  ICON_CACHING,
  previewStart,
  readSubject,
  type Subject,
} from './discovery.ts';

// What the catalogue has. The page offers no filter and no list that would be of no use: without characters no list of
// characters, with pictures that are all rated sfw no ratings.

interface Facts {
  /**
   * The names of the ratings and orientations that have images, `animated` if there are animations, `hd` and `4k` if there are
   * images as large as these screens, and of the kinds of entries there are: `many-artists` if they are more than a page shows.
   */
  has: readonly string[];
  /** The newest image rated sfw, without links. */
  newest: Image | undefined;
}

/** In steps, of which a turn of the event loop ends one at most: while this thread is busy, the catalogue cannot answer. */
const [WAIT_STEPS, WAIT_STEP_MS] = [20, 25];
/** The short sides of screens. Only the newest images are compared with them: looking at all would take long. */
const SCREENS = { hd: 1080, '4k': 2160 };
const SIZE_SAMPLE = 25;
/** How many entries a page of the gallery shows. */
const PAGE_SIZE = 25;

/** If the catalogue cannot be read, the page offers everything. */
const unknownFacts: Facts = {
  has: [
    ...['sfw', 'questionable', 'nsfw', 'landscape', 'portrait', 'square'],
    ...['artists', 'characters', 'categories', 'albums'],
    ...['many-artists', 'many-characters', 'many-categories', 'many-albums'],
    ...['animated', 'hd', '4k'],
  ],
  newest: undefined,
};

/** Looks the facts up for all visitors together, at most once a second. */
class FactCache {
  readonly #services: Services;
  #latest = unknownFacts;
  #lookup: Promise<Facts> | undefined;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(services: Services) {
    this.#services = services;
  }

  get(exchange: Exchange): Promise<Facts> {
    const { clock, tuning } = this.#services;
    if (Math.abs(clock() - this.#endedAt) < tuning.maxFactsAgeMs) return Promise.resolve(this.#latest);
    this.#lookup ??= this.#find(exchange);
    return Promise.race([this.#lookup, this.#latestAfterWait()]);
  }

  /** The page does not wait for a catalogue that does not answer. */
  async #latestAfterWait(): Promise<Facts> {
    for (let step = 0; step < WAIT_STEPS; step++) await setTimeout(WAIT_STEP_MS, undefined, { ref: false });
    return this.#latest;
  }

  async #find({ log, id }: Exchange): Promise<Facts> {
    try {
      this.#latest = await findFacts(this.#services);
    } catch (error) {
      log.warn({ request: id, ...errorField(error) }, 'the gallery does not know what the catalogue has');
    }
    this.#lookup = undefined;
    this.#endedAt = this.#services.clock();
    return this.#latest;
  }
}

/** Takes constant time. */
async function findFacts({ catalogue }: Services): Promise<Facts> {
  const statistics = await catalogue.statistics();
  const { total: albums } = await catalogue.list('album', { limit: 1, offset: 0 });
  const isUnknown = async () => (await catalogue.one('artist', UNKNOWN_ARTIST.id)) !== undefined;
  const hasArtists = statistics.artists.count > 1 || (statistics.artists.count === 1 && !(await isUnknown()));
  // Its own caller, because the client that triggers a look-up may disconnect while others wait for it.
  const caller = { client: 'gallery', signal: new AbortController().signal };
  const findNewest = async (filter: Filter, limit: number) => {
    const found = await catalogue.latestImages(filter, undefined, limit, caller);
    const images = 'problem' in found ? [] : found.images;
    return images.map((image) => image.toImage(withoutLink, ['thumbnails', 'details']));
  };
  const [[newest], animations, sample] = await Promise.all([
    findNewest({ nsfw: ['sfw'] }, 1),
    findNewest({ animated: true }, 1),
    findNewest({}, SIZE_SAMPLE),
  ]);
  const sizes = sample.map(({ meta: { dimens } }) => shortSide(dimens));
  const has = [
    ...namesOf(statistics, hasArtists, albums),
    ...(animations.length > 0 ? ['animated'] : []),
    ...Object.entries(SCREENS).flatMap(([name, size]) =>
      sizes.some((other) => other >= size) ? [name] : [],
    ),
  ];
  return { has, newest };
}

const shortSide = ({ width, height }: { width: number; height: number }) => Math.min(width, height);

function namesOf(
  { images, artists, characters, categories }: Statistics,
  hasArtists: boolean,
  albums: number,
): string[] {
  const entries = {
    artists: artists.count,
    characters: characters.count,
    categories: categories.count,
    albums,
  };
  const counts = { ...images.nsfw, ...images.orientation, ...entries, artists: Number(hasArtists) };
  return [
    ...Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [name] : [])),
    ...Object.entries(entries).flatMap(([name, count]) => (count > PAGE_SIZE ? [`many-${name}`] : [])),
  ];
}

/** By the name of a part of the page, whether it is hidden. */
function hiddenParts({ has }: Facts): Record<string, boolean> {
  const countOf = (...names: string[]) => names.filter((name) => has.includes(name)).length;
  const parts = {
    ratings: countOf('sfw', 'questionable', 'nsfw') < 2,
    shapes: countOf('landscape', 'portrait', 'square') < 2,
    unblur: countOf('questionable', 'nsfw') === 0,
    motion: countOf('animated') === 0,
    sizes: countOf('hd') === 0,
    large: countOf('4k') === 0,
    artists: countOf('artists') === 0,
    characters: countOf('characters') === 0,
    categories: countOf('categories') === 0,
    albums: countOf('albums') === 0,
  };
  const { ratings, shapes, motion, sizes, unblur } = parts;
  return { ...parts, filters: ratings && shapes && motion && sizes && unblur };
}

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
