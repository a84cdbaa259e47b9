/** What pages have in common: safe HTML, the look of the site, and pages with a short message. */
import type { IncomingMessage } from 'node:http';
import { limitedClient } from '../api/call.ts';
import type { Services, Site } from '../api/endpoint.ts';
import { MARK } from '../assets/bundle.ts';
import { onceFor } from '../http/assets.ts';
import { ApiError, type Exchange, sendError } from '../http/exchange.ts';
import { prefersHtml } from '../http/request.ts';
import { LANGUAGE, texts } from './texts.ts';

/** Of icons, whose addresses have no version. */
export const ICON_CACHING = 'public, max-age=86400';

// Safe HTML: what pages allow a browser to load and to run, and a template that escapes what it inserts.

export const HTML_TYPE = 'text/html; charset=utf-8';
/** The media types by which links name feeds. */
export const ATOM_TYPE = 'application/atom+xml';
export const JSON_FEED_TYPE = 'application/feed+json';

const CLOSED = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** For pages without scripts. */
const PAGE_POLICY = `default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; ${CLOSED}`;

/** Allows only our own files and, where there are forms, these; the API, and images from the origin of this client's links. */
export function scriptPolicy(
  { links, originOf }: Services,
  request: IncomingMessage,
  hasForms = false,
): Record<string, string> {
  const { url } = links.signer(originOf(request), { begins: 0, expires: 1 })({ fileName: '-', key: '-' });
  const policy = [
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; manifest-src 'self'; connect-src 'self'",
    `img-src 'self' ${new URL(url).origin}`,
    hasForms ? CLOSED.replace("form-action 'none'", "form-action 'self'") : CLOSED,
  ];
  return { 'Content-Security-Policy': policy.join('; '), 'Referrer-Policy': 'no-referrer' };
}

/** The `html` template escapes everything it inserts, except other markup. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Content = string | number | Markup | Content[];

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Most texts need no escape, and a test is cheaper than a replacement. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => escapes[character] as string) : text;
}

/** Concatenates: a page has hundreds of small pieces, and lists of them would be garbage. */
export function html(parts: TemplateStringsArray, ...contents: Content[]): Markup {
  let text = parts[0] as string;
  for (let index = 0; index < contents.length; index++)
    text += toText(contents[index] as Content) + parts[index + 1];
  return new Markup(text);
}

function toText(content: Content): string {
  if (content instanceof Markup) return content.text;
  if (!Array.isArray(content)) return escapeHtml(String(content));
  let text = '';
  for (const part of content) text += toText(part);
  return text;
}

export function join(parts: readonly Markup[], separator: string): Markup {
  return html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`;
}

/** Data for search engines, which no browser runs. */
export function jsonScript(data: object): Markup {
  return new Markup(
    `<script type="application/ld+json">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`,
  );
}

export function wholePage(head: Markup, body: Markup): string {
  return html`<!doctype html>
<html lang="${LANGUAGE}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${head}
</head>
<body>
${body}
</body>
</html>
`.text;
}

/** Turns `code` in backticks into `<code>`. */
export function prose(text: string): Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

// What makes the pages of the site the operator's own: its name, logo and icon, and readable colours from its accent colour.

/** The drawn characters stand for this name only. */
const DEFAULT_NAME = 'zukan';
const drawnMark = new Markup(MARK);

export function wordmark(site: Site): Markup {
  return html`<a class="wordmark" href="/" aria-label="${site.name}, home">
    ${mark(site)}
    <span>${site.name}</span>
  </a>`;
}

function mark({ name, logo }: Site): Markup {
  if (logo) return html`<img src="/gallery/logo" width="${logo.width}" height="${logo.height}" alt="">`;
  return name === DEFAULT_NAME ? drawnMark : html``;
}

export function iconLink({ logo }: Site): Markup {
  return logo
    ? html`<link rel="icon" href="/gallery/logo">`
    : html`<link rel="icon" href="/gallery/icon.svg" type="image/svg+xml">`;
}

/** The backgrounds of `web/style.css`. */
const light = ['#ffffff', '#faf8f3', '#f1ece1'];
const dark = ['#15140f', '#1f1d18', '#26241d'];
/** WCAG 2 requires it for level AA. */
const MIN_CONTRAST = 4.5;
const STEPS = 100;

/**
 * Values for text on light and on dark backgrounds, as CSS. Any accent is readable: it is mixed with as little black, or
 * white on dark backgrounds, as the contrast needs.
 */
export function readableAccent(accent: string): string {
  return `light-dark(${readableOn(accent, light, '#000000')},${readableOn(accent, dark, '#ffffff')})`;
}

/** For text on the accent colour. */
export const ON_ACCENT = `light-dark(${light[0]},${dark[0]})`;

/** Overrides the colours of `web/style.css`. */
export function accentStyle(accent: string | undefined): string {
  return accent ? `:root{--seal:${readableAccent(accent)};--on-seal:${ON_ACCENT}}\n` : '';
}

/** The first mixture of the accent and `end` that has enough contrast with all of the backgrounds. */
function readableOn(accent: string, backgrounds: readonly string[], end: string): string {
  for (let step = 0; step < STEPS; step++) {
    const colour = mix(accent, end, step / STEPS);
    if (backgrounds.every((background) => contrast(colour, background) >= MIN_CONTRAST)) return colour;
  }
  return end;
}

function mix(one: string, other: string, share: number): string {
  const others = channels(other);
  const mixed = channels(one).map((value, index) => value + ((others[index] as number) - value) * share);
  return `#${mixed.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}

/** The contrast ratio that WCAG 2 defines. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}

// A page with a short message, for a person who opens an address that has nothing to show.

interface Message {
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
  const head = html`<title>${title} · ${site.name}</title>
${iconLink(site)}
<link rel="stylesheet" href="/docs.css">`;
  const body = html`<header class="top"><div class="bar">${wordmark(site)}</div></header>
<main class="message">
<p class="eyebrow">${status}</p>
<h1>${title}</h1>
<p class="lead">${lead}</p>
<p class="actions">${buttons}</p>
${note}
</main>`;
  return wholePage(head, body);
}

/** Sends an error: as a page for browsers, as itself for everyone else. Neither repeats anything from the request. */
export function sendRefusal(exchange: Exchange, error: ApiError, page: () => string): void {
  exchange.vary('Accept');
  if (!prefersHtml(exchange.request.headers.accept)) {
    sendError(error, exchange);
    return;
  }
  const { status, headers } = error;
  exchange.headers({ ...headers, 'Content-Security-Policy': PAGE_POLICY, 'Cache-Control': 'no-store' });
  exchange.send(status, page(), HTML_TYPE);
}

// The limit of pages.

/** A page is free again after less than a second. */
const tooManyPages = new ApiError(429, 'Too many pages at once. Try again in a second.', {
  'Retry-After': '1',
});
const tooManyMessage: Message = {
  status: 429,
  title: 'Too many pages at once',
  lead: 'Wait a second, and reload this page.',
  links: [{ href: '/', text: texts.openGallery }],
};

/**
 * Whether a client may load another page; call it before anything is looked up. A client that may not has been answered, and that
 * never counts towards the block.
 */
export function admitPage(services: Services, exchange: Exchange): boolean {
  const client = limitedClient(services, exchange);
  if (client === undefined) return true;
  const decision = services.pageBudget.take(client);
  services.decisions.count(decision);
  if (!decision.isAllowed)
    sendRefusal(exchange, tooManyPages, () => messagePage(services.site, tooManyMessage));
  return decision.isAllowed;
}

// The response to an address outside of the API where there is nothing. It helps people to find the API and the gallery.

export function notFoundHandler(
  prefixes: readonly string[],
  services: Pick<Services, 'site'>,
): (exchange: Exchange) => void {
  const message = `There is nothing at this address. The API is at ${prefixes.join(' and ')}, its reference at /docs.`;
  const error = new ApiError(404, message);
  const codes = prefixes.map((prefix) => html`<code>${prefix}</code>`);
  const page = onceFor(
    () => services.site,
    (site) =>
      messagePage(site, {
        status: 404,
        title: texts.missing,
        lead: texts.missingLead,
        links: [
          { href: '/', text: texts.openGallery },
          { href: '/docs', text: 'Read the API reference' },
        ],
        note: html`<p>The API is at ${join(codes, ' and ')}.</p>`,
      }),
  );
  return (exchange) => sendRefusal(exchange, error, page);
}
