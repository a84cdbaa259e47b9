/** The response to an address outside of the API where there is nothing. It helps people to find the API and the gallery. */

import type { Site } from '../../api/services.ts';
import { ApiError } from '../../http/errors.ts';
import type { Exchange } from '../../http/exchange.ts';
import { prefersHtml } from '../../http/request.ts';
import { html } from './html.ts';
import { messagePage, sendMessagePage } from './message-page.ts';

/** A page for browsers, an error for everyone else. Neither repeats anything from the request. */
export function notFoundHandler(prefixes: readonly string[], site: Site): (exchange: Exchange) => void {
  const message = `There is nothing at this address. The API is at ${prefixes.join(' and ')}, its reference at /docs.`;
  const names = prefixes.map((prefix, index) => html`${index === 0 ? '' : ' and '}<code>${prefix}</code>`);
  const page = messagePage(site, {
    status: 404,
    title: 'There is nothing here',
    lead: 'The address may be misspelt, or what was here is gone.',
    links: [
      { href: '/', text: 'Open the gallery' },
      { href: '/docs', text: 'Read the API reference' },
    ],
    note: html`<p>The API is at ${names}.</p>`,
  });
  return (exchange) => {
    exchange.vary('Accept');
    if (!prefersHtml(exchange.request.headers.accept)) throw new ApiError(404, message);
    sendMessagePage(exchange, 404, page);
  };
}
