/** Zooms, moves and swipes the picture in the viewer with the mouse, fingers and keys. */
import { prefersReducedMotion } from '../dom.ts';
import { isSwipe, locateIn, trackGestures, wheelFactor } from '../gestures.ts';
import type { Stage } from './stage.ts';

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
