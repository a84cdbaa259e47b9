/** Shows the picture that the keyboard is at large, in place of the grid, with its fields next to it. */
import { byId, el } from '../../dom.ts';
import { isSwipe, locateIn, trackGestures, wheelFactor } from '../../gestures.ts';
import { readSetting, saveSetting } from '../../storage.ts';
import { fitted, moveBy, type Point, type Room, reach, type Size, type Zoom, zoomBy } from '../../zoom.ts';
import type { Grid } from '../grid/grid.ts';
import { formatNumber } from '../shared/notices.ts';
import { pictureAddress } from '../shared/picture.ts';
import type { Shortcuts } from '../shared/shortcuts.ts';

const PREVIEW_SIZE = 256;
const MAX_SIZE = 4096;
const SIZES = [1024, 2048];
/** Those around the picture are loaded too, the next ones first. */
const AHEAD = [1, 2, -1];
const ADVANCES = 'studio-advances';

export class Loupe {
  readonly #box = byId('loupe');
  readonly #grid: Grid;
  readonly #onToggle: () => void;
  readonly #stage: LoupeStage;
  readonly #advances = byId<HTMLInputElement>('advances');
  /** Whether the browser is about to go back to before the loupe was opened. */
  #isLeaving = false;
  /** By address, so that what is loaded already stays. */
  #ahead = new Map<string, HTMLImageElement>();

  /** `onToggle` is called when the loupe was opened or closed. */
  constructor(grid: Grid, onToggle: () => void) {
    this.#grid = grid;
    this.#onToggle = onToggle;
    const zoom = byId('loupe-zoom');
    this.#stage = new LoupeStage(byId('stage'), {
      step: (by) => this.step(by),
      onZoom: (share, isFitted) => {
        zoom.textContent = `${Math.round(100 * share)} %`;
        zoom.setAttribute('aria-pressed', String(!isFitted));
      },
    });
    zoom.addEventListener('click', () => this.#stage.toggle({ x: 0, y: 0 }));
    byId('loupe-close').addEventListener('click', () => this.close());
    byId('loupe-previous').addEventListener('click', () => this.step(-1));
    byId('loupe-next').addEventListener('click', () => this.step(1));
    // A reload closes it.
    if (history.state?.isLoupe) history.replaceState(null, '');
    addEventListener('popstate', () => this.#onPop());
    this.#advances.checked = readSetting(ADVANCES) !== 'no';
    this.#advances.addEventListener('change', () =>
      saveSetting(ADVANCES, this.#advances.checked ? 'yes' : 'no'),
    );
  }

  /** Those of the keys that mean something else in the grid. */
  get shortcuts(): Shortcuts {
    const whenOpen = (act: () => void) => () => this.isOpen && act();
    return {
      ' ': whenOpen(() => this.close()),
      Enter: whenOpen(() => this.close()),
      ArrowLeft: whenOpen(() => this.step(-1)),
      ArrowUp: whenOpen(() => this.step(-1)),
      ArrowRight: whenOpen(() => this.step(1)),
      ArrowDown: whenOpen(() => this.step(1)),
      Home: whenOpen(() => this.step(-this.#grid.ids.length)),
      End: whenOpen(() => this.step(this.#grid.ids.length)),
    };
  }

  get isOpen(): boolean {
    return !this.#box.hidden;
  }

  /** Whether the next picture follows one that was rated. */
  get advances(): boolean {
    return this.#advances.checked;
  }

  /** The Back of the browser closes it. */
  open(): void {
    this.#show();
    if (!this.#isLeaving && !history.state?.isLoupe) history.pushState({ isLoupe: true }, '');
  }

  /** The picture stays selected and gets the focus. */
  close(): void {
    this.#hide();
    if (!history.state?.isLoupe || this.#isLeaving) return;
    this.#isLeaving = true;
    history.back();
  }

  #onPop(): void {
    const wasLeaving = this.#isLeaving;
    this.#isLeaving = false;
    // It was opened again before the browser went back.
    if (wasLeaving && this.isOpen) history.pushState({ isLoupe: true }, '');
    else if (history.state?.isLoupe && this.#grid.selection.focus >= 0) this.#show();
    else if (this.isOpen) this.#hide();
    // Chromium clears the focus after the first traversal to an address with a fragment.
    if (wasLeaving) setTimeout(() => this.#keepFocus());
  }

  #keepFocus(): void {
    if (document.activeElement === document.body) (this.isOpen ? this : this.#grid).focus();
  }

  #show(): void {
    this.#box.hidden = false;
    byId('pictures').inert = true;
    this.#onToggle();
    this.update();
    this.focus();
  }

  #hide(): void {
    this.#box.hidden = true;
    byId('pictures').inert = false;
    this.#stage.clear();
    this.#ahead.clear();
    this.#onToggle();
    this.#grid.focus();
  }

  focus(): void {
    this.#box.focus({ preventScroll: true });
  }

  zoom(): void {
    this.#stage.toggle();
  }

  step(by: number): void {
    const { ids, selection } = this.#grid;
    const to = Math.max(0, Math.min(selection.focus + by, ids.length - 1));
    if (to !== selection.focus) this.#grid.goTo(to);
  }

  /** Another picture, or more is known of this one. */
  update(): void {
    const { ids, selection } = this.#grid;
    const { focus } = selection;
    if (!this.isOpen || focus < 0) return;
    const id = ids.at(focus);
    const tile = this.#grid.tileAt(focus);
    const label = tile ? `${tile.label}, ${tile.rating}` : 'Picture';
    byId('loupe-title').textContent = label;
    byId('loupe-place').textContent = `${formatNumber(focus + 1)} of ${formatNumber(ids.length)}`;
    byId<HTMLButtonElement>('loupe-previous').disabled = focus === 0;
    byId<HTMLButtonElement>('loupe-next').disabled = focus === ids.length - 1;
    byId<HTMLAnchorElement>('loupe-original').href = pictureAddress(id);
    this.#stage.show({
      label,
      size: tile && { width: tile.width, height: tile.height },
      small: pictureAddress(id, PREVIEW_SIZE),
      fitting: this.#fitting(id),
      original: pictureAddress(id),
    });
    this.#loadAhead();
  }

  #loadAhead(): void {
    const { ids, selection } = this.#grid;
    const indexes = AHEAD.map((by) => selection.focus + by).filter((at) => at >= 0 && at < ids.length);
    const addresses = indexes.map((index) => this.#fitting(ids.at(index)));
    const before = this.#ahead;
    this.#ahead = new Map(
      addresses.map((src) => [src, before.get(src) ?? el('img', { src, alt: '', fetchpriority: 'low' })]),
    );
    // After several quick steps, cancel loading the pictures that were passed.
    for (const [address, image] of before) if (!this.#ahead.has(address)) image.removeAttribute('src');
  }

  /** A version that fills the stage. In large steps, so that one that was loaded ahead fits after the panel was opened. */
  #fitting(id: string): string {
    const { clientWidth, clientHeight } = byId('stage');
    const pixels = Math.max(clientWidth, clientHeight) * devicePixelRatio;
    const size = SIZES.find((size) => size >= pixels) ?? MAX_SIZE;
    return pictureAddress(id, size);
  }
}

// One picture that fits the stage, or is enlarged and moved, with the mouse, the wheel, fingers and keys.

interface StageActions {
  step(by: 1 | -1): void;
  /** How many pixels of the screen a pixel of the file has. */
  onZoom(share: number, isFitted: boolean): void;
}

interface StagePicture {
  label: string;
  /** Undefined until it is known. */
  size: Size | undefined;
  /** One that is probably in the cache, one that fits the stage, and the file itself. */
  small: string;
  fitting: string;
  original: string;
}

/** A picture that has its full size already is doubled. */
const MIN_CLOSE_UP = 1.1;
const CLOSE_UP = 2;
const centre: Point = { x: 0, y: 0 };

class LoupeStage {
  readonly #stage: HTMLElement;
  readonly #actions: StageActions;
  readonly #frame = el('div.frame');
  /** What is shown until the other one has loaded. */
  #preview = el('img', { alt: '' });
  #image = el('img', { alt: '' });
  #picture: StagePicture | undefined;
  #zoom: Zoom = fitted;
  #pointer = centre;
  #swiped = 0;

  constructor(stage: HTMLElement, actions: StageActions) {
    this.#stage = stage;
    this.#actions = actions;
    stage.append(this.#frame);
    new ResizeObserver(() => this.#fit()).observe(stage);
    stage.addEventListener('wheel', (event) => this.#turnWheel(event), { passive: false });
    stage.addEventListener('pointermove', (event) => {
      this.#pointer = locateIn(stage, event);
    });
    stage.addEventListener('pointerleave', () => {
      this.#pointer = centre;
    });
    trackGestures(stage, {
      move: (dx, dy, factor, at) => this.#drag(dx, dy, factor, at),
      end: (dx, dy) => this.#endDrag(dx, dy),
      doubleTap: (at) => this.toggle(at),
    });
  }

  /** The same picture keeps its zoom: only what is known of it changes. */
  show(picture: StagePicture): void {
    const isSame = this.#picture?.original === picture.original;
    this.#picture = picture;
    if (!isSame) {
      this.#zoom = fitted;
      this.#load(picture.small, picture.fitting);
    }
    this.#image.alt = picture.label;
    this.#fit();
  }

  clear(): void {
    this.#picture = undefined;
    this.#stopLoading();
    this.#frame.replaceChildren();
  }

  /** New elements, because the old ones would go on showing the picture before. */
  #load(preview: string, address: string): void {
    this.#stopLoading();
    this.#stage.classList.remove('broken');
    const load = () => this.#fit();
    this.#preview = el('img', { src: preview, alt: '', draggable: 'false', load });
    this.#image = el('img', {
      src: address,
      alt: this.#picture?.label ?? '',
      draggable: 'false',
      load,
      error: () => this.#stage.classList.add('broken'),
    });
    this.#frame.replaceChildren(this.#preview, this.#image);
  }

  #stopLoading(): void {
    for (const image of [this.#preview, this.#image]) image.removeAttribute('src');
  }

  /** To 100 % at the point, or back. */
  toggle(at: Point = this.#pointer): void {
    this.#change((zoom, room) => {
      if (zoom.scale > 1) return fitted;
      const full = room.original.width / devicePixelRatio / room.frame.width;
      return zoomBy(fitted, full < MIN_CLOSE_UP ? CLOSE_UP : full, at, room);
    });
  }

  #drag(dx: number, dy: number, factor: number, at: Point): void {
    this.#stage.classList.add('dragged');
    const canSwipe = this.#reach().x === 0;
    this.#change((zoom, room) => moveBy(zoomBy(zoom, factor, at, room), dx, dy, room));
    if (!canSwipe) return;
    this.#swiped += dx;
    this.#frame.style.translate = `${this.#swiped}px`;
  }

  #endDrag(dx: number, dy: number): void {
    this.#stage.classList.remove('dragged');
    this.#swiped = 0;
    this.#frame.style.translate = '';
    if (isSwipe(dx, dy) && this.#reach().x === 0) this.#actions.step(dx < 0 ? 1 : -1);
  }

  #turnWheel(event: WheelEvent): void {
    event.preventDefault();
    this.#change((zoom, room) => zoomBy(zoom, wheelFactor(event), locateIn(this.#stage, event), room));
  }

  /** Lays the picture out again, as far as its size is known. */
  #fit(): void {
    this.#change((zoom, room) => moveBy(zoom, 0, 0, room));
  }

  #reach(): Point {
    const room = this.#room();
    return room ? reach(this.#zoom, room) : centre;
  }

  #change(change: (zoom: Zoom, room: Room) => Zoom): void {
    const room = this.#room();
    this.#frame.hidden = room === undefined;
    if (!room || !this.#picture) return;
    this.#zoom = change(this.#zoom, room);
    const { scale, x, y } = this.#zoom;
    const { frame, original } = room;
    this.#frame.style.width = `${frame.width}px`;
    this.#frame.style.height = `${frame.height}px`;
    this.#frame.style.transform = scale === 1 ? '' : `translate(${x}px, ${y}px) scale(${scale})`;
    const most = reach(this.#zoom, room);
    this.#stage.classList.toggle('movable', most.x + most.y > 0);
    // The one that fits stays in sight until the file has loaded.
    if (scale > 1 && this.#image.getAttribute('src') !== this.#picture.original)
      this.#load(this.#picture.fitting, this.#picture.original);
    this.#actions.onZoom((scale * frame.width * devicePixelRatio) / original.width, scale === 1);
  }

  /** Undefined as long as the size of the picture is unknown. */
  #room(): Room | undefined {
    const stage = { width: this.#stage.clientWidth, height: this.#stage.clientHeight };
    const original = this.#picture?.size ?? naturalSize(this.#image) ?? naturalSize(this.#preview);
    if (!original || stage.width === 0 || !this.#picture) return undefined;
    const share = Math.min(stage.width / original.width, stage.height / original.height, 1);
    const frame = { width: original.width * share, height: original.height * share };
    return { stage, frame, original };
  }
}

function naturalSize({ naturalWidth, naturalHeight }: HTMLImageElement): Size | undefined {
  return naturalWidth > 0 ? { width: naturalWidth, height: naturalHeight } : undefined;
}
