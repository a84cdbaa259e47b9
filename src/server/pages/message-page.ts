/** A page with a short message, for a person who opens an address that has nothing to show. */
import type { Site } from '../../api/services.ts';
import type { Exchange } from '../../http/exchange.ts';
import { HTML_TYPE, html, type Markup, PAGE_POLICY } from './html.ts';
import { iconLink, wordmark } from './site.ts';

export interface Message {
  status: number;
  title: string;
  lead: string;
  /** Where to go on; the first is the most helpful. */
  links: { href: string; text: string }[];
  note?: Markup;
}

export function messagePage(site: Site, { status, title, lead, links, note = html`` }: Message): string {
  const buttons = links.map(
    ({ href, text }, index) =>
      html`<a class="${index === 0 ? 'button strong' : 'button'}" href="${href}">${text}</a> `,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${site.name}</title>
${iconLink(site)}
<link rel="stylesheet" href="/docs.css">
</head>
<body>
<header class="top"><div class="bar">${wordmark(site)}</div></header>
<main class="message">
<p class="eyebrow">${status}</p>
<h1>${title}</h1>
<p class="lead">${lead}</p>
<p class="actions">${buttons}</p>
${note}
</main>
</body>
</html>
`.text;
}

export function sendMessagePage(exchange: Exchange, status: number, page: string): void {
  exchange.headers({ 'Content-Security-Policy': PAGE_POLICY, 'Cache-Control': 'no-store' });
  exchange.send(status, page, HTML_TYPE);
}
