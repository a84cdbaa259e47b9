/** The image in the dialog: fits the stage, or is enlarged and moved. */
import { blurUnlessSafe } from './blur.ts';
import { byId, el, prefersReducedMotion } from './dom.ts';
import { Picture } from './picture.ts';
import { createPlayButton } from './play-button.ts';
import { dialogSources, originalSource, stillSources } from './sources.ts';
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
  /** False while the image is blurred. */
  canZoom: boolean;
}

const [stage, button] = [byId('stage'), byId<HTMLButtonElement>('zoom')];
let shown: Shown | undefined;
let swipeOffset = 0;
new ResizeObserver(() => {
  if (!shown || shown.frame.clientWidth === 0) return;
  shown.picture.fit(shown.frame.clientWidth);
  moveZoom(0, 0);
}).observe(stage);

export function clearStage(): void {
  shown = undefined;
  button.disabled = true;
  button.setAttribute('aria-pressed', 'false');
  stage.classList.remove('movable');
  stage.replaceChildren();
}

/** The dialog must be open, because the size of the stage matters. */
export function showOnStage(image: GalleryImage): void {
  clearStage();
  const { dimens, animated = false, color } = image.meta;
  const isPlaying = animated && !prefersReducedMotion();
  const still = animated ? stillSources : dialogSources;
  const picture = new Picture(image, describeImage(image), isPlaying ? originalSource : still);
  const content = el('div', { class: 'picture', tabindex: '-1' }, ...picture.elements);
  const frame = el('div', { class: 'frame' }, content);
  frame.style.backgroundColor = color;
  frame.style.aspectRatio = `${dimens.width} / ${dimens.height}`;
  frame.style.setProperty('--ratio', String(dimens.width / dimens.height));
  frame.style.setProperty('--width', `${dimens.width}px`);
  stage.append(frame);
  const target: Shown = { image, frame, picture, zoom: fitted, canZoom: false };
  shown = target;
  blurUnlessSafe(frame, image, () => {
    target.canZoom = true;
    button.disabled = false;
    if (animated) stage.append(createPlayButton(picture, isPlaying));
    picture.fit(frame.clientWidth);
    picture.load();
    changeZoom((_, room) => initialZoom(room));
  });
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

/** How far the picture can be moved in each direction. */
export function currentReach(): Point {
  return shown ? reach(shown.zoom, measureRoom(shown)) : { x: 0, y: 0 };
}

/** Lets the picture follow a finger that swipes. */
export function showSwipe(dx: number): void {
  swipeOffset += dx;
  if (shown) shown.frame.style.translate = `${swipeOffset}px`;
}

export function endSwipe(): void {
  swipeOffset = 0;
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
  if (zoom.scale === 1) return;
  const width = room.frame.width * zoom.scale;
  picture.fit(width);
  // The original of an animation would move.
  const largest = dialogSources(image).at(-1)?.width ?? 0;
  if (!image.meta.animated && width * devicePixelRatio > largest) picture.use(originalSource);
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
