/** The image in the dialog: fits the stage, or is zoomed to its full size, which loads the original. */
import { blurUnlessSafe } from './blur.ts';
import { byId, el } from './dom.ts';
import { Picture } from './picture.ts';
import { dialogSources } from './sources.ts';
import type { GalleryImage } from './types.ts';

const [stage, button] = [byId('stage'), byId<HTMLButtonElement>('zoom')];
let toggleZoom: ((x: number, y: number) => void) | undefined;

export function initZoom(): void {
  button.addEventListener('click', () => toggleZoom?.(0.5, 0.5));
}

export function clearStage(): void {
  toggleZoom = undefined;
  button.disabled = true;
  setZoomed(false);
  stage.replaceChildren();
}

export function showOnStage(image: GalleryImage): void {
  clearStage();
  const { width, height } = image.meta.dimens;
  const picture = new Picture(image, dialogSources);
  const content = el('div', { class: 'picture', tabindex: '-1' }, ...picture.elements);
  const frame = el('div', { class: 'frame' }, content);
  frame.style.backgroundColor = image.meta.color;
  frame.style.aspectRatio = `${width} / ${height}`;
  frame.style.setProperty('--ratio', String(width / height));
  frame.style.setProperty('--width', `${width}px`);
  stage.append(frame);

  const zoom = (x: number, y: number) => {
    const isZoomed = !isZoomedIn();
    setZoomed(isZoomed);
    if (isZoomed) picture.showOriginal();
    stage.scrollTo(
      x * frame.offsetWidth - stage.clientWidth / 2,
      y * frame.offsetHeight - stage.clientHeight / 2,
    );
  };
  content.addEventListener('click', ({ offsetX, offsetY }) => {
    toggleZoom?.(offsetX / frame.offsetWidth, offsetY / frame.offsetHeight);
  });
  let isShown = false;
  const update = () => {
    if (frame.clientWidth === 0) return;
    picture.fit(frame.clientWidth);
    const canZoom = isShown && (isZoomedIn() || width > frame.clientWidth);
    toggleZoom = canZoom ? zoom : undefined;
    button.disabled = !canZoom;
    frame.classList.toggle('zoomable', canZoom);
  };
  blurUnlessSafe(frame, image, () => {
    isShown = true;
    picture.load();
    update();
  });
  new ResizeObserver(update).observe(frame);
}

export function isZoomedIn(): boolean {
  return stage.classList.contains('zoomed');
}

/** While it is zoomed in, the stage scrolls, also with the keyboard. */
function setZoomed(isZoomed: boolean): void {
  stage.classList.toggle('zoomed', isZoomed);
  button.setAttribute('aria-pressed', String(isZoomed));
  if (isZoomed) stage.tabIndex = 0;
  else stage.removeAttribute('tabindex');
}
