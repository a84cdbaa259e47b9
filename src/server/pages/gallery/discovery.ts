/** How others find the gallery: the previews of links to it, and what browsers and search engines look for on a site. */
import { setImmediate } from 'node:timers/promises';
import { linkValidity } from '../../../access/links.ts';
import type { Services, Site } from '../../../api/endpoint.ts';
import { readUuid } from '../../../api/parameters.ts';
import { routes } from '../../../api/routes.ts';
import { UNKNOWN_ARTIST } from '../../../catalogue/documents/document.ts';
import { type SignLink, withoutLink } from '../../../catalogue/documents/image-document.ts';
import type { Album, Artist, Category, Character, Image, Kind } from '../../../catalogue/schemas.ts';
import { type Asset, makeAsset, makeText, once, sendAsset } from '../../../http/assets.ts';
import { ApiError, type Exchange } from '../../../http/exchange.ts';
import type { RawQuery } from '../../../http/request.ts';
import { drawIcon } from '../../../media/logo.ts';
import { ATOM_TYPE, escapeHtml, html, JSON_FEED_TYPE, type Markup } from '../html.ts';

// The preview of the page that a link to the gallery shows: an image, or an artist, character, category or album with its
// cover. Only images rated sfw appear, because a preview cannot blur them.

/** What a link to the gallery is about. The id is undefined if it is not a UUID. */
export interface Subject {
  kind: Kind | 'image';
  id: string | undefined;
}

/** `blurred` must not be shown, `missing` does not exist. */
export type Found = Preview | 'blurred' | 'missing';

/** The names of parameters in `web/route.ts`. An open image covers the view behind it. */
const kinds = ['image', 'artist', 'character', 'category', 'album'] as const;
/** What most sites show is up to this wide. */
const PICTURE_SIZE = 1200;
/** Crawlers reject larger files. */
const MAX_PICTURE_BYTES = 5_000_000;
const MAX_TEXT_LENGTH = 200;

const lists = new Intl.ListFormat('en');
const numbers = new Intl.NumberFormat('en');

/** Undefined if the page is about nothing in particular. */
export function readSubject(query: RawQuery): Subject | undefined {
  for (const kind of kinds) {
    const [text] = [query.get(kind) ?? ''].flat();
    if (text) return { kind, id: readUuid(text) };
  }
  return undefined;
}

export async function findPreview(services: Services, { kind, id }: Subject, origin: string): Promise<Found> {
  if (id === undefined) return 'missing';
  const { links, previewLifetime, clock } = services;
  const signLink = links.signer(origin, linkValidity(clock(), previewLifetime, false));
  const found = await (kind === 'image'
    ? previewImage(services, id, signLink)
    : previewEntry(services, kind, id, signLink));
  if (typeof found === 'string') return found;
  const { id: current, ...preview } = found;
  return { ...preview, url: `${origin}/?${kind}=${current}` };
}

/** The start page shows the newest picture, by an address that does not expire. */
export function previewStart(newest: Image | undefined, origin: string, prefix: string): Start {
  const picture = newest && choosePicture(newest);
  const url = `${origin}${prefix}/image/${newest?.id}/file?width=${picture?.width}`;
  return { url: `${origin}/`, picture: picture && { ...picture, url } };
}

/** The id is the current one: that of the link may be of an entry that was merged. */
type FoundRecord = (Omit<Preview, 'url'> & { id: string }) | 'blurred' | 'missing';

async function previewImage({ catalogue }: Services, id: string, signLink: SignLink): Promise<FoundRecord> {
  const document = await catalogue.image(id);
  if (!document) return 'missing';
  const image = document.toImage(signLink, ['artist', 'thumbnails', 'details']);
  if (image.nsfw !== 'sfw') return 'blurred';
  const { width, height } = image.meta.dimens;
  const artist = image.artist === UNKNOWN_ARTIST.id ? '' : ` by ${image.artistDetails?.name}`;
  return {
    id,
    title: shorten(titleOf(image) + artist),
    description: shorten(
      image.description || [...categoryNames(image), `${width} × ${height} pixels`].join(' · '),
    ),
    picture: choosePicture(image),
    feedFilter: '',
  };
}

async function previewEntry(
  { catalogue }: Services,
  kind: Kind,
  id: string,
  signLink: SignLink,
): Promise<FoundRecord> {
  const entry = await catalogue.one(kind, id, true);
  if (!entry) return 'missing';
  const record: Artist | Character | Category | Album = JSON.parse(entry.document);
  if ('nsfw' in record && record.nsfw) return 'blurred';
  const { id: current, name } = record;
  const count = `${numbers.format(entry.images)} ${entry.images === 1 ? 'image' : 'images'}`;
  const filter = kind === 'category' ? `categories=${encodeURIComponent(name)}` : `${kind}=${current}`;
  const relation = { artist: 'by', character: 'of', category: 'in', album: 'in' }[kind];
  return {
    id: current,
    title: shorten(name),
    description: shorten(('description' in record && record.description) || `${count} ${relation} ${name}`),
    picture: entry.cover && choosePicture(entry.cover.toImage(signLink, ['thumbnails'])),
    feedFilter: `?${filter}`,
  };
}

/** The smallest version that is large enough, or else the largest. */
export function choosePicture(image: Image): Picture | undefined {
  const { thumbnails = [], dimens, mimetype, size } = image.meta;
  const original = { url: image.url, width: dimens.width, height: dimens.height, mimetype };
  const versions = [...thumbnails, ...(size <= MAX_PICTURE_BYTES ? [original] : [])];
  const isLarge = ({ width, height }: { width: number; height: number }) =>
    Math.max(width, height) >= PICTURE_SIZE;
  const chosen = versions.find(isLarge) ?? versions.at(-1);
  return chosen && { ...chosen, alt: describe(image) };
}

/** The same text as in the gallery, without names of categories that are not for everyone. */
function describe(image: Image): string {
  const parts = [image.title, characterNames(image), categoryNames(image).join(', ')].filter(Boolean);
  return shorten(parts.join(': ') || 'Image without a description');
}

/** As in the gallery, but without names of categories that are not for everyone. Never empty. */
export function titleOf(image: Image): string {
  const texts = [image.title ?? '', characterNames(image), lists.format(categoryNames(image))];
  return texts.map(shorten).find(Boolean) ?? 'Image';
}

function characterNames({ characters }: Image): string {
  return lists.format(characters.map(({ name }) => name));
}

export function categoryNames({ categories }: Image): string[] {
  return categories.flatMap(({ name, nsfw }) => (nsfw ? [] : [name]));
}

/** On one line. Control characters, and those that change the direction of the text around them, become spaces. */
export function shorten(text: string): string {
  const line = text.slice(0, 2000).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ');
  const letters = [...line.trim()];
  return letters.length <= MAX_TEXT_LENGTH
    ? letters.join('')
    : `${letters.slice(0, MAX_TEXT_LENGTH - 1).join('')}…`;
}

interface Start {
  /** Of the page, absolute. */
  url: string;
  picture: Picture | undefined;
}

interface Preview extends Start {
  title: string;
  description: string;
  /** The query of the feed with the newest images of the subject; empty for that of the whole site. */
  feedFilter: string;
}

interface Picture {
  /** Absolute, for crawlers. */
  url: string;
  width: number;
  height: number;
  mimetype: string;
  alt: string;
}

/**
 * What search engines, link previews and feed readers read: the title, the description, the tags of Open Graph and Twitter, and
 * links to feeds. Without a preview, they tell nothing but the name of the site.
 */
export function headTags(siteName: string, preview?: Preview, start?: Start): Markup {
  const { title, description, feedFilter } = preview ?? {
    title: siteName,
    description: 'Browse an image catalogue.',
    feedFilter: '',
  };
  const { url, picture } = preview ?? start ?? {};
  const feedTitle = feedFilter ? `${title} · ${siteName}` : siteName;
  return html`<title>${preview ? `${title} · ${siteName}` : title}</title>
<meta name="description" content="${description}">
<meta property="og:site_name" content="${siteName}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${url ? html`<meta property="og:url" content="${url}">\n` : ''}<meta name="twitter:card" content="${picture ? 'summary_large_image' : 'summary'}">
<link rel="alternate" type="${ATOM_TYPE}" title="${feedTitle}" href="/feed.xml${feedFilter}">
<link rel="alternate" type="${JSON_FEED_TYPE}" title="${feedTitle}" href="/feed.json${feedFilter}">
${picture ? pictureTags(picture) : ''}`;
}

function pictureTags({ url, width, height, mimetype, alt }: Picture): Markup {
  return html`<meta property="og:image" content="${url}">
<meta property="og:image:type" content="${mimetype}">
<meta property="og:image:width" content="${width}">
<meta property="og:image:height" content="${height}">
<meta property="og:image:alt" content="${alt}">
`;
}

// What browsers and search engines look for on a site: icons, a manifest, robots.txt and a sitemap.

/** Their addresses have no version. */
export const ICON_CACHING = 'public, max-age=86400';
/** For the home screens of phones, and for everything larger. */
const iconSizes = [180, 512];
/** Phones cut the corners off. */
const LOGO_MARGIN = 0.12;
/** The background of `web/style.css`. */
const PAPER = '#faf8f3';

type Send = (exchange: Exchange) => void | Promise<void>;

/** Handlers by path. `readIcon` returns the picture that icons are drawn from. */
export function siteFiles(
  services: Services,
  bases: readonly string[],
  readIcon: () => Promise<Buffer>,
): Record<string, Send> {
  const sitemap = new Sitemap(services);
  const manifest = once(() =>
    makeAsset(JSON.stringify(describeSite(services.site)), 'application/manifest+json'),
  );
  const rules = robotRules(bases);
  const sendIcon = (size: number): Send => {
    const margin = services.site.logo ? LOGO_MARGIN : 0;
    const draw = async () => drawIcon(await readIcon(), { size, margin, background: PAPER });
    const icon = once(async () => makeAsset(await draw(), 'image/png'));
    return async (exchange) => sendAsset(exchange, await icon(), { cacheControl: ICON_CACHING });
  };
  return {
    ...Object.fromEntries(iconSizes.map((size) => [iconPath(size), sendIcon(size)])),
    '/manifest.webmanifest': (exchange) => sendAsset(exchange, manifest()),
    '/robots.txt': (exchange) => {
      const text = `${rules}\nSitemap: ${services.originOf(exchange.request)}/sitemap.xml\n`;
      return sendAsset(exchange, makeText(text, 'text/plain; charset=utf-8'));
    },
    '/sitemap.xml': async (exchange) => {
      const origin = services.originOf(exchange.request);
      if (!sitemap.isReady(origin)) spend(services, exchange);
      await sendAsset(exchange, await sitemap.get(origin));
    },
  };
}

const iconPath = (size: number) => `/icon-${size}.png`;

/** Making a sitemap counts as a look-up of the client, like a link preview. */
function spend(
  { limiter, isInExemptNetwork, previewLookups, clientOf }: Services,
  { request }: Exchange,
): void {
  if (!limiter || isInExemptNetwork(request) || previewLookups.take(clientOf(request)).isAllowed) return;
  throw new ApiError(503, 'The sitemap is not ready: try again in a minute.', { 'Retry-After': '60' });
}

function describeSite({ name, accent }: Site): object {
  const icons = iconSizes.map((size) => ({
    src: iconPath(size),
    sizes: `${size}x${size}`,
    type: 'image/png',
  }));
  const colours = { background_color: PAPER, theme_color: accent ?? PAPER };
  return { name, short_name: name, start_url: '/', scope: '/', display: 'minimal-ui', ...colours, icons };
}

/**
 * Search engines read the pages, which describe what they are about, and the pictures of their previews. The API is
 * for programs, and crawling it would only use up its rate limit.
 */
function robotRules(bases: readonly string[]): string {
  const segments = new Set(routes.flatMap(({ path }) => path.split('/', 2)[1] || []));
  const apiPaths = (base: string) => (base ? [`${base}/`] : [...segments].map((segment) => `/${segment}`));
  const rules = bases.flatMap((base) => [
    `Allow: ${base}/image/*/file`,
    ...apiPaths(base).map((path) => `Disallow: ${path}`),
  ]);
  return ['User-agent: *', ...rules, ''].join('\n');
}

// The addresses of the gallery for search engines: the lists, and what has a picture that is rated sfw.

/** A sitemap may have 50,000, but reading so many for each search engine would take too long. */
const MAX_ADDRESSES = 10_000;
const CHUNK = 100;
/** The names of these parameters are in `web/route.ts`. */
const listedKinds: [Kind, string][] = [
  ['artist', 'artists'],
  ['character', 'characters'],
  ['category', 'categories'],
  ['album', 'albums'],
];

interface Made {
  origin: string;
  asset: Asset;
}

class Sitemap {
  readonly #services: Services;
  #paths: Promise<string[]> | undefined;
  #startedAt = 0;
  #latest: Made | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Whether it takes little time to get it. */
  isReady(origin: string): boolean {
    return this.#latest?.origin === origin && !this.#isOld();
  }

  async get(origin: string): Promise<Asset> {
    if (this.#latest && this.isReady(origin)) return this.#latest.asset;
    if (!this.#paths || this.#isOld()) {
      this.#startedAt = this.#services.clock();
      this.#paths = findPaths(this.#services);
      this.#paths.catch(() => (this.#paths = undefined));
    }
    // Clients choose the origin, by the `Host` that they send.
    const asset = makeText(formatSitemap(await this.#paths, origin), 'application/xml; charset=utf-8');
    this.#latest = { origin, asset };
    return asset;
  }

  #isOld(): boolean {
    const { clock, tuning } = this.#services;
    return Math.abs(clock() - this.#startedAt) >= tuning.maxSitemapAgeMs;
  }
}

function formatSitemap(paths: readonly string[], origin: string): string {
  const urls = paths.map((path) => `<url><loc>${escapeHtml(origin + path)}</loc></url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('')}</urlset>
`;
}

async function findPaths(services: Services): Promise<string[]> {
  const paths = ['/', '/?order=newest'];
  for (const [kind, list] of listedKinds) {
    const found = await findEntries(services, kind, MAX_ADDRESSES - paths.length - 1);
    if (found.length > 0) paths.push(`/?in=${list}`, ...found);
  }
  return [...paths, ...(await findImages(services, MAX_ADDRESSES - paths.length))];
}

/** Only those with a cover: the others have no picture that everyone may see. */
async function findEntries({ catalogue }: Services, kind: Kind, limit: number): Promise<string[]> {
  const paths: string[] = [];
  for (let offset = 0; paths.length < limit; offset += CHUNK) {
    const { items, total } = await catalogue.list(kind, { limit: CHUNK, offset }, true);
    for (const { document, cover } of items) {
      const entry: Artist | Character | Category | Album = JSON.parse(document);
      const isPublic = cover && !('nsfw' in entry && entry.nsfw) && entry.id !== UNKNOWN_ARTIST.id;
      if (isPublic) paths.push(`/?${kind}=${entry.id}`);
    }
    if (offset + CHUNK >= total || offset >= MAX_ADDRESSES) break;
    // Other requests are served meanwhile.
    await setImmediate();
  }
  return paths.slice(0, limit);
}

/** The newest images rated sfw. */
async function findImages({ catalogue }: Services, limit: number): Promise<string[]> {
  const caller = { client: 'sitemap', signal: new AbortController().signal };
  const paths: string[] = [];
  let below: number | undefined;
  while (paths.length < limit) {
    const latest = await catalogue.latestImages({ nsfw: ['sfw'] }, below, CHUNK, caller);
    if ('problem' in latest) break;
    paths.push(...latest.images.map((document) => `/?image=${document.toImage(withoutLink, []).id}`));
    below = latest.next;
    if (below === undefined) break;
    await setImmediate();
  }
  return paths.slice(0, limit);
}
