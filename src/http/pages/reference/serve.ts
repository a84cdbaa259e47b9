/** Serves the reference: the OpenAPI document, the page and its stylesheet. Each is built at the first visit. */
import { version } from '../../../version.ts';
import type { Route } from '../../api/endpoint.ts';
import { type Asset, makeAsset, sendAsset } from '../../server/assets.ts';
import { entityTag } from '../../server/conditional.ts';
import { type Exchange, JSON_TYPE } from '../../server/exchange.ts';
import type { Site } from '../../services.ts';
import { readableAccent } from '../accent.ts';
import { escapeHtml } from './markup.ts';
import { buildOpenApi } from './openapi.ts';
import { ORIGIN } from './operation-section.ts';
import { referencePage } from './page.ts';
import { style } from './style.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';
/** For pages without scripts. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Anyone can call the service under any name, so only the first few pages are cached. */
const MAX_CACHED_ORIGINS = 4;

type Send = (exchange: Exchange, origin: string) => void | Promise<void>;

/** Handlers by path. `origin` is the origin of the example calls. */
export function referencePages(
  routes: readonly Route[],
  prefixes: readonly string[],
  site: Site,
): Record<string, Send> {
  const document = once(() => buildOpenApi(routes, prefixes, version));
  const page = once(() => referencePage(document(), routes, site));
  const json = once(() => makeAsset(JSON.stringify(document()), JSON_TYPE));
  const stylesheet = once(() => makeAsset(style + accentStyle(site), 'text/css; charset=utf-8'));
  const pages = new Map<string, Promise<Asset>>();
  const pageFor = (origin: string) => page().replaceAll(ORIGIN, escapeHtml(origin));
  return {
    '/openapi.json': async (exchange) => sendAsset(exchange, await json()),
    '/docs.css': async (exchange) => sendAsset(exchange, await stylesheet()),
    '/docs': async (exchange, origin) => {
      exchange.header('Content-Security-Policy', PAGE_POLICY);
      if (!pages.has(origin) && pages.size >= MAX_CACHED_ORIGINS) {
        const text = pageFor(origin);
        exchange.header('ETag', entityTag(text));
        exchange.send(200, text, HTML_TYPE);
        return;
      }
      const cached = pages.get(origin) ?? makeAsset(pageFor(origin), HTML_TYPE);
      pages.set(origin, cached);
      sendAsset(exchange, await cached);
    },
  };
}

function accentStyle({ accent }: Site): string {
  return accent ? `:root { --accent: ${readableAccent(accent)}; }\n` : '';
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
