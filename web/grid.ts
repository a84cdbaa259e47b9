/** The grid of images. Every tile has its final size before its image is loaded, so the layout never shifts. */
import { blurUnlessSafe } from './blur.ts';
import { rowScale } from './density.ts';
import { byId, el, prefersReducedMotion } from './dom.ts';
import { layOutRows, targetRowHeight } from './justified-layout.ts';
import { LazyPictures } from './lazy-pictures.ts';
import { Picture } from './picture.ts';
import { formatUrl, type View } from './route.ts';
import { gridSources } from './sources.ts';
import { describeImage } from './text.ts';
import type { GalleryImage } from './types.ts';

const GAP = 10;

const grid = byId('grid');
let shown: readonly GalleryImage[] = [];
let isIncomplete = false;
const pictures = new LazyPictures();

/**
 * Keeps the existing tiles when the new list starts with the images on show. If there are more to load, those of the last row
 * wait for them, because the row is not full.
 */
export function showImages(images: readonly GalleryImage[], view: View, hasMore: boolean): void {
  const isContinuation = shown.length > 0 && shown.every((image, index) => image === images[index]);
  if (!isContinuation) clearImages();
  grid.append(...images.slice(shown.length).map((image) => createTile(image, view)));
  shown = images;
  isIncomplete = hasMore;
  grid.hidden = images.length === 0;
  layOut();
}

export function clearImages(): void {
  pictures.clear();
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

function createTile(image: GalleryImage, view: View): HTMLElement {
  const picture = new Picture(image, describeImage(image), (image) =>
    gridSources(image, prefersReducedMotion()),
  );
  const href = formatUrl(view, image.id);
  const link = el('a', { href, class: 'picture', 'data-image': image.id }, ...picture.elements);
  if (image.meta.animated) link.append(el('span', { class: 'badge' }, 'Animation'));
  const tile = el('li', { class: 'tile', 'data-id': image.id }, link);
  tile.style.backgroundColor = image.meta.color;
  pictures.add(tile, picture);
  blurUnlessSafe(tile, image, () => pictures.observe(tile));
  return tile;
}

/** Without those that wait for the rest of their row. */
export function countVisible(): number {
  return grid.querySelectorAll('.tile:not([hidden])').length;
}

/** Lays the images out again, and keeps those on the screen there. */
export function resizeTiles(): void {
  const isOnScreen = (tile: Element) => tile.getBoundingClientRect().bottom > innerHeight / 4;
  const tile = scrollY > 0 ? [...grid.children].find(isOnScreen) : undefined;
  layOut();
  tile?.scrollIntoView({ block: 'center' });
}

function layOut(): void {
  const width = grid.clientWidth;
  if (width === 0 || shown.length === 0) return;
  const ratios = shown.map(({ meta: { dimens } }) => dimens.width / dimens.height);
  const rowHeight = targetRowHeight(width) * rowScale();
  const { boxes, height, full } = layOutRows(ratios, width, rowHeight, GAP);
  const isHolding = isIncomplete && full.count > 0;
  grid.style.height = `${isHolding ? full.height : height}px`;
  boxes.forEach((box, index) => {
    const tile = grid.children[index] as HTMLElement;
    tile.hidden = isHolding && index >= full.count;
    tile.style.transform = `translate(${box.x}px, ${box.y}px)`;
    tile.style.width = `${box.width}px`;
    tile.style.height = `${box.height}px`;
    // A wide image that is cropped is drawn wider than its tile.
    pictures.get(tile)?.fit(Math.max(box.width, box.height * (ratios[index] ?? 1)));
  });
}

let lastWidth = 0;
new ResizeObserver(() => {
  if (grid.clientWidth === lastWidth) return;
  lastWidth = grid.clientWidth;
  layOut();
}).observe(grid);
