/** Shows the picture that the keyboard is at large, in place of the grid, with its fields next to it. */
import { byId, el } from '../../dom.ts';
import { readSetting, saveSetting } from '../../storage.ts';
import type { Grid } from '../grid/grid.ts';
import { formatNumber } from '../shared/notices.ts';
import { pictureAddress } from '../shared/picture.ts';
import type { Shortcuts } from '../shared/shortcuts.ts';
import { LoupeStage } from './stage.ts';

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
