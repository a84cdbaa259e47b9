/** The name, the logo and the icon of the site, which link every page to the gallery. */
import type { Site } from '../../api/services.ts';
import { MARK } from '../../assets/browser-files.ts';
import { html, Markup } from './reference/markup.ts';

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
