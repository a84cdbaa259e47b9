/** The tiles that are in the document: those in sight, and half a screen more on both sides. */
import { IdList } from './id-list.ts';
import { pictureAddress } from './picture-address.ts';
import type { Selection } from './selection.ts';
import { createTile, decorateTile } from './tile.ts';
import { GAP, placeOf, rowsBetween, type TileLayout } from './tile-layout.ts';
import type { Caption, TileView } from './tile-view.ts';
import type { Tiles } from './tiles.ts';

export class TileWindow {
  readonly #space: HTMLElement;
  readonly #tiles: Tiles;
  readonly #shown = new Map<number, HTMLElement>();
  #ids = new IdList(new Uint8Array(), false);
  #view: TileView;

  constructor(space: HTMLElement, tiles: Tiles, view: TileView) {
    this.#space = space;
    this.#tiles = tiles;
    this.#view = view;
  }

  has(index: number): boolean {
    return this.#shown.has(index);
  }

  /** Starts over with these pictures. */
  clear(ids: IdList, view: TileView): void {
    this.#ids = ids;
    this.#view = view;
    for (const index of this.#shown.keys()) this.#remove(index);
  }

  /** The files of pictures may have changed. */
  refresh(): void {
    for (const [index, tile] of this.#shown) {
      const [image] = tile.getElementsByTagName('img');
      const address = this.#addressOf(index);
      if (image && image.getAttribute('src') !== address) image.src = address;
    }
  }

  /** The tiles have other places. */
  place(layout: TileLayout): void {
    for (const [index, tile] of this.#shown) place(tile, layout, index);
  }

  render(layout: TileLayout, scrollTop: number, height: number): void {
    const [first, end] = rowsBetween(layout, scrollTop - height / 2, scrollTop + 1.5 * height);
    for (const index of this.#shown.keys()) if (index < first || index >= end) this.#remove(index);
    // Browsers load pictures in the order of the tiles: first those in sight.
    const [sight] = rowsBetween(layout, scrollTop, scrollTop);
    const indexes = [...range(sight, end), ...range(first, Math.min(sight, end))];
    // Before the pictures, which occupy all connections: until they are there, the tiles have placeholders.
    this.#tiles.want(indexes.map((index) => this.#ids.at(index)));
    const added = indexes.filter((index) => !this.#shown.has(index));
    this.#space.append(...added.map((index) => this.#create(layout, index)));
  }

  /** Shows what is selected, and what is known of the pictures by now. */
  decorate({ selected, focus }: Selection, caption: Caption): void {
    for (const [index, element] of this.#shown) {
      element.setAttribute('aria-selected', String(selected.has(index)));
      element.classList.toggle('focused', index === focus);
      const tile = this.#tiles.get(this.#ids.at(index));
      if (tile) decorateTile(element, tile, caption);
    }
  }

  #create(layout: TileLayout, index: number): HTMLElement {
    const { length } = this.#ids;
    const tile = createTile(index, length, this.#addressOf(index), this.#view.caption !== '');
    place(tile, layout, index);
    this.#shown.set(index, tile);
    return tile;
  }

  #remove(index: number): void {
    const tile = this.#shown.get(index);
    // Otherwise the browser goes on loading it.
    tile?.querySelector('img')?.removeAttribute('src');
    tile?.remove();
    this.#shown.delete(index);
  }

  #addressOf(index: number): string {
    return pictureAddress(this.#ids.at(index), this.#view.thumbnailSize);
  }
}

function place(tile: HTMLElement, layout: TileLayout, index: number): void {
  const { x, y } = placeOf(layout, index);
  tile.style.width = `${layout.size}px`;
  tile.style.height = `${layout.rowHeight - GAP}px`;
  tile.style.transform = `translate(${x}px, ${y}px)`;
}

function range(first: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
}
