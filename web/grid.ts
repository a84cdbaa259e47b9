/** The pictures of a place, in rows. Every one has its box before it is loaded, so nothing moves when it comes. */
import { byId, el } from './dom.ts';
import { addressOf, type Place } from './place.ts';
import { rowsOf, targetFor } from './rows.ts';
import type { Picture } from './types.ts';
import { veil } from './veil.ts';
import { describe } from './words.ts';

const GAP = 10;
const list = byId('grid');
let shown: readonly Picture[] = [];

/** Where these are those on show and more, the ones on show stay as they are. */
export function showPictures(pictures: readonly Picture[], place: Place): void {
  const isMore = shown.length > 0 && shown.every((picture, index) => picture === pictures[index]);
  if (!isMore) clearPictures();
  list.append(...pictures.slice(shown.length).map((picture) => tileOf(picture, place)));
  shown = pictures;
  list.hidden = pictures.length === 0;
  arrange();
}

export function clearPictures(): void {
  shown = [];
  list.replaceChildren();
  list.hidden = true;
}

export function focusTile(id: string): void {
  const tile = list.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] > :not([inert])`);
  tile?.focus();
  // On the way back the browser scrolls to where one was, which may be far from what has the focus now.
  requestAnimationFrame(() => tile?.scrollIntoView({ block: 'nearest' }));
}

/** A picture that fades in over its own colour. */
export function pictureOf(picture: Picture, isEager = false): HTMLImageElement {
  const { width, height } = picture.meta.dimens;
  const image = el('img', {
    ...{ width, height, alt: describe(picture), decoding: 'async' },
    ...(isEager ? {} : { loading: 'lazy' }),
    load: () => image.classList.add('loaded'),
    error: () => image.classList.add('failed'),
    src: picture.url,
  });
  if (image.complete && image.naturalWidth > 0) image.classList.add('loaded');
  return image;
}

function tileOf(picture: Picture, place: Place): HTMLElement {
  const href = addressOf(place, picture.id);
  const link = el('a', { href, 'data-open': picture.id }, pictureOf(picture));
  const tile = el('li', { class: 'tile', 'data-id': picture.id }, link);
  tile.style.backgroundColor = picture.meta.color;
  veil(tile, picture);
  return tile;
}

function arrange(): void {
  const width = list.clientWidth;
  if (width === 0 || shown.length === 0) return;
  const ratios = shown.map(({ meta: { dimens } }) => dimens.width / dimens.height);
  const { boxes, height } = rowsOf(ratios, width, targetFor(width), GAP);
  list.style.height = `${height}px`;
  boxes.forEach((box, index) => {
    const { style } = list.children[index] as HTMLElement;
    style.transform = `translate(${box.x}px, ${box.y}px)`;
    style.width = `${box.width}px`;
    style.height = `${box.height}px`;
  });
}

let lastWidth = 0;
new ResizeObserver(() => {
  if (list.clientWidth === lastWidth) return;
  lastWidth = list.clientWidth;
  arrange();
}).observe(list);
