/** Zooms, moves and swipes the image in the dialog with the mouse, fingers and keys. */
import { byId, prefersReducedMotion } from './dom.ts';
import { trackGestures } from './gestures.ts';
import {
  currentReach,
  endSwipe,
  enlarge,
  fitToStage,
  isFitted,
  moveZoom,
  showSwipe,
  toggleZoom,
} from './stage.ts';
import { toggleControls } from './viewer-controls.ts';

export interface StageActions {
  step(by: 1 | -1): void;
  close(): void;
}

const KEY_FACTOR = 1.5;
const KEY_STEP_PX = 80;
const MIN_SWIPE_PX = 60;
/** How far to turn the wheel to double the size. Pinching on a touchpad is reported as small turns with the Ctrl key. */
const WHEEL_PX = 400;
const PINCH_PX = 70;
const LINE_PX = 40;
/** How much of the picture stays in view when a swipe upwards shows the properties below it. */
const PICTURE_SHARE = 0.35;
const centre = { x: 0, y: 0 };
const [viewer, stage] = [byId('viewer'), byId('stage')];

export function initStageInput({ step, close }: StageActions): void {
  let isTouch = false;
  let scrolledFrom = 0;
  stage.addEventListener('pointerdown', ({ pointerType, isPrimary }) => {
    isTouch = pointerType === 'touch';
    if (isPrimary) scrolledFrom = viewer.scrollTop;
  });
  const hasMoved = trackGestures(stage, {
    move(dx, dy, factor, at) {
      stage.classList.add('dragged');
      if (factor !== 1) enlarge(factor, at);
      const { x, y } = currentReach();
      moveZoom(dx, dy);
      const rest = y === 0 && factor === 1 ? scrollBy(dy) : 0;
      showSwipe(x === 0 ? dx : 0, rest);
    },
    end(dx, dy) {
      stage.classList.remove('dragged');
      endSwipe();
      const { x, y } = currentReach();
      const isFlat = Math.abs(dx) >= MIN_SWIPE_PX && Math.abs(dx) > 2 * Math.abs(dy);
      const isSteep = Math.abs(dy) >= MIN_SWIPE_PX && Math.abs(dy) > 2 * Math.abs(dx);
      if (isFlat && x === 0) step(dx < 0 ? 1 : -1);
      else if (isSteep && y === 0 && dy > 0 && scrolledFrom === 0) close();
      else if (viewer.scrollTop !== scrolledFrom) settleScroll(isSteep ? dy > 0 : scrolledFrom === 0);
    },
    doubleTap: toggleZoom,
  });
  stage.addEventListener('click', ({ target }) => {
    if (hasMoved() || (target as Element).closest('button, a')) return;
    if (isTouch) toggleControls();
    else if (target === stage) close();
  });
  stage.addEventListener('wheel', turnWheel, { passive: false });
  byId('zoom').addEventListener('click', () => toggleZoom(centre));
}

/** On small screens the dialog scrolls. Returns how much further the finger went than that. */
function scrollBy(dy: number): number {
  const before = viewer.scrollTop;
  viewer.scrollTop -= dy;
  return dy - (before - viewer.scrollTop);
}

/** After a swipe: to the whole picture, or to the properties. */
function settleScroll(isUpwards: boolean): void {
  const propertiesTop = stage.clientHeight - viewer.clientHeight * PICTURE_SHARE;
  const top = isUpwards ? 0 : Math.max(viewer.scrollTop, propertiesTop);
  viewer.scrollTo({ top, behavior: prefersReducedMotion() ? 'auto' : 'smooth' });
}

function turnWheel(event: WheelEvent): void {
  const { deltaY, deltaMode, ctrlKey, clientX, clientY } = event;
  // A fitted picture cannot get smaller. On small screens the dialog scrolls then.
  if (isFitted() && deltaY > 0 && !ctrlKey) return;
  event.preventDefault();
  const { left, top, width, height } = stage.getBoundingClientRect();
  const turn = deltaY * (deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX);
  const at = { x: clientX - left - width / 2, y: clientY - top - height / 2 };
  enlarge(2 ** (-turn / (ctrlKey ? PINCH_PX : WHEEL_PX)), at);
}

/** Returns whether the key did something. Arrows do if the picture can be moved that way. */
export function pressStageKey(key: string): boolean {
  const { x, y } = currentReach();
  if (key === '+' || key === '=') enlarge(KEY_FACTOR, centre);
  else if (key === '-') enlarge(1 / KEY_FACTOR, centre);
  else if (key === '0') fitToStage();
  else if (key === 'ArrowLeft' && x > 0) moveZoom(KEY_STEP_PX, 0);
  else if (key === 'ArrowRight' && x > 0) moveZoom(-KEY_STEP_PX, 0);
  else if (key === 'ArrowUp' && y > 0) moveZoom(0, KEY_STEP_PX);
  else if (key === 'ArrowDown' && y > 0) moveZoom(0, -KEY_STEP_PX);
  else return false;
  return true;
}
