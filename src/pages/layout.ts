/** What every page has around its content. */
import type { Site } from '../api/endpoint.ts';
import type { Kind } from '../catalogue/schemas.ts';
import { kindWords, type View } from './address.ts';
import { html, iconLink, type Markup, wholePage, wordmark } from './html.ts';
import { texts } from './texts.ts';

export interface Frame {
  site: Site;
  /** Addresses of files under `/gallery/`, with their versions. */
  addressOf: (file: string) => string;
  /** What the catalogue has; undefined if that is not known. */
  kinds: readonly Kind[] | undefined;
}

/** Of the navigation. */
const ORDER = ['album', 'artist', 'character', 'category'] as const;

export function layout(
  { site, addressOf, kinds = ORDER }: Frame,
  head: Markup,
  main: Markup,
  view?: View,
): string {
  const allTags = html`<meta name="application-name" content="${site.name}">
${head}
${iconLink(site)}
<link rel="apple-touch-icon" href="/icon-180.png">
<link rel="manifest" href="/manifest.webmanifest">
<link rel="stylesheet" href="${addressOf('style.css')}">
<script defer blocking="render" src="${addressOf('gallery.js')}" data-viewer="${addressOf('viewer.js')}" data-style="${addressOf('viewer.css')}"></script>`;
  const body = html`<a class="skip" href="#main">${texts.skip}</a>
<header class="top">
<div class="bar">
${wordmark(site)}
<search><form id="search" action="/search">
<label class="visually-hidden" for="search-text">${texts.search}</label>
<input id="search-text" type="search" name="q" maxlength="100" placeholder="${texts.search}" value="${view?.query.q ?? ''}" autocomplete="off" spellcheck="false" enterkeyhint="search">
<button type="submit" aria-label="${texts.search}"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M8.5 14a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11M12.5 12.5 17 17"/></svg></button>
</form></search>
<details class="menu">
<summary aria-label="${texts.menu}"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="M4 10h.1M10 10h.1M16 10h.1"/></svg></summary>
<p>${siteLinks(site)}</p>
</details>
</div>
<nav aria-label="${texts.browse}">
${navLink('/newest', texts.newest, view?.name === 'newest')}
${ORDER.filter((kind) => kinds.includes(kind)).map((kind) => navLink(`/${kindWords[kind]}`, texts.kinds(kind), view !== undefined && 'kind' in view && view.kind === kind))}
</nav>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>
<p dir="auto">${site.description || site.name}</p>
<p>${siteLinks(site)}</p>
</footer>`;
  return wholePage(allTags, body);
}

/** Also in the menu: where the list of pictures goes on by itself, the footer is out of reach. */
function siteLinks({ links }: Site): Markup {
  return html`${links.map(({ name, url }) => html`<a href="${url}">${name}</a> `)}<a href="/feed.xml">${texts.feed}</a> <a href="/docs">${texts.api}</a>`;
}

function navLink(href: string, text: string, isCurrent: boolean): Markup {
  return html`<a href="${href}"${isCurrent ? html` aria-current="page"` : ''}>${text}</a>\n`;
}

/** A page that has nothing else to show. */
export function problemContent(title: string, lead: string): Markup {
  return html`<div class="problem">
<h1>${title}</h1>
<p>${lead}</p>
<p><a class="button strong" href="/">${texts.openGallery}</a></p>
</div>`;
}

// Parts of several pages.

/** Leaves out properties without content. */
export function propertyList(properties: [name: string, content: string | Markup][]): Markup {
  const rows = properties
    .filter(([, content]) => content !== '')
    .map(([name, content]) => html`<div><dt>${name}</dt><dd dir="auto">${content}</dd></div>\n`);
  return rows.length > 0 ? html`<dl class="properties">\n${rows}</dl>\n` : html``;
}

export function externalLink(address: string, text: string, rel = ''): Markup {
  return html`<a class="external" href="${address}" rel="${rel && `${rel} `}noopener noreferrer nofollow" dir="auto">${text}</a>`;
}
