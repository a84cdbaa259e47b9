/** The response to an address outside of the API where there is nothing. It helps people to find the API and the gallery. */

import type { Site } from '../../api/services.ts';
import { ApiError } from '../../http/errors.ts';
import type { Exchange } from '../../http/exchange.ts';
import { prefersHtml } from '../../http/negotiation.ts';
import { HTML_TYPE, html, type Markup, PAGE_POLICY } from './html.ts';
import { iconLink, wordmark } from './site.ts';

/** A page for browsers, an error for everyone else. Neither repeats anything from the request. */
export function notFoundHandler(prefixes: readonly string[], site: Site): (exchange: Exchange) => void {
  const message = `There is nothing at this address. The API is at ${prefixes.join(' and ')}, its reference at /docs.`;
  const page = notFoundPage(prefixes, site).text;
  return (exchange) => {
    exchange.vary('Accept');
    if (!prefersHtml(exchange.request.headers.accept)) throw new ApiError(404, message);
    exchange.headers({ 'Content-Security-Policy': PAGE_POLICY, 'Cache-Control': 'no-store' });
    exchange.send(404, page, HTML_TYPE);
  };
}

function notFoundPage(prefixes: readonly string[], site: Site): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not found · ${site.name}</title>
${iconLink(site)}
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<header class="top"><div class="bar">${wordmark(site)}</div></header>
<main class="message">
<p class="eyebrow">404</p>
<h1>There is nothing here</h1>
<p class="lead">The address may be misspelt, or what was here is gone.</p>
<p class="actions"><a class="button strong" href="/">Open the gallery</a> <a class="button" href="/docs">Read the API reference</a></p>
<p>The API is at ${prefixes.map((prefix, index) => html`${index === 0 ? '' : ' and '}<code>${prefix}</code>`)}.</p>
</main>
</body>
</html>
`;
}
