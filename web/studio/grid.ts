/** The grid of pictures. Only those near the visible part are in the document, however many are listed. */
import { byId, el } from '../dom.ts';
import { IdList } from './id-list.ts';
import { pictureAddress } from './picture-address.ts';
import { drawPlaceholder } from './placeholder.ts';
import { Selection } from './selection.ts';
import { Tiles } from './tiles.ts';

const MIN_TILE = 150;
const GAP = 10;
const THUMBNAIL_SIZE = 256;

export class Grid {
  readonly #box = byId('grid');
  readonly #space = el('div', { class: 'space', role: 'presentation' });
  readonly #shown = new Map<number, HTMLElement>();
  readonly #tiles = new Tiles(() => this.#decorate());
  readonly selection = new Selection();
  readonly #onSelect: () => void;
  #ids = new IdList(new Uint8Array(), false);
  #columns = 1;
  #tileSize = MIN_TILE;
  #frame = 0;

  /** `onSelect` is called whenever the selection changes. */
  constructor(onSelect: () => void) {
    this.#onSelect = onSelect;
    this.#box.append(this.#space);
    this.#box.addEventListener('scroll', () => this.#schedule(), { passive: true });
    this.#box.addEventListener('click', (event) => this.#click(event));
    this.#box.addEventListener('keydown', (event) => this.#press(event));
    this.#box.addEventListener('dblclick', () => this.openFocused());
    new ResizeObserver(() => this.#layOut()).observe(this.#box);
  }

  show(ids: IdList): void {
    this.#ids = ids;
    this.selection.reset(ids.length);
    this.#clear();
    this.#box.scrollTop = 0;
    this.#layOut();
    this.#onSelect();
  }

  selectedIds(): string[] {
    return this.selection.indexes().map((index) => this.#ids.at(index));
  }

  /** What the tiles say has changed. */
  refresh(ids?: string[]): void {
    if (ids) this.#tiles.forget(ids);
    else this.#tiles.forgetAll();
    for (const [index, tile] of this.#shown) {
      const address = pictureAddress(this.#ids.at(index), THUMBNAIL_SIZE);
      const [image] = tile.getElementsByTagName('img');
      if (image && image.getAttribute('src') !== address) image.src = address;
    }
    this.#schedule();
  }

  focus(): void {
    this.#box.focus({ preventScroll: true });
  }

  /** Goes on to the next picture. */
  advance(): void {
    this.#select(() => this.selection.only(this.selection.focus + 1));
  }

  selectAll(): void {
    this.#select(() => this.selection.all());
  }

  clear(): void {
    this.#select(() => this.selection.clear());
  }

  openFocused(): void {
    const { focus } = this.selection;
    if (focus >= 0) window.open(pictureAddress(this.#ids.at(focus)), '_blank', 'noopener');
  }

  #select(change: () => void): void {
    change();
    this.#reveal(this.selection.focus);
    this.#decorate();
    this.#onSelect();
  }

  #click(event: MouseEvent): void {
    const tile = (event.target as Element).closest<HTMLElement>('.tile');
    if (!tile) return;
    const index = Number(tile.dataset.index);
    const isToggle = event.ctrlKey || event.metaKey;
    this.#select(() => {
      if (event.shiftKey) this.selection.range(index, isToggle);
      else if (isToggle) this.selection.toggle(index);
      else this.selection.only(index);
    });
  }

  #press(event: KeyboardEvent): void {
    const page = this.#columns * Math.max(1, Math.floor(this.#box.clientHeight / (this.#tileSize + GAP)));
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -this.#columns,
      ArrowDown: this.#columns,
      PageUp: -page,
      PageDown: page,
      Home: -this.#ids.length,
      End: this.#ids.length,
    };
    const step = steps[event.key];
    if (step !== undefined && !event.altKey) {
      event.preventDefault();
      // The first key goes to the first picture, unless it is one that goes further.
      const isFirst = this.selection.focus < 0 && event.key.startsWith('Arrow');
      const to = isFirst ? 0 : Math.max(0, this.selection.focus) + step;
      this.#select(() => (event.shiftKey ? this.selection.range(to) : this.selection.only(to)));
    } else if (event.key === ' ') {
      event.preventDefault();
      this.#select(() => this.selection.toggle(this.selection.focus));
    } else if (event.key === 'Enter') this.openFocused();
  }

  #layOut(): void {
    const { width } = this.#space.getBoundingClientRect();
    if (width === 0) return;
    this.#columns = Math.max(1, Math.floor((width + GAP) / (MIN_TILE + GAP)));
    this.#tileSize = (width - GAP * (this.#columns - 1)) / this.#columns;
    const rows = Math.ceil(this.#ids.length / this.#columns);
    this.#space.style.height = `${rows * (this.#tileSize + GAP)}px`;
    for (const [index, tile] of this.#shown) this.#place(tile, index);
    this.#render();
  }

  #schedule(): void {
    this.#frame ||= requestAnimationFrame(() => this.#render());
  }

  #render(): void {
    this.#frame = 0;
    const { scrollTop, clientHeight } = this.#box;
    const height = this.#tileSize + GAP;
    // Half a screen more on both sides.
    const first = Math.max(0, Math.floor((scrollTop - clientHeight / 2) / height)) * this.#columns;
    const rows = Math.ceil((2 * clientHeight) / height) + 1;
    const end = Math.min(this.#ids.length, first + rows * this.#columns);
    for (const [index, tile] of this.#shown)
      if (index < first || index >= end) {
        // Otherwise the browser goes on loading it.
        tile.querySelector('img')?.removeAttribute('src');
        tile.remove();
        this.#shown.delete(index);
      }
    // Browsers load pictures in the order of the tiles: first those in sight.
    const sight = Math.floor(scrollTop / height) * this.#columns;
    const indexes = [...range(sight, end), ...range(first, Math.min(sight, end))];
    // Before the pictures, which occupy all connections: until they are there, the tiles have placeholders.
    this.#tiles.want(indexes.map((index) => this.#ids.at(index)));
    const added = indexes.filter((index) => !this.#shown.has(index)).map((index) => this.#makeTile(index));
    this.#space.append(...added);
    this.#decorate();
  }

  #makeTile(index: number): HTMLElement {
    const id = this.#ids.at(index);
    const image: HTMLImageElement = el('img', {
      src: pictureAddress(id, THUMBNAIL_SIZE),
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
        'aria-setsize': this.#ids.length,
        'aria-label': 'Picture',
      },
      image,
    );
    this.#place(tile, index);
    this.#shown.set(index, tile);
    return tile;
  }

  #place(tile: HTMLElement, index: number): void {
    const height = this.#tileSize + GAP;
    const [row, column] = [Math.floor(index / this.#columns), index % this.#columns];
    tile.style.width = `${this.#tileSize}px`;
    tile.style.height = `${this.#tileSize}px`;
    tile.style.transform = `translate(${column * height}px, ${row * height}px)`;
  }

  /** Selection, rating and label of the tiles in the document. */
  #decorate(): void {
    const { selected, focus } = this.selection;
    for (const [index, element] of this.#shown) {
      const tile = this.#tiles.get(this.#ids.at(index));
      element.setAttribute('aria-selected', String(selected.has(index)));
      element.classList.toggle('focused', index === focus);
      if (!tile) continue;
      const [image] = element.getElementsByTagName('img');
      if (image && !image.complete && !image.previousElementSibling) image.before(drawPlaceholder(tile));
      element.dataset.rating = tile.rating;
      element.classList.toggle('edited', tile.isEdited);
      element.setAttribute(
        'aria-label',
        `${tile.label}, ${tile.rating}${tile.isEdited ? ', changed by hand' : ''}`,
      );
    }
    if (this.#shown.has(focus)) this.#box.setAttribute('aria-activedescendant', `tile-${focus}`);
    else this.#box.removeAttribute('aria-activedescendant');
  }

  #reveal(index: number): void {
    if (index < 0) return;
    const height = this.#tileSize + GAP;
    const top = Math.floor(index / this.#columns) * height;
    const { scrollTop, clientHeight } = this.#box;
    if (top < scrollTop) this.#box.scrollTop = top;
    else if (top + height > scrollTop + clientHeight) this.#box.scrollTop = top + height - clientHeight;
    this.#render();
  }

  #clear(): void {
    for (const tile of this.#shown.values()) tile.remove();
    this.#shown.clear();
  }
}

function range(first: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
}
