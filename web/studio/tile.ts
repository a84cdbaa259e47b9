/** The element of one picture in the grid. */
import type { Tile } from '../../src/studio/contract.ts';
import { el } from '../dom.ts';
import { drawPlaceholder } from './placeholder.ts';
import type { Caption } from './tile-view.ts';

export function createTile(index: number, count: number, address: string, hasCaption: boolean): HTMLElement {
  const image: HTMLImageElement = el('img', {
    src: address,
    alt: '',
    decoding: 'async',
    draggable: 'false',
    load: () => image.previousElementSibling?.remove(),
    error: () => tile.classList.add('broken'),
  });
  const tile: HTMLElement = el(
    'div',
    {
      class: 'tile',
      role: 'option',
      id: `tile-${index}`,
      'data-index': index,
      'aria-posinset': index + 1,
      'aria-setsize': count,
      'aria-label': 'Picture',
    },
    image,
    el('span', { class: 'box', 'aria-hidden': 'true' }),
    ...(hasCaption ? [el('span', { class: 'caption', 'aria-hidden': 'true' })] : []),
  );
  return tile;
}

/** The rating, the label and the caption. Until the picture has loaded, it has a placeholder. */
export function decorateTile(element: HTMLElement, tile: Tile, caption: Caption): void {
  const [image] = element.getElementsByTagName('img');
  if (image && !image.complete && !image.previousElementSibling) image.before(drawPlaceholder(tile));
  element.dataset.rating = tile.rating;
  element.classList.toggle('edited', tile.isEdited);
  element.setAttribute(
    'aria-label',
    `${tile.label}, ${tile.rating}${tile.isEdited ? ', changed by hand' : ''}`,
  );
  const [text] = element.getElementsByClassName('caption');
  if (text) text.textContent = caption === 'files' ? tile.fileName : tile.label;
}
