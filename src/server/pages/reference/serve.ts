/** Serves the reference: the OpenAPI document, the page, its script and its stylesheet. Each is built at the first visit. */

import type { Route } from '../../../api/endpoint.ts';
import type { Services } from '../../../api/services.ts';
import { readBrowserFiles, SCRIPT_TYPE, STYLE_TYPE } from '../../../assets/browser-files.ts';
import { type Asset, makeAsset, once, sendAsset, sendVersioned, versionOf } from '../../../http/assets.ts';
import { type Exchange, JSON_TYPE } from '../../../http/exchange.ts';
import { version } from '../../../lib/version.ts';
import { HTML_TYPE, scriptPolicy } from '../html.ts';
import { accentStyle } from '../site.ts';
import { ExampleCache } from './examples.ts';
import { buildOpenApi } from './openapi.ts';
import { referencePage } from './page.ts';

/** The look of the gallery, and what only this page has. */
const styles = ['web/style.css', 'web/header.css', 'web/controls.css'].concat(
  ['layout', 'operations', 'trying'].map((name) => `web/reference/${name}.css`),
);

type Send = (exchange: Exchange) => void | Promise<void>;

/** Handlers by path. */
export function referencePages(
  services: Services,
  prefixes: readonly string[],
  routes: readonly Route[],
): Record<string, Send> {
  const { site } = services;
  const [prefix = ''] = prefixes;
  const document = once(() => buildOpenApi(routes, prefixes, version, services.limiter?.perSecond));
  const json = once(() => makeAsset(JSON.stringify(document()), JSON_TYPE));
  const files = once(() => readBrowserFiles('reference'));
  // The page for what does not exist has the stylesheet only.
  const style = once(async () =>
    makeAsset((await files()).joinStyles(styles) + accentStyle(site.accent), STYLE_TYPE),
  );
  const script = once(async () => {
    const [code = ''] = await (await files()).readScripts();
    return makeAsset(code, SCRIPT_TYPE);
  });
  const examples = new ExampleCache(services, routes, prefix === '/' ? '' : prefix);
  let page: { key: string; asset: Asset } | undefined;
  /** The same for everyone, and rebuilt when the examples change. */
  const currentPage = async (exchange: Exchange): Promise<Asset> => {
    const [found, ofStyle, ofScript] = await Promise.all([examples.get(exchange), style(), script()]);
    const key = JSON.stringify(found);
    if (page?.key === key) return page.asset;
    const addresses = {
      style: `/docs.css?v=${versionOf(ofStyle)}`,
      script: `/docs.js?v=${versionOf(ofScript)}`,
    };
    const text = referencePage(document(), routes, found, site, addresses);
    page = { key, asset: makeAsset(text, HTML_TYPE) };
    return page.asset;
  };
  return {
    '/openapi.json': (exchange) => sendAsset(exchange, json()),
    '/docs.css': async (exchange) => sendVersioned(exchange, await style()),
    '/docs.js': async (exchange) => sendVersioned(exchange, await script()),
    '/docs': async (exchange) => {
      const asset = await currentPage(exchange);
      exchange.headers(scriptPolicy(services, exchange.request));
      await sendAsset(exchange, asset);
    },
  };
}
