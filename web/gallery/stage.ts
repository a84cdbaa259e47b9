/** The picture in the viewer: fits the stage, or is enlarged and moved. */
import { el, prefersReducedMotion } from '../dom.ts';
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
