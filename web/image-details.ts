/** The properties of an image in the dialog. */
import { el, externalLink } from './dom.ts';
import { createPropertyList, entryView } from './entries.ts';
import { copyText, createImageActions } from './image-actions.ts';
import { include } from './queries.ts';
import { formatUrl, noFilter } from './route.ts';
import { createSimilar } from './similar.ts';
import { apiPrefix } from './site.ts';
import { formatDate, formatDuration, formatSize, formatTakenAt, hasArtist, imageTitle } from './text.ts';
import type { Entry, GalleryImage } from './types.ts';

export interface Details {
  elements: Node[];
  /** Shows the links of this image, and how long they work. Calls `onExpiry` when they expire. */
  showLinks(image: GalleryImage, onExpiry: () => void): void;
  /** Call it when the picture is there. */
  loadSimilar(): void;
  stop(): void;
}

export function createDetails(image: GalleryImage): Details {
  const { source, characters, categories, meta, nsfw, description = '', takenAt = '' } = image;
  const link = el('a', { target: '_blank', rel: 'noopener' }, 'Image');
  const countdown = el('span', {});
  const json = el('pre', { tabindex: '0' });
  const [actions, similar] = [createImageActions(image), createSimilar(image.id)];
  const elements = [
    el('h2', { id: 'detail-title', tabindex: '-1', dir: 'auto' }, imageTitle(image)),
    ...(description ? [el('p', { class: 'lead', dir: 'auto' }, description)] : []),
    actions.element,
    createPropertyList([
      ['Artist', [hasArtist(image) ? createArtistLink(image) : '']],
      ['Source', [createSourceLink(source)]],
      ['Characters', [createChipLinks(characters)]],
      ['Categories', [createChipLinks(categories)]],
      ['Rating', [nsfw]],
      ['Dimensions', [formatDimensions(image)]],
      ['File', [`${meta.mimetype.slice('image/'.length).toUpperCase()}, ${formatSize(meta.size)}`]],
      ['Colour', [createSwatch(meta.color), ` ${meta.color}`]],
      ['Taken', [formatTakenAt(takenAt)]],
      ['Added', [formatDate(image.createdAt)]],
      ['Link', [link, ' · ', countdown]],
    ]),
    createCurlExample(image),
    el('details', {}, el('summary', {}, 'JSON'), json),
    similar.element,
  ];
  let stopCountdown = () => {};
  return {
    elements,
    showLinks(image, onExpiry) {
      stopCountdown();
      link.href = image.url;
      actions.setUrl(image.url);
      json.textContent = JSON.stringify(image, undefined, 2);
      stopCountdown = startCountdown(image, countdown, onExpiry);
    },
    loadSimilar: similar.load,
    stop() {
      stopCountdown();
      similar.stop();
    },
  };
}

function createArtistLink({ artist, artistDetails }: GalleryImage): Node {
  const href = formatUrl({ name: 'artist', id: artist, filter: noFilter, page: 1 });
  return el('a', { href }, artistDetails?.name ?? 'Show artist');
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
  const code = el(
    'code',
    { tabindex: '0' },
    `curl '${location.origin}${apiPrefix}/image/${id}?include=${include}'`,
  );
  const button = el('button', { type: 'button', class: 'button small' }, 'Copy');
  button.addEventListener('click', async () => {
    if (await copyText(code.textContent)) button.textContent = 'Copied';
    else getSelection()?.selectAllChildren(code);
  });
  return el('div', { class: 'curl' }, code, button);
}

/** Returns a function that stops the countdown. */
function startCountdown(image: GalleryImage, element: HTMLElement, onExpiry: () => void): () => void {
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
