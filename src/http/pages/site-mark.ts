/** The name and the icon of the site on pages other than the gallery. */
import type { Site } from '../services.ts';
import { html, type Markup } from './reference/markup.ts';

/** The drawn characters of the gallery and these stand for this name only. */
const DEFAULT_NAME = 'zukan';

export function hasOwnMark({ name, logo }: Site): boolean {
  return name !== DEFAULT_NAME || logo !== undefined;
}

export function siteMark(site: Site): Markup {
  return hasOwnMark(site) ? html`${site.name}` : html`<span lang="ja">図鑑</span> ${site.name}`;
}

export function iconLink({ logo }: Site): Markup {
  return logo
    ? html`<link rel="icon" href="/gallery/logo">`
    : html`<link rel="icon" href="/gallery/icon.svg" type="image/svg+xml">`;
}
