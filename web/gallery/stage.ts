/** The picture in the viewer: fits the stage, or is enlarged and moved. */
import { el, prefersReducedMotion } from '../dom.ts';
import { isSwipe, locateIn, trackGestures, wheelFactor } from '../gestures.ts';
import {
  fitted,
  initialZoom,
  moveBy,
  type Point,
  type Room,
  reach,
  toggle,
  type Zoom,
  zoomBy,
} from '../zoom.ts';

/** Small pictures are enlarged up to this much. */
const MAX_FITTED_SCALE = 1.5;

export interface Shown {
  picture: HTMLImageElement;
  frame: HTMLElement;
  /** The address of the file itself, once the page of the picture is there. Of an animation, it would move. */
  original?: string;
  zoom: Zoom;
  /** How it was shown at first. */
  initialScale: number;
}

export type Stage = ReturnType<typeof createStage>;

/** `zoomButton` says whether the picture is enlarged. */
export function createStage(stage: HTMLElement, zoomButton: HTMLButtonElement) {
  let shown: Shown | undefined;
  let swipe: Point = { x: 0, y: 0 };

  const clear = (...content: Node[]) => {
    shown = undefined;
    zoomButton.disabled = true;
    zoomButton.setAttribute('aria-pressed', 'false');
    stage.classList.remove('movable');
    stage.replaceChildren(...content);
  };

  /** With `isFading`, the last picture makes room slowly. */
  const show = (
    source: HTMLImageElement,
    ground: Element | null,
    isClear: boolean,
    isFading: boolean,
  ): Shown => {
    const last = isFading && !prefersReducedMotion() ? shown?.frame : undefined;
    clear();
    if (last) {
      last.classList.add('leaving');
      last.addEventListener('animationend', () => last.remove());
      stage.append(last);
    }
    const picture = el('img', {
      ...{ width: source.width, height: source.height, alt: source.alt, draggable: 'false' },
    });
    const frame = el(
      'div',
      { class: isClear ? 'frame clear' : 'frame' },
      ...(ground ? [ground] : []),
      picture,
    );
    const [width, height] = sizeOf(source);
    frame.style.setProperty('--ratio', String(width / height));
    frame.style.setProperty('--max-width', `${width * MAX_FITTED_SCALE}px`);
    stage.prepend(frame);
    const created: Shown = { picture, frame, zoom: fitted, initialScale: 1 };
    shown = created;
    zoomButton.disabled = false;
    picture.sizes = `${Math.ceil(frame.clientWidth)}px`;
    useSources(picture, source);
    changeZoom((_, room) => initialZoom(room));
    created.initialScale = created.zoom.scale;
    return created;
  };

  const changeZoom = (change: (zoom: Zoom, room: Room) => Zoom) => {
    if (!shown || shown.frame.clientWidth === 0) return;
    const room = measureRoom(shown);
    const zoom = change(shown.zoom, room);
    shown.zoom = zoom;
    const { frame, picture, original } = shown;
    const { x, y } = reach(zoom, room);
    frame.style.transform =
      zoom.scale === 1 ? '' : `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})`;
    stage.classList.toggle('movable', x + y > 0);
    zoomButton.setAttribute('aria-pressed', String(zoom.scale > 1));
    const width = room.frame.width * zoom.scale;
    if (width > Number.parseFloat(picture.sizes)) picture.sizes = `${Math.ceil(width)}px`;
    const widest = Number(/ (\d+)w$/.exec(picture.srcset)?.[1] ?? Number.POSITIVE_INFINITY);
    if (original && zoom.scale > 1 && width * devicePixelRatio > widest) {
      // What was loaded before stays until then.
      picture.removeAttribute('srcset');
      picture.src = original;
    }
  };

  const measureRoom = ({ frame, picture }: Shown): Room => {
    // Other properties are rounded, which matters for narrow strips, or contain the scale.
    const { width, height } = getComputedStyle(frame);
    const [originalWidth, originalHeight] = sizeOf(picture);
    return {
      frame: { width: Number.parseFloat(width), height: Number.parseFloat(height) },
      stage: { width: stage.clientWidth, height: stage.clientHeight },
      original: { width: originalWidth, height: originalHeight },
    };
  };

  const move = (dx: number, dy: number) => changeZoom((zoom, room) => moveBy(zoom, dx, dy, room));
  new ResizeObserver(() => move(0, 0)).observe(stage);

  return {
    element: stage,
    clear,
    show,
    move,
    enlarge: (factor: number, at: Point) => changeZoom((zoom, room) => zoomBy(zoom, factor, at, room)),
    toggle: (at: Point) => changeZoom((zoom, room) => toggle(zoom, at, room)),
    fit: () => changeZoom(() => fitted),
    isFitted: () => shown?.zoom.scale === 1,
    /** Whether the visitor has enlarged it. */
    isEnlarged: () => shown !== undefined && shown.zoom.scale > shown.initialScale,
    /** How far the picture can be moved in each direction. */
    reach: (): Point => (shown ? reach(shown.zoom, measureRoom(shown)) : { x: 0, y: 0 }),
    /** Lets the picture follow a finger that swipes. Upwards, there is nothing to follow. */
    swipe(dx: number, dy: number) {
      swipe = { x: swipe.x + dx, y: Math.max(0, swipe.y + dy) };
      if (shown) shown.frame.style.translate = `${swipe.x}px ${swipe.y}px`;
    },
    endSwipe() {
      swipe = { x: 0, y: 0 };
      if (shown) shown.frame.style.translate = '';
    },
    /** Loads the file that a picture will need, so that it is there at once. */
    preload(source: HTMLImageElement) {
      const [width, height] = sizeOf(source);
      const fitting = Math.min(
        stage.clientWidth,
        (stage.clientHeight * width) / height,
        width * MAX_FITTED_SCALE,
      );
      const picture = el('img');
      picture.sizes = `${Math.ceil(fitting)}px`;
      useSources(picture, source);
    },
  };
}

/** Those of the file itself: the server writes them into the page. */
const sizeOf = (picture: HTMLImageElement): [width: number, height: number] => [
  Number(picture.getAttribute('width')) || 1,
  Number(picture.getAttribute('height')) || 1,
];

/** The files of another element, which may have been released. Setting the same again would load it again. */
export function useSources(picture: HTMLImageElement, source: HTMLImageElement): void {
  for (const name of ['srcset', 'src']) {
    const value = source.getAttribute(name) ?? source.getAttribute(`data-${name}`);
    if (value && value !== picture.getAttribute(name)) picture.setAttribute(name, value);
  }
}

// Zooms, moves and swipes the picture in the viewer with the mouse, fingers and keys.

export interface StageActions {
  step(by: 1 | -1): void;
  close(): void;
  toggleControls(): void;
}

const KEY_FACTOR = 1.5;
const KEY_STEP_PX = 80;
/** How much of the picture stays in view when a swipe upwards shows the properties below it. */
const PICTURE_SHARE = 0.35;
const centre = { x: 0, y: 0 };

/** `viewer` scrolls on small screens. Returns what handles a key, which tells whether it did something. */
export function initStageInput(
  viewer: HTMLElement,
  stage: Stage,
  { step, close, toggleControls }: StageActions,
): (key: string) => boolean {
  const { element } = stage;
  /** Returns how much further the finger went than that. */
  const scrollBy = (dy: number) => {
    const before = viewer.scrollTop;
    viewer.scrollTop -= dy;
    return dy - (before - viewer.scrollTop);
  };
  /** After a swipe: to the whole picture, or to the properties. */
  const settleScroll = (isUpwards: boolean) => {
    const propertiesTop = element.clientHeight - viewer.clientHeight * PICTURE_SHARE;
    const top = isUpwards ? 0 : Math.max(viewer.scrollTop, propertiesTop);
    viewer.scrollTo({ top, behavior: prefersReducedMotion() ? 'auto' : 'smooth' });
  };
  let isTouch = false;
  let scrolledFrom = 0;
  element.addEventListener('pointerdown', ({ pointerType, isPrimary }) => {
    isTouch = pointerType === 'touch';
    if (isPrimary) scrolledFrom = viewer.scrollTop;
  });
  const hasMoved = trackGestures(element, {
    move(dx, dy, factor, at) {
      element.classList.add('dragged');
      if (factor !== 1) stage.enlarge(factor, at);
      const { x, y } = stage.reach();
      stage.move(dx, dy);
      const rest = y === 0 && factor === 1 ? scrollBy(dy) : 0;
      stage.swipe(x === 0 ? dx : 0, rest);
    },
    end(dx, dy) {
      element.classList.remove('dragged');
      stage.endSwipe();
      const { x, y } = stage.reach();
      const isSteep = isSwipe(dy, dx);
      if (isSwipe(dx, dy) && x === 0) step(dx < 0 ? 1 : -1);
      else if (isSteep && y === 0 && dy > 0 && scrolledFrom === 0) close();
      else if (viewer.scrollTop !== scrolledFrom) settleScroll(isSteep ? dy > 0 : scrolledFrom === 0);
    },
    doubleTap: stage.toggle,
  });
  element.addEventListener('click', ({ target }) => {
    if (hasMoved() || (target as Element).closest('button, a')) return;
    if (isTouch) toggleControls();
    else if (target === element) close();
  });
  element.addEventListener('wheel', (event) => turnWheel(stage, event), { passive: false });
  return (key) => pressKey(stage, key);
}

function turnWheel(stage: Stage, event: WheelEvent): void {
  // A fitted picture cannot get smaller. On small screens the dialog scrolls then.
  if (stage.isFitted() && event.deltaY > 0 && !event.ctrlKey) return;
  event.preventDefault();
  stage.enlarge(wheelFactor(event), locateIn(stage.element, event));
}

/** Arrows do something if the picture can be moved that way. */
function pressKey(stage: Stage, key: string): boolean {
  const { x, y } = stage.reach();
  if (key === '+' || key === '=') stage.enlarge(KEY_FACTOR, centre);
  else if (key === '-') stage.enlarge(1 / KEY_FACTOR, centre);
  else if (key === '0') stage.fit();
  else if (key === 'ArrowLeft' && x > 0) stage.move(KEY_STEP_PX, 0);
  else if (key === 'ArrowRight' && x > 0) stage.move(-KEY_STEP_PX, 0);
  else if (key === 'ArrowUp' && y > 0) stage.move(0, KEY_STEP_PX);
  else if (key === 'ArrowDown' && y > 0) stage.move(0, -KEY_STEP_PX);
  else return false;
  return true;
}
