/** What browsers and search engines look for on a site: icons, a manifest, robots.txt, a sitemap and oEmbed. */

import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { lastingLinks } from '../access/links.ts';
import { pictureLinks, type Services, type Site } from '../api/endpoint.ts';
import { unwrap } from '../api/images.ts';
import { embedFilters, imageFilters, readQuery } from '../api/parameters.ts';
import { routes } from '../api/routes.ts';
import { UNKNOWN_ARTIST } from '../catalogue/documents/document.ts';
import { type ImageDocument, withoutLink } from '../catalogue/documents/image-document.ts';
import type { Image, Kind, Statistics } from '../catalogue/schemas.ts';
import { type Asset, makeAsset, makeText, once, onceFor, sendAsset } from '../http/assets.ts';
import { ApiError, type Exchange, JSON_TYPE } from '../http/exchange.ts';
import { decodePath, type Handler } from '../http/server.ts';
import { parseJsonBytes } from '../lib/byte-string.ts';
import * as Type from '../lib/json-schema.ts';
import { LruCache } from '../lib/lru-cache.ts';
import { drawIcon } from '../media/decoding.ts';
import { formatView, kinds, kindWords, parseView } from './address.ts';
import { artistName, artistPath } from './head.ts';
import { admitPage, escapeHtml, ICON_CACHING } from './html.ts';
import type { AnyEntry } from './model.ts';
import { titleOf } from './texts.ts';

/** Phones cut the corners off. */
const LOGO_MARGIN = 0.12;
/** They cut maskable icons to any shape that has the circle of four fifths of their width: the square in it stays. */
const MASKABLE_MARGIN = 0.22;
/** For the home screens of phones, and for everything larger. */
const icons = [
  { src: '/icon-180.png', size: 180 },
  { src: '/icon-512.png', size: 512 },
  { src: '/icon-maskable.png', size: 512, purpose: 'maskable' },
];
/** The background of `web/style.css`. */
const PAPER = '#faf8f3';

/** Handlers by path. `readIcon` returns the picture that icons are drawn from. */
export function siteFiles(
  services: Services,
  bases: readonly string[],
  readIcon: () => Promise<Buffer>,
): Record<string, Handler> {
  const sitemap = new Sitemap(services);
  const manifest = onceFor(
    () => services.site,
    (site) => makeAsset(JSON.stringify(describeSite(site)), 'application/manifest+json'),
  );
  const rules = robotRules(bases, services.site);
  const sendIcon = ({ size, purpose }: (typeof icons)[number]): Handler => {
    const margin = purpose ? MASKABLE_MARGIN : services.site.logo ? LOGO_MARGIN : 0;
    const draw = async () => drawIcon(await readIcon(), { size, margin, background: PAPER });
    const icon = once(async () => makeAsset(await draw(), 'image/png'));
    return async (exchange) => sendAsset(exchange, await icon(), ICON_CACHING);
  };
  const sendSitemap = async (exchange: Exchange, name?: string) => {
    if (!admitPage(services, exchange)) return;
    const asset = await sitemap.read(services.originOf(exchange.request), name);
    if (!asset)
      throw new ApiError(404, 'The sitemap has no such part; /sitemap.xml names those that it has.');
    await sendAsset(exchange, asset);
  };
  return {
    ...Object.fromEntries(icons.map((icon) => [icon.src, sendIcon(icon)])),
    '/manifest.webmanifest': (exchange) => sendAsset(exchange, manifest()),
    '/robots.txt': (exchange) => {
      const text = `${rules}\nSitemap: ${services.originOf(exchange.request)}/sitemap.xml\n`;
      return sendAsset(exchange, makeText(text, 'text/plain; charset=utf-8'));
    },
    '/sitemap.xml': (exchange) => sendSitemap(exchange),
    '/sitemap/{part}.xml': sendSitemap,
    '/oembed': (exchange) => sendEmbed(services, exchange),
  };
}

function describeSite({ name, accent, description }: Site): object {
  const colours = { background_color: PAPER, theme_color: accent ?? PAPER };
  const about = description ? { description } : {};
  return {
    name,
    short_name: name,
    ...about,
    start_url: '/',
    scope: '/',
    display: 'minimal-ui',
    ...colours,
    icons: icons.map(({ size, ...icon }) => ({ ...icon, sizes: `${size}x${size}`, type: 'image/png' })),
  };
}

/** Parameters that make pages nobody looks for: filters, orders and searches, in any combination. */
const { artist, character, album, ...filters } = imageFilters;
const endless = [...Object.keys(filters), 'seed', 'search', 'sort'];

/**
 * Search engines read the pages, and what these load. The API is for programs, and crawling it would only use up its rate limit.
 * Of two rules the longer one counts.
 */
function robotRules(bases: readonly string[], { refusesTraining }: Site): string {
  const segments = new Set(routes.flatMap(({ path }) => path.split('/', 2)[1] || []));
  const apiRules = (base: string) =>
    base
      ? [`Disallow: ${base}/`]
      : [
          ...Array.from(segments, (segment) => `Disallow: /${segment}`),
          // Begin as words of the API do.
          ...Object.values(kindWords).map((word) => `Allow: /${word}`),
        ];
  const rules = [
    ...bases.flatMap((base) => [`Allow: ${base}/image/*/file`, ...apiRules(base)]),
    'Disallow: /search',
    ...endless.map((name) => `Disallow: /*?*${name}=`),
  ];
  const signals = refusesTraining ? ['Content-Signal: search=yes, ai-train=no'] : [];
  return ['User-agent: *', ...signals, ...new Set(rules), ''].join('\n');
}

// The sitemap: an index of parts, for a catalogue of any size, with what everyone may see. Entries are there with a picture rated sfw,
// and images if they are rated sfw themselves. The images of a part are those with certain numbers, so the parts of older images
// stay the same.

/** Numbers of images, or entries: few enough that a part costs no more than some pages. */
const PART_SIZE = 1000;
/** Those that an index may have. */
const MAX_PARTS = 50_000;
/** What is read at a time: the catalogue serves other requests between two calls. */
const CHUNK = 50;
/** For compressed parts, in each thread that serves. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

const XML_TYPE = 'application/xml; charset=utf-8';
const START = 'start';
const PICTURES = 'pictures';
const caller = { client: 'sitemap', signal: new AbortController().signal };

/** A page, with the time of its newest picture, and the address of the picture that it is about. */
interface Address {
  path: string;
  changedAt?: string;
  picture?: string;
}

type Source = Pick<Services, 'catalogue' | 'hasLastingLinks' | 'tuning'>;

export class Sitemap {
  readonly #source: Source;
  readonly #partSize: number;
  /** Without the origin, which clients choose by the `Host` that they send. */
  readonly #kept = new LruCache<string, { bytes: number; gzip: Buffer }>(MAX_KEPT_BYTES);
  readonly #running = new Map<string, Promise<string | undefined>>();
  /** The catalogue returns the same object until it changes. */
  #statistics: Statistics | undefined;

  constructor(source: Source, partSize = PART_SIZE) {
    this.#source = source;
    this.#partSize = partSize;
  }

  /** `name` is that of a part; without one, it is the index. Undefined if there is no such part. */
  async read(origin: string, name = ''): Promise<Asset | undefined> {
    const text = await this.#find(name);
    if (text === undefined) return undefined;
    const from = `loc>${escapeHtml(origin)}/`;
    return makeText(
      text.replaceAll('loc>/', () => from),
      XML_TYPE,
    );
  }

  async #find(name: string): Promise<string | undefined> {
    const statistics = await this.#source.catalogue.statistics();
    if (statistics !== this.#statistics) this.#kept.clear();
    this.#statistics = statistics;
    const kept = this.#kept.get(name);
    if (kept) return gunzipSync(kept.gzip).toString();
    // Those who ask meanwhile wait for the same, even if the catalogue changes.
    const running =
      this.#running.get(name) ?? this.#write(name, statistics).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  async #write(name: string, statistics: Statistics): Promise<string | undefined> {
    const text =
      name === ''
        ? formatIndex(await this.#findParts())
        : formatPart(await Array.fromAsync(this.#addressesOf(name)));
    if (text && this.#source.tuning.isCaching) {
      const compressed = await promisify(gzip)(text);
      if (statistics === this.#statistics)
        this.#kept.set(name, { bytes: compressed.length, gzip: compressed });
    }
    return text;
  }

  #addressesOf(name: string): AsyncIterable<Address> | Address[] {
    if (name === START) return [{ path: '/' }, { path: '/newest' }];
    const [, word, digits] = /^([a-z]+)-([1-9][0-9]{0,5})$/.exec(name) ?? [];
    const from = (Number(digits) - 1) * this.#partSize;
    if (word === PICTURES) return this.#pictures(from);
    const kind = kinds.find((kind) => kindWords[kind] === word);
    return kind ? this.#entries(kind, from) : [];
  }

  async #findParts(): Promise<string[]> {
    const parts = [START];
    for (const kind of kinds) {
      const { total } = await this.#source.catalogue.list(kind, { limit: 1, offset: 0 });
      for (let from = 0; from < total && parts.length < MAX_PARTS; from += this.#partSize) {
        const first = await this.#entries(kind, from).next();
        if (!first.done) parts.push(`${kindWords[kind]}-${from / this.#partSize + 1}`);
      }
    }
    const pictures: string[] = [];
    for (let below: number | undefined; parts.length + pictures.length < MAX_PARTS; ) {
      const [newest] = (await this.#latest(below, 1)).images;
      if (!newest) break;
      const part = Math.floor(numberOf(newest) / this.#partSize);
      pictures.unshift(`${PICTURES}-${part + 1}`);
      below = part * this.#partSize;
    }
    return [...parts, ...pictures];
  }

  async #latest(below: number | undefined, limit: number) {
    return unwrap(await this.#source.catalogue.latestImages({ nsfw: ['sfw'] }, below, limit, caller));
  }

  /** Newest first. */
  async *#pictures(from: number): AsyncGenerator<Address, void> {
    const { hasLastingLinks } = this.#source;
    for (let below: number | undefined = from + this.#partSize; below !== undefined; ) {
      const { images, next } = await this.#latest(below, CHUNK);
      for (const document of images) {
        if (numberOf(document) < from) return;
        const { id, title, url, createdAt } = document.toImage(lastingLinks(''), ['details']);
        const path = formatView({ name: 'picture', id, query: {} }, title);
        yield { path, changedAt: createdAt, ...(hasLastingLinks && { picture: url }) };
      }
      below = next;
    }
  }

  /** Those with a cover: the others have no picture that everyone may see. The first ones come after their list. */
  async *#entries(kind: Kind, from: number): AsyncGenerator<Address, void> {
    let isFirst = from === 0;
    const end = from + this.#partSize;
    for (let offset = from; offset < end; offset += CHUNK) {
      const window = { offset, limit: Math.min(CHUNK, end - offset) };
      const { items, total } = await this.#source.catalogue.list(kind, window, true);
      for (const { json, cover } of items) {
        const entry: AnyEntry = parseJsonBytes(json);
        if (!cover || ('nsfw' in entry && entry.nsfw) || entry.id === UNKNOWN_ARTIST.id) continue;
        if (isFirst) yield { path: `/${kindWords[kind]}` };
        isFirst = false;
        const path = formatView({ name: 'entry', kind, id: entry.id, query: {} }, entry.name);
        yield { path, changedAt: cover.toImage(withoutLink).createdAt };
      }
      if (offset + CHUNK >= total) return;
    }
  }
}

const numberOf = ({ number }: ImageDocument) => number as number;

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const SCHEMA = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const IMAGE_SCHEMA = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';

function formatIndex(parts: readonly string[]): string {
  const lines = parts.map((name) => `<sitemap><loc>/sitemap/${name}.xml</loc></sitemap>\n`);
  return `${HEAD}<sitemapindex ${SCHEMA}>\n${lines.join('')}</sitemapindex>\n`;
}

function formatPart(addresses: readonly Address[]): string | undefined {
  if (addresses.length === 0) return undefined;
  const lines = addresses.map(({ path, changedAt, picture }) => {
    const time = changedAt ? `<lastmod>${changedAt}</lastmod>` : '';
    const image = picture ? `<image:image><image:loc>${escapeHtml(picture)}</image:loc></image:image>` : '';
    return `<url><loc>${escapeHtml(path)}</loc>${time}${image}</url>\n`;
  });
  return `${HEAD}<urlset ${SCHEMA} ${IMAGE_SCHEMA}>\n${lines.join('')}</urlset>\n`;
}

// oEmbed: a picture for a page of another site, which cannot blur it. So only a parameter of the call itself chooses another rating.

/** Without a limit: what fits in most pages. */
const DEFAULT_SIZE = 1600;
/** In seconds: a picture that was taken down disappears from other sites soon. */
const MAX_AGE = 3600;

const size = Type.Optional(Type.Integer({ minimum: 1 }));
const schema = Type.Object({
  url: Type.Optional(Type.String()),
  maxwidth: size,
  maxheight: size,
  format: Type.Optional(Type.String()),
  nsfw: embedFilters.nsfw,
});

export async function sendEmbed(services: Services, exchange: Exchange): Promise<void> {
  if (!admitPage(services, exchange)) return;
  const query = readQuery(schema, exchange.query);
  if ((query.format ?? 'json') !== 'json') throw new ApiError(501, 'There is only format=json.');
  if (!query.url) throw new ApiError(400, 'Missing url: the address of the page of a picture.');
  const origin = services.originOf(exchange.request);
  const id = readAddress(query.url, origin);
  const document = id && (await services.catalogue.image(id));
  if (!document || !query.nsfw.includes(document.rating)) throw new ApiError(404, NOT_FOUND);
  const { site, hasLastingLinks, previewLifetime } = services;
  const image = document.toImage(pictureLinks(services, origin), ['artist', 'thumbnails', 'details'], site);
  const answer = {
    version: '1.0',
    type: 'photo',
    ...describePhoto(image, query),
    ...describeMaker(image, origin),
    provider_name: site.name,
    provider_url: origin,
    cache_age: hasLastingLinks ? MAX_AGE : Math.min(MAX_AGE, Math.floor(previewLifetime / 2)),
  };
  await sendAsset(exchange, makeText(JSON.stringify(answer), JSON_TYPE));
}

const NOT_FOUND = 'No picture with this url, or its rating is not in nsfw, which is sfw by default.';

/** The id of the picture whose page is at this address. */
function readAddress(text: string, origin: string): string | undefined {
  const url = URL.parse(text);
  const view = url?.origin === origin ? parseView(decodePath(url.pathname), new Map()) : undefined;
  return view?.name === 'picture' ? view.id : undefined;
}

/** The largest version within the limits, or else the smallest one, to be shown smaller. */
function describePhoto(image: Image, limits: { maxwidth?: number; maxheight?: number }): object {
  const { thumbnails = [], dimens } = image.meta;
  const isLimited = limits.maxwidth !== undefined || limits.maxheight !== undefined;
  const { maxwidth = Infinity, maxheight = Infinity } = isLimited
    ? limits
    : { maxwidth: DEFAULT_SIZE, maxheight: DEFAULT_SIZE };
  const original = { url: image.url, width: dimens.width, height: dimens.height };
  const scaleFor = ({ width, height }: typeof original) => Math.min(1, maxwidth / width, maxheight / height);
  const [smallest = original] = thumbnails;
  const chosen = [...thumbnails, original].findLast((version) => scaleFor(version) === 1) ?? smallest;
  const scaled = (length: number) => Math.max(1, Math.floor(length * scaleFor(chosen)));
  return {
    url: chosen.url,
    width: scaled(chosen.width),
    height: scaled(chosen.height),
    thumbnail_url: smallest.url,
    thumbnail_width: smallest.width,
    thumbnail_height: smallest.height,
  };
}

/** Fields that are undefined are left out. Those of the licence are common, but not in the standard. */
function describeMaker(image: Image, origin: string): object {
  const { artistDetails, licence, credit } = image;
  const name = artistName(image);
  return {
    title: titleOf(image),
    author_name: name || credit || undefined,
    author_url: name ? artistDetails?.url || origin + artistPath(image, name) : undefined,
    license: licence?.name || undefined,
    license_url: licence?.url || undefined,
  };
}
