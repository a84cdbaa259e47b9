/** Zooms, moves and swipes the image in the dialog with the mouse, fingers and keys. */
import { byId } from './dom.ts';
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
const centre = { x: 0, y: 0 };
const stage = byId('stage');

export function initStageInput({ step, close }: StageActions): void {
  const hasMoved = trackGestures(stage, {
    move(dx, dy, factor, at) {
      stage.classList.add('dragged');
      if (factor !== 1) enlarge(factor, at);
      const canSwipe = currentReach().x === 0;
      moveZoom(dx, dy);
      if (canSwipe) showSwipe(dx);
    },
    end(dx, dy) {
      stage.classList.remove('dragged');
      endSwipe();
      const isFlat = Math.abs(dx) >= MIN_SWIPE_PX && Math.abs(dx) > 2 * Math.abs(dy);
      if (isFlat && currentReach().x === 0) step(dx < 0 ? 1 : -1);
    },
    doubleTap: toggleZoom,
  });
  stage.addEventListener('click', ({ target }) => {
    if (target === stage && !hasMoved()) close();
  });
  stage.addEventListener('wheel', turnWheel, { passive: false });
  byId('zoom').addEventListener('click', () => toggleZoom(centre));
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
