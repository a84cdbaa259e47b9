/** Serves the reference: the OpenAPI document, the page and its stylesheet. Each is built once. */
import { version } from '../../../version.ts';
import type { Route } from '../../api/endpoint.ts';
import { entityTag, matchesETag } from '../../server/conditional.ts';
import { type Exchange, JSON_TYPE } from '../../server/exchange.ts';
import { escapeHtml } from './markup.ts';
import { buildOpenApi } from './openapi.ts';
import { ORIGIN } from './operation-section.ts';
import { referencePage } from './page.ts';
import { style } from './style.ts';

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Send = (exchange: Exchange, origin: string) => void;

/** Handlers by path. `origin` is the origin of the example calls. */
export function referencePages(routes: readonly Route[], prefixes: readonly string[]): Record<string, Send> {
  const document = buildOpenApi(routes, prefixes, version);
  const json = JSON.stringify(document);
  const page = referencePage(document, routes);
  return {
    '/openapi.json': (exchange) => sendText(exchange, json, JSON_TYPE),
    '/docs.css': (exchange) => sendText(exchange, style, 'text/css; charset=utf-8'),
    '/docs': (exchange, origin) => {
      exchange.header('Content-Security-Policy', POLICY);
      sendText(exchange, page.replaceAll(ORIGIN, escapeHtml(origin)), 'text/html; charset=utf-8');
    },
  };
}

function sendText(exchange: Exchange, text: string, type: string): void {
  const eTag = entityTag(text);
  exchange.headers({ ETag: eTag, 'Cache-Control': 'no-cache' });
  if (matchesETag(exchange.request.headers['if-none-match'], eTag)) exchange.sendHead(304);
  else exchange.sendCompressed(200, text, type);
}
