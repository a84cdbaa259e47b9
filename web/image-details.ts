/** The properties of an image in the dialog. */
import { el, externalLink } from './dom.ts';
import { createPropertyList, entryView } from './entries.ts';
import { copyText, createImageActions } from './image-actions.ts';
import { include } from './queries.ts';
import { formatUrl, noFilter } from './route.ts';
import { createSimilar } from './similar.ts';
import { apiPrefix } from './site.ts';
import {
  describeImage,
  formatDate,
  formatDuration,
  formatSize,
  formatTakenAt,
  hasArtist,
  imageTitle,
} from './text.ts';
import type { Entry, GalleryImage } from './types.ts';

const MAX_DESCRIPTION_LENGTH = 280;
const MAX_DESCRIPTION_LINES = 5;

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
    createHeading(image),
    ...(hasArtist(image) ? [el('p', { class: 'artist' }, createArtistLink(image))] : []),
    ...createDescription(description),
    ...createTags([...characters, ...categories]),
    actions.element,
    createPropertyList([
      ['Source', [createSourceLink(source)]],
      ['Taken', [formatTakenAt(takenAt)]],
      ['Size', [`${meta.dimens.width} × ${meta.dimens.height}`]],
      ['File', [`${meta.mimetype.slice('image/'.length).toUpperCase()}, ${formatSize(meta.size)}`]],
      ['Rating', [nsfw === 'sfw' ? '' : nsfw]],
      ['Added', [formatDate(image.createdAt)]],
    ]),
    ...createReportLink(image),
    createDeveloperPart(
      createPropertyList([
        ['Link', [link, ' · ', countdown]],
        ['Shape', [formatShape(image)]],
        ['Colour', [createSwatch(meta.color), ` ${meta.color}`]],
      ]),
      createCurlExample(image),
      json,
    ),
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

/** The name of the dialog. Without a title, only screen readers need one. */
function createHeading(image: GalleryImage): HTMLElement {
  const title = imageTitle(image);
  const attributes = { id: 'detail-title', tabindex: '-1', dir: 'auto', class: !title && 'visually-hidden' };
  return el('h2', attributes, title || describeImage(image));
}

function createArtistLink({ artist, artistDetails }: GalleryImage): Node {
  const href = formatUrl({ name: 'artist', id: artist, filter: noFilter });
  return el('a', { href, dir: 'auto' }, artistDetails?.name ?? 'Show artist');
}

/** A long one is cut to some lines until the visitor wants the rest. */
function createDescription(text: string): Node[] {
  if (!text) return [];
  const isLong = text.length > MAX_DESCRIPTION_LENGTH || text.split('\n').length > MAX_DESCRIPTION_LINES;
  const description = el('p', { class: isLong ? 'lead cut' : 'lead', dir: 'auto' }, text);
  if (!isLong) return [description];
  const button = el(
    'button',
    { type: 'button', class: 'button small', 'aria-expanded': 'false' },
    'Show more',
  );
  button.addEventListener('click', () => {
    const isCut = description.classList.toggle('cut');
    button.textContent = isCut ? 'Show more' : 'Show less';
    button.setAttribute('aria-expanded', String(!isCut));
  });
  return [description, button];
}

function createTags(entries: readonly Entry[]): Node[] {
  if (entries.length === 0) return [];
  const links = entries.map((entry) =>
    el('li', {}, el('a', { href: formatUrl(entryView(entry)), class: 'chip', dir: 'auto' }, entry.name)),
  );
  return [el('ul', { class: 'chips', 'aria-label': 'Characters and categories' }, ...links)];
}

function createSourceLink({ name, url }: { name: string; url: string }): Node | string {
  if (/^https?:/i.test(url)) return el('bdi', {}, externalLink(url, name || url));
  return name && el('bdi', {}, name);
}

/** The operator chooses the address, so it may be one of an e-mail, too. */
function createReportLink({ reportUrl = '' }: GalleryImage): Node[] {
  if (!/^(https?|mailto):/i.test(reportUrl)) return [];
  const link = el('a', { href: reportUrl, rel: 'noopener noreferrer' }, 'Report this picture');
  return [el('p', { class: 'report' }, link)];
}

let isDeveloper = false;

/** Stays open from image to image. */
function createDeveloperPart(...content: Node[]): HTMLElement {
  const part = el('details', { class: 'developers', open: isDeveloper }, el('summary', {}, 'For developers'));
  part.append(...content);
  part.addEventListener('toggle', () => {
    isDeveloper = part.open;
  });
  return part;
}

function formatShape({ meta: { dimens } }: GalleryImage): string {
  return 'aspectRatio' in dimens ? `${dimens.aspectRatio} ${dimens.orientation}` : dimens.orientation;
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
