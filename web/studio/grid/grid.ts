/** The grid of pictures. Only those near the visible part are in the document, however many are listed. */
import type { Tile } from '../../../src/studio/contract.ts';
import { byId, el } from '../../dom.ts';
import type { Steps } from '../saving/steps.ts';
import { IdList } from '../shared/id-list.ts';
import { type AlbumActions, AlbumDrop, AlbumOrder } from './album.ts';
import { gapAt, heightOf, indexesIn, layOut, placeOf, stepOf, type TileLayout } from './layout.ts';
import { listenForPointers, type Press } from './pointer.ts';
import { Selection } from './selection.ts';
import { readTileView, restoreTileView, Tiles, TileWindow } from './tiles.ts';

interface GridActions extends AlbumActions {
  /** The selection has changed. */
  onSelect(): void;
  /** More is known of the pictures in sight. */
  onTiles(): void;
  /** Shows the picture that the keyboard is at large. */
  open(): void;
}

export class Grid {
  readonly #box = byId('grid');
  readonly #space = el('div.space', { role: 'presentation' });
  readonly #actions: GridActions;
  readonly #tiles: Tiles;
  readonly selection = new Selection();
  readonly order: AlbumOrder;
  ids = new IdList();
  #view = restoreTileView(() => this.changeView());
  readonly #window: TileWindow;
  #layout: TileLayout = layOut(0, 0, this.#view.minSize, 0);
  #frame = 0;

  constructor(steps: Steps, actions: GridActions) {
    this.#actions = actions;
    this.#tiles = new Tiles(steps.outbox, () => this.update());
    this.#window = new TileWindow(this.#space, this.#tiles, this.#view);
    this.#box.append(this.#space);
    this.#box.addEventListener('scroll', () => this.#schedule(), { passive: true });
    this.#box.addEventListener('keydown', (event) => this.#press(event));
    this.order = new AlbumOrder(this, steps, actions);
    const drop = new AlbumDrop(this.#space, this.order, actions);
    let before: number[] = [];
    listenForPointers(this.#box, this.#space, {
      press: (index, how) => this.#click(index, how),
      open: (index) => this.#open(index),
      hold: (index) => this.#hold(index),
      startArea: (add) => {
        before = add ? this.selection.indexes() : [];
      },
      changeArea: (area) => {
        const found = indexesIn(this.#layout, area);
        this.selection.replace([...before, ...found], found[0]);
        this.#decorate();
      },
      endArea: () => actions.onSelect(),
      isMovable: (index) => this.selection.selected.has(index),
      startMove: () => drop.start(this.selection.selected.size),
      changeMove: (pointer, at) => drop.move(pointer, gapAt(this.#layout, at)),
      endMove: (pointer) => drop.end(pointer),
    });
    new ResizeObserver(() => this.#layOut()).observe(this.#box);
  }

  show(ids: IdList): void {
    this.ids = ids;
    this.selection.reset(ids.length);
    this.isSelecting = false;
    this.#window.clear(this.ids, this.#view);
    this.#box.scrollTop = 0;
    this.#layOut();
    this.#actions.onSelect();
  }

  /** About the same pictures in another order: what is selected stays, and so does what is in sight. */
  reorder(ids: IdList): void {
    const selected = new Set(this.selectedIds());
    const { focus } = this.selection;
    const focused = focus < 0 ? -1 : ids.indexOf(this.ids.at(focus));
    this.ids = ids;
    this.selection.reset(ids.length);
    const indexes = Array.from({ length: ids.length }, (_, index) => index);
    this.selection.replace(
      indexes.filter((index) => selected.has(ids.at(index))),
      focused < 0 ? focus : focused,
    );
    this.#window.clear(ids, this.#view);
    this.#layOut();
    this.reveal();
    this.#actions.onSelect();
  }

  /** The size of tiles or their captions have changed. */
  changeView(): void {
    const top = this.#box.scrollTop / this.#layout.rowHeight;
    const [index, shift] = [Math.floor(top) * this.#layout.columns, top % 1];
    this.#view = readTileView();
    this.#window.clear(this.ids, this.#view);
    this.#layOut();
    // The same pictures stay in sight.
    this.#box.scrollTop = placeOf(this.#layout, index).y + shift * this.#layout.rowHeight;
  }

  /** Whether a click or tap adds a picture to the selection, or takes it out. */
  get isSelecting(): boolean {
    return this.#box.classList.contains('selecting');
  }
  set isSelecting(isSelecting: boolean) {
    this.#box.classList.toggle('selecting', isSelecting);
  }

  /** Undefined until it has loaded. */
  tileAt(index: number): Tile | undefined {
    return this.#tiles.get(this.ids.at(index));
  }

  selectedIds(): string[] {
    return this.selection.indexes().map((index) => this.ids.at(index));
  }

  /** What the tiles say has changed. */
  refresh(ids?: Iterable<string>): void {
    this.#tiles.forget(ids);
    this.#window.refresh();
    this.#schedule();
  }

  /** More is known of them, or something waits to be saved. */
  update(): void {
    this.#decorate();
    this.#actions.onTiles();
  }

  focus(): void {
    this.#box.focus({ preventScroll: true });
  }

  /** Selects this picture alone. */
  goTo(index: number): void {
    this.#select(() => this.selection.only(index));
  }

  selectAll(): void {
    this.#select(() => this.selection.all());
  }

  clear(): void {
    this.isSelecting = false;
    this.#select(() => this.selection.selected.clear());
  }

  #select(change: () => void): void {
    change();
    if (this.selection.selected.size === 0) this.isSelecting = false;
    this.reveal();
    this.#decorate();
    this.#actions.onSelect();
  }

  #open(index: number): void {
    this.isSelecting = false;
    this.goTo(index);
    if (this.selection.focus >= 0) this.#actions.open();
  }

  #click(index: number, { isTouch, isToggle, isRange }: Press): void {
    const { selected } = this.selection;
    const isOnly = selected.size === 1 && selected.has(index);
    if (isRange) this.#select(() => this.selection.range(index, isToggle));
    else if (isToggle || this.isSelecting) this.#select(() => this.selection.toggle(index));
    else if (isTouch && isOnly) this.#actions.open();
    else this.goTo(index);
  }

  /** The first one starts to select several, the next one selects all between. */
  #hold(index: number): void {
    const isFirst = !this.isSelecting;
    this.isSelecting = true;
    this.#select(() => (isFirst ? this.selection.only(index) : this.selection.range(index, true)));
  }

  #press(event: KeyboardEvent): void {
    const step = stepOf(this.#layout, event.key, this.#box.clientHeight);
    const { selection } = this;
    if (step !== undefined && event.altKey) {
      // Otherwise it means something to the browser.
      if (this.order.moveBy(step)) event.preventDefault();
    } else if (step !== undefined) {
      event.preventDefault();
      // The first key goes to the first picture, unless it is one that goes further.
      const isFirst = selection.focus < 0 && event.key.startsWith('Arrow');
      const to = isFirst ? 0 : Math.max(0, selection.focus) + step;
      this.#select(() => {
        if (event.shiftKey) selection.range(to);
        else if (event.ctrlKey || event.metaKey) selection.moveTo(to);
        else selection.only(to);
      });
    } else if (event.key === ' ' || event.key === 'Enter') {
      event.preventDefault();
      this.#open(selection.focus);
    } else if (event.key === 'x' && !event.ctrlKey && !event.metaKey)
      this.#select(() => selection.toggle(selection.focus));
  }

  #layOut(): void {
    const { width } = this.#space.getBoundingClientRect();
    if (width === 0) return;
    this.#layout = layOut(this.ids.length, width, this.#view.minSize, this.#view.captionHeight);
    this.#box.style.setProperty('--caption', `${this.#view.captionHeight}px`);
    this.#space.style.height = `${heightOf(this.#layout)}px`;
    this.#window.place(this.#layout);
    this.#render();
  }

  #schedule(): void {
    this.#frame ||= requestAnimationFrame(() => this.#render());
  }

  #render(): void {
    this.#frame = 0;
    const { scrollTop, clientHeight } = this.#box;
    this.#window.render(this.#layout, scrollTop, clientHeight);
    this.#decorate();
  }

  #decorate(): void {
    this.#window.decorate(this.selection, this.#view.caption);
    const { focus } = this.selection;
    if (this.#window.has(focus)) this.#box.setAttribute('aria-activedescendant', `tile-${focus}`);
    else this.#box.removeAttribute('aria-activedescendant');
  }

  /** Scrolls to the picture that the keyboard is at. */
  reveal(): void {
    const { focus } = this.selection;
    if (focus < 0) return;
    const { rowHeight } = this.#layout;
    const top = placeOf(this.#layout, focus).y;
    const { scrollTop, clientHeight } = this.#box;
    if (top < scrollTop) this.#box.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.#box.scrollTop = top + rowHeight - clientHeight;
    this.#render();
  }
}
