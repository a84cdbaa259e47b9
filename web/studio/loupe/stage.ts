/** One picture that fits the stage, or is enlarged and moved, with the mouse, the wheel, fingers and keys. */
import { el } from '../../dom.ts';
import { isSwipe, locateIn, trackGestures, wheelFactor } from '../../gestures.ts';
import { fitted, moveBy, type Point, type Room, reach, type Size, type Zoom, zoomBy } from '../../zoom.ts';

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

export class LoupeStage {
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
