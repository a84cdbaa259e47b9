/** The content of the image dialog: the image and its properties. */
import { blurUnlessSafe } from './blur.ts';
import { getCachedSubject } from './cache.ts';
import { el, externalLink } from './dom.ts';
import { createPropertyList, entryView } from './entries.ts';
import { createImage } from './grid.ts';
import { formatUrl, noFilter } from './route.ts';
import { apiPrefix } from './site.ts';
import { formatDate, formatDuration, formatSize, imageTitle } from './text.ts';
import type { Entry, GalleryImage } from './types.ts';

export function createFrame(image: GalleryImage): HTMLElement {
  const { width, height } = image.meta.dimens;
  const frame = el('div', { class: 'frame' }, el('div', { tabindex: '-1' }, createImage(image, true)));
  frame.style.backgroundColor = image.meta.color;
  frame.style.aspectRatio = `${width} / ${height}`;
  frame.style.setProperty('--ratio', String(width / height));
  frame.style.setProperty('--width', `${width}px`);
  blurUnlessSafe(frame, image);
  return frame;
}

/** `countdown` is the element that shows how long the link works. */
export function createDetails(image: GalleryImage, countdown: HTMLElement): Node[] {
  const { source, characters, categories, meta, nsfw } = image;
  const link = el('a', { href: image.url, target: '_blank', rel: 'noopener' }, 'Image');
  return [
    el('h2', { id: 'detail-title' }, imageTitle(image)),
    createPropertyList([
      ['Artist', [createArtistLink(image)]],
      ['Source', [createSourceLink(source)]],
      ['Characters', [createChipLinks(characters)]],
      ['Categories', [createChipLinks(categories)]],
      ['Rating', [nsfw]],
      ['Dimensions', [formatDimensions(image)]],
      ['File', [`${meta.mimetype.slice('image/'.length).toUpperCase()}, ${formatSize(meta.size)}`]],
      ['Colour', [createSwatch(meta.color), ` ${meta.color}`]],
      ['Added', [formatDate(image.createdAt)]],
      ['Link', [link, ' · ', countdown]],
    ]),
    createCurlExample(image),
    el(
      'details',
      {},
      el('summary', {}, 'JSON'),
      el('pre', { tabindex: '0' }, JSON.stringify(image, undefined, 2)),
    ),
  ];
}

function createArtistLink({ artist }: GalleryImage): Node {
  const href = formatUrl({ name: 'artist', id: artist, filter: noFilter, page: 1 });
  return el('a', { href }, getCachedSubject(artist)?.name ?? 'Show artist');
}

function createSourceLink({ name, url }: { name: string; url: string }): Node | string {
  return /^https?:/i.test(url) ? externalLink(url, name || url) : name;
}

function createChipLinks(entries: readonly Entry[]): Node | string {
  if (entries.length === 0) return '';
  const links = entries.map((entry) =>
    el('li', {}, el('a', { href: formatUrl(entryView(entry)), class: 'chip' }, entry.name)),
  );
  return el('ul', { class: 'chips' }, ...links);
}

function formatDimensions({ meta: { dimens } }: GalleryImage): string {
  const shape = 'aspectRatio' in dimens ? `${dimens.aspectRatio} ${dimens.orientation}` : dimens.orientation;
  return `${dimens.width} × ${dimens.height}, ${shape}`;
}

function createSwatch(colour: string): HTMLElement {
  const swatch = el('span', { class: 'swatch' });
  swatch.style.backgroundColor = colour;
  return swatch;
}

function createCurlExample({ id }: GalleryImage): HTMLElement {
  const code = el('code', { tabindex: '0' }, `curl '${location.origin}${apiPrefix}/image/${id}'`);
  const button = el('button', { type: 'button', class: 'button small' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      // Browsers offer the clipboard on secure origins only, so select the text for copying by hand.
      getSelection()?.selectAllChildren(code);
      button.textContent = 'Selected';
    }
  });
  return el('div', { class: 'curl' }, code, button);
}

/** Returns a function that stops the countdown. */
export function startCountdown(image: GalleryImage, element: HTMLElement, onExpiry: () => void): () => void {
  const end = Date.parse(image.meta.expires);
  const tick = () => {
    const left = (end - Date.now()) / 1000;
    element.textContent = left > 0 ? `expires in ${formatDuration(left)}` : 'expired';
    if (left > 0) return;
    clearInterval(timer);
    onExpiry();
  };
  const timer = setInterval(tick, 1000);
  tick();
  return () => clearInterval(timer);
}
