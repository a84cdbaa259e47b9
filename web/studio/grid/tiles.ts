/** The tiles: which are in the document, what they show, and what is loaded for it. */
import { thumbHashToRGBA } from 'thumbhash';
import type { Tile } from '../../../src/studio/contract.ts';
import { byId, el } from '../../dom.ts';
import { readSetting, saveSetting } from '../../storage.ts';
import type { Outbox } from '../saving/outbox.ts';
import { post } from '../shared/api.ts';
import { IdList } from '../shared/id-list.ts';
import { pictureAddress } from '../shared/picture.ts';
import { GAP, placeOf, rowsBetween, type TileLayout } from './layout.ts';
import type { Selection } from './selection.ts';

// The tiles that are in the document: those in sight, and half a screen more on both sides.

export class TileWindow {
  readonly #space: HTMLElement;
  readonly #tiles: Tiles;
  readonly #shown = new Map<number, HTMLElement>();
  #ids = new IdList();
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

// The element of one picture in the grid.

function createTile(index: number, count: number, address: string, hasCaption: boolean): HTMLElement {
  const image: HTMLImageElement = el('img', {
    src: address,
    alt: '',
    decoding: 'async',
    draggable: 'false',
    load: () => image.previousElementSibling?.remove(),
    error: () => tile.classList.add('broken'),
  });
  const tile: HTMLElement = el(
    'div.tile',
    {
      role: 'option',
      id: `tile-${index}`,
      'data-index': index,
      'aria-posinset': index + 1,
      'aria-setsize': count,
      'aria-label': 'Picture',
    },
    image,
    el('span.box', { 'aria-hidden': 'true' }),
    ...(hasCaption ? [el('span.caption', { 'aria-hidden': 'true' })] : []),
  );
  return tile;
}

/** The rating, the label and the caption. Until the picture has loaded, it has a placeholder. */
function decorateTile(element: HTMLElement, tile: Tile, caption: Caption): void {
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

// What a tile shows until its picture has loaded.

const SIZE = 32;

/**
 * The preview, or the colour of a picture that an old version imported, in the shape of the picture. The Content-Security-Policy
 * allows no image in a data URL, but a canvas.
 */
function drawPlaceholder({ thumbHash = '', color, width, height }: Tile): HTMLCanvasElement {
  const hash = Uint8Array.from(atob(thumbHash), (character) => character.charCodeAt(0));
  const { w, h, rgba } = thumbHashToRGBA(hash);
  const isPreview = thumbHash !== '' && w * h > 0;
  const scale = SIZE / Math.max(width, height);
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  const size = isPreview ? { width: w, height: h } : { width: side(width), height: side(height) };
  const canvas = el('canvas', { ...size, 'aria-hidden': 'true' });
  const context = canvas.getContext('2d');
  if (context && isPreview) context.putImageData(new ImageData(new Uint8ClampedArray(rgba), w, h), 0, 0);
  else if (context) {
    context.fillStyle = color;
    context.fillRect(0, 0, SIZE, SIZE);
  }
  return canvas;
}

// How large tiles are and what is below them. The browser remembers it.

export type Caption = '' | 'titles' | 'files';

interface TileView {
  minSize: number;
  thumbnailSize: number;
  caption: Caption;
  captionHeight: number;
}

const CAPTION_HEIGHT = 26;
const sizes = {
  small: { minSize: 96, thumbnailSize: 256 },
  medium: { minSize: 150, thumbnailSize: 256 },
  large: { minSize: 260, thumbnailSize: 640 },
};

/** As the fields of the page say. */
export function readTileView(): TileView {
  const caption = byId<HTMLSelectElement>('captions').value as Caption;
  return {
    ...sizes[byId<HTMLSelectElement>('tile-size').value as keyof typeof sizes],
    caption,
    captionHeight: caption === '' ? 0 : CAPTION_HEIGHT,
  };
}

/** Fills the fields with what the browser remembers. */
export function restoreTileView(onChange: () => void): TileView {
  for (const id of ['tile-size', 'captions']) {
    const select = byId<HTMLSelectElement>(id);
    const saved = readSetting(`studio-${id}`);
    if ([...select.options].some(({ value }) => value === saved)) select.value = saved as string;
    select.addEventListener('change', () => {
      saveSetting(`studio-${id}`, select.value);
      onChange();
    });
  }
  return readTileView();
}

// What the grid shows of pictures besides the picture itself, loaded for those in sight.

const BATCH_SIZE = 200;
const MAX_CACHED = 5000;

export class Tiles {
  readonly #cached = new Map<string, Tile>();
  readonly #outbox: Outbox;
  readonly #onLoaded: () => void;
  #wanted: string[] = [];
  #isLoading = false;
  /** How often some were forgotten. */
  #changes = 0;

  constructor(outbox: Outbox, onLoaded: () => void) {
    this.#outbox = outbox;
    this.#onLoaded = onLoaded;
  }

  /** Also with a rating that is not saved yet. */
  get(id: string): Tile | undefined {
    const tile = this.#cached.get(id);
    const rating = this.#outbox.ratingOf(id);
    return tile && rating ? { ...tile, rating, isEdited: true } : tile;
  }

  /** Loads those that are missing, in this order. Those wanted before are forgotten: they are out of sight. */
  want(ids: string[]): void {
    this.#wanted = ids.filter((id) => !this.#cached.has(id));
    if (!this.#isLoading) void this.#load();
  }

  forget(ids: Iterable<string> = this.#cached.keys()): void {
    for (const id of ids) this.#cached.delete(id);
    this.#changes++;
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    try {
      while (this.#wanted.length > 0) {
        const ids = this.#wanted.splice(0, BATCH_SIZE);
        const before = this.#changes;
        const loaded = await post('/data/tiles', { ids });
        if (before !== this.#changes) {
          // They may be from before the change.
          this.#wanted = [...new Set([...this.#wanted, ...ids])];
          continue;
        }
        if (this.#cached.size > MAX_CACHED) this.#cached.clear();
        for (const tile of loaded) this.#cached.set(tile.id, tile);
        this.#onLoaded();
      }
    } catch {
      // The pictures are still there; the next scroll tries again.
    } finally {
      this.#isLoading = false;
    }
  }
}
