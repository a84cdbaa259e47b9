/** What makes the pages of the site the operator's own: its name, logo and icon, and readable colours from its accent colour. */
import type { Site } from '../../api/services.ts';
import { MARK } from '../../assets/browser-files.ts';
import { html, Markup } from './html.ts';

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
/** Of WCAG 2, level AA. */
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

/** As WCAG 2 defines it. */
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
