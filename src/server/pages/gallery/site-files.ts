/** What browsers and search engines look for on a site: icons, a manifest, robots.txt and a sitemap. */
import { routes } from '../../../api/routes.ts';
import type { Services, Site } from '../../../api/services.ts';
import { makeAsset, makeText, once, sendAsset } from '../../../http/assets.ts';
import { ApiError } from '../../../http/errors.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { drawIcon } from '../../../media/logo.ts';
import { Sitemap } from './sitemap.ts';

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
