/** What browsers and search engines look for on a site: icons, a manifest, robots.txt, a sitemap and oEmbed. */
import type { Services, Site } from '../api/endpoint.ts';
import { imageFilters } from '../api/parameters.ts';
import { routes } from '../api/routes.ts';
import { makeAsset, makeText, once, onceFor, sendAsset } from '../http/assets.ts';
import { ApiError, type Exchange } from '../http/exchange.ts';
import type { Handler } from '../http/server.ts';
import { drawIcon } from '../media/decoding.ts';
import { kindWords } from './address.ts';
import { admitPage, ICON_CACHING } from './html.ts';
import { sendEmbed } from './oembed.ts';
import { Sitemap } from './sitemap.ts';

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
    return async (exchange) => sendAsset(exchange, await icon(), { cacheControl: ICON_CACHING });
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
