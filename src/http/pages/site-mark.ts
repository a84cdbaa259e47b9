/** The name, the logo and the icon of the site, which link every page to the gallery. */
import type { Site } from '../services.ts';
import { html, type Markup } from './reference/markup.ts';

/** The drawn characters stand for this name only. */
const DEFAULT_NAME = 'zukan';
/** 図鑑 in strokes, because few systems have a font that suits it. */
const drawnMark = html`<svg class="mark" viewBox="0 0 212 100" aria-hidden="true"><path d="M12 12H88V90H12ZM33 27L40 40M51 24L57 37M75 27Q64 58 27 75M36 49Q56 58 74 76M138 9Q128 26 112 36M138 9Q148 23 162 32M126 41H150M117 57H158M138 41V87M123 65L128 78M153 65L147 78M113 88H162M169 10V49M169 10H188M169 23H185V36H169M169 49H188M178 10V23M178 36V49M196 6Q194 18 188 26M194 17H209M194 32H207M172 60V87M172 60H205V87M183 60V87M194 60V87M165 88H211"/></svg>`;

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
