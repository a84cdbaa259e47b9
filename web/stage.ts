/** The image in the dialog: fits the stage, or is enlarged and moved. */
import { blurUnlessSafe, isBlurred } from './blur.ts';
import { byId, el, prefersReducedMotion } from './dom.ts';
import { Picture } from './picture.ts';
import { createPlayButton } from './play-button.ts';
import { dialogSources, isModest, originalSource, stillSources } from './sources.ts';
import { describeImage } from './text.ts';
import type { GalleryImage } from './types.ts';
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
} from './zoom.ts';

interface Shown {
  image: GalleryImage;
  frame: HTMLElement;
  picture: Picture;
  zoom: Zoom;
  /** How it was shown at first. */
  initialScale: number;
  /** False while the image is blurred. */
  canZoom: boolean;
}

/** Small pictures are enlarged up to this much. */
const MAX_FITTED_SCALE = 1.5;
/** From here on, a thumbnail that is enlarged looks blurred, so the original follows it. */
const MAX_THUMBNAIL_SCALE = 1.25;

const [stage, button] = [byId('stage'), byId<HTMLButtonElement>('zoom')];
let shown: Shown | undefined;
let swipe: Point = { x: 0, y: 0 };
new ResizeObserver(() => {
  if (!shown || shown.frame.clientWidth === 0) return;
  moveZoom(0, 0);
}).observe(stage);

/** The rest of the dialog may show something else on the stage. */
export function clearStage(...content: Node[]): void {
  shown = undefined;
  button.disabled = true;
  button.setAttribute('aria-pressed', 'false');
  stage.classList.remove('movable');
  stage.replaceChildren(...content);
}

/** The dialog must be open, because the size of the stage matters. With `isFading`, the last image makes room slowly. */
export function showOnStage(image: GalleryImage, isFading: boolean): void {
  const last = isFading && !prefersReducedMotion() ? stage.querySelector<HTMLElement>('.frame') : null;
  clearStage();
  if (last) {
    last.classList.add('leaving');
    last.inert = true;
    last.addEventListener('animationend', () => last.remove());
    stage.append(last);
  }
  const { dimens, animated = false, color } = image.meta;
  const isPlaying = animated && !prefersReducedMotion();
  const still = animated ? stillSources : dialogSources;
  const picture = new Picture(image, describeImage(image), isPlaying ? originalSource : still);
  const content = el('div', { class: 'picture', tabindex: '-1' }, ...picture.elements);
  const frame = el('div', { class: 'frame' }, content);
  // Load events do not bubble.
  frame.addEventListener('load', () => moveZoom(0, 0), true);
  frame.style.backgroundColor = color;
  frame.style.aspectRatio = `${dimens.width} / ${dimens.height}`;
  frame.style.setProperty('--ratio', String(dimens.width / dimens.height));
  frame.style.setProperty('--max-width', `${dimens.width * MAX_FITTED_SCALE}px`);
  stage.prepend(frame);
  const target: Shown = { image, frame, picture, zoom: fitted, initialScale: 1, canZoom: false };
  shown = target;
  blurUnlessSafe(frame, image, () => {
    target.canZoom = true;
    button.disabled = false;
    if (animated) stage.append(createPlayButton(picture, isPlaying));
    picture.load();
    changeZoom((_, room) => initialZoom(room));
    target.initialScale = target.zoom.scale;
  });
}

/** Loads the file that an image will need on the stage, so that it is there at once. Animations may be large. */
export function preload(image: GalleryImage): void {
  if (image.meta.animated || isBlurred(image)) return;
  const { width, height } = image.meta.dimens;
  const picture = new Picture(image, '', dialogSources);
  picture.fit(Math.min(stage.clientWidth, (stage.clientHeight * width) / height, width * MAX_FITTED_SCALE));
  picture.load();
}

export function enlarge(factor: number, at: Point): void {
  changeZoom((zoom, room) => zoomBy(zoom, factor, at, room));
}

export function moveZoom(dx: number, dy: number): void {
  changeZoom((zoom, room) => moveBy(zoom, dx, dy, room));
}

export function toggleZoom(at: Point): void {
  changeZoom((zoom, room) => toggle(zoom, at, room));
}

export function fitToStage(): void {
  changeZoom(() => fitted);
}

export function isFitted(): boolean {
  return shown?.zoom.scale === 1;
}

/** Whether the visitor has enlarged it. */
export function isEnlarged(): boolean {
  return shown !== undefined && shown.zoom.scale > shown.initialScale;
}

/** How far the picture can be moved in each direction. */
export function currentReach(): Point {
  return shown ? reach(shown.zoom, measureRoom(shown)) : { x: 0, y: 0 };
}

/** Lets the picture follow a finger that swipes. */
export function showSwipe(dx: number, dy: number): void {
  // Upwards, there is nothing to follow.
  swipe = { x: swipe.x + dx, y: Math.max(0, swipe.y + dy) };
  if (shown) shown.frame.style.translate = `${swipe.x}px ${swipe.y}px`;
}

export function endSwipe(): void {
  swipe = { x: 0, y: 0 };
  if (shown) shown.frame.style.translate = '';
}

function changeZoom(change: (zoom: Zoom, room: Room) => Zoom): void {
  if (!shown?.canZoom) return;
  const room = measureRoom(shown);
  const zoom = change(shown.zoom, room);
  shown.zoom = zoom;
  const { frame, picture, image } = shown;
  const { x, y } = reach(zoom, room);
  frame.style.transform = zoom.scale === 1 ? '' : `translate(${zoom.x}px, ${zoom.y}px) scale(${zoom.scale})`;
  stage.classList.toggle('movable', x + y > 0);
  button.setAttribute('aria-pressed', String(zoom.scale > 1));
  const width = room.frame.width * zoom.scale;
  picture.fit(width);
  // The original of an animation would move.
  if (image.meta.animated) return;
  const missing = (width * devicePixelRatio) / (dialogSources(image).at(-1)?.width ?? 1);
  const isCoarse = missing > MAX_THUMBNAIL_SCALE && picture.isLoaded && isModest(image);
  if (zoom.scale > 1 ? missing > 1 : isCoarse) picture.use(originalSource);
}

function measureRoom({ frame, image }: Shown): Room {
  // Other properties are rounded, which matters for narrow strips, or contain the scale.
  const { width, height } = getComputedStyle(frame);
  return {
    frame: { width: Number.parseFloat(width), height: Number.parseFloat(height) },
    stage: { width: stage.clientWidth, height: stage.clientHeight },
    original: image.meta.dimens,
  };
}
