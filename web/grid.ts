/** The grid of images. Every tile has its final size before its image is loaded, so the layout never shifts. */
import { blurUnlessSafe } from './blur.ts';
import { byId, el } from './dom.ts';
import { layOutRows, targetRowHeight } from './justified-layout.ts';
import { formatUrl, type View } from './route.ts';
import { describeImage } from './text.ts';
import type { GalleryImage } from './types.ts';

const GAP = 10;
const grid = byId('grid');
let shown: readonly GalleryImage[] = [];

/** Keeps the existing tiles when the new list starts with the images on show. */
export function showImages(images: readonly GalleryImage[], view: View): void {
  const isContinuation = shown.length > 0 && shown.every((image, index) => image === images[index]);
  if (!isContinuation) clearImages();
  grid.append(...images.slice(shown.length).map((image) => createTile(image, view)));
  shown = images;
  grid.hidden = images.length === 0;
  layOut();
}

export function clearImages(): void {
  shown = [];
  grid.replaceChildren();
  grid.hidden = true;
}

export function focusTile(id: string): void {
  const tile = grid.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] > :not([inert])`);
  tile?.focus();
  // After going back, the browser restores the old scroll position, which may be far from the tile.
  requestAnimationFrame(() => tile?.scrollIntoView({ block: 'nearest' }));
}

/** Fades in over the dominant colour when loaded. */
export function createImage(image: GalleryImage, isEager = false): HTMLImageElement {
  const { width, height } = image.meta.dimens;
  const element = el('img', {
    ...{ width, height, alt: describeImage(image), decoding: 'async' },
    ...(isEager ? {} : { loading: 'lazy' }),
    load: () => element.classList.add('loaded'),
    error: () => element.classList.add('failed'),
    src: image.url,
  });
  if (element.complete && element.naturalWidth > 0) element.classList.add('loaded');
  return element;
}

function createTile(image: GalleryImage, view: View): HTMLElement {
  const link = el('a', { href: formatUrl(view, image.id), 'data-image': image.id }, createImage(image));
  const tile = el('li', { class: 'tile', 'data-id': image.id }, link);
  tile.style.backgroundColor = image.meta.color;
  blurUnlessSafe(tile, image);
  return tile;
}

function layOut(): void {
  const width = grid.clientWidth;
  if (width === 0 || shown.length === 0) return;
  const ratios = shown.map(({ meta: { dimens } }) => dimens.width / dimens.height);
  const { boxes, height } = layOutRows(ratios, width, targetRowHeight(width), GAP);
  grid.style.height = `${height}px`;
  boxes.forEach((box, index) => {
    const { style } = grid.children[index] as HTMLElement;
    style.transform = `translate(${box.x}px, ${box.y}px)`;
    style.width = `${box.width}px`;
    style.height = `${box.height}px`;
  });
}

let lastWidth = 0;
new ResizeObserver(() => {
  if (grid.clientWidth === lastWidth) return;
  lastWidth = grid.clientWidth;
  layOut();
}).observe(grid);
