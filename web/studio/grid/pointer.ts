/**
 * What the mouse and fingers do in the grid: clicks, taps, long presses, and dragging. Dragging moves what is selected if it
 * starts on a selected tile, or else draws a rectangle that selects.
 */
import { el } from '../../dom.ts';
import type { Pointer } from './album.ts';
import type { Area } from './layout.ts';

interface PointerActions {
  /** A click or tap on a tile. */
  press(index: number, how: Press): void;
  open(index: number): void;
  /** A finger rests on a tile. */
  hold(index: number): void;
  /** A rectangle was begun; what is selected stays if `add`. */
  startArea(add: boolean): void;
  /** The rectangle, in the coordinates of the tiles. */
  changeArea(area: Area): void;
  endArea(): void;
  /** Whether dragging this tile moves what is selected. */
  isMovable(index: number): boolean;
  startMove(): void;
  /** Where the pointer is on the screen and among the tiles. Returns whether to go on without a movement. */
  changeMove(pointer: Pointer, at: { x: number; y: number }): boolean;
  /** Where the pictures were dropped; undefined if the move was cancelled. */
  endMove(pointer?: Pointer): void;
}

export interface Press {
  isTouch: boolean;
  /** On the box in the corner, or with Ctrl. */
  isToggle: boolean;
  isRange: boolean;
}

const HOLD_MS = 450;
/** Movements below this are clicks. */
const SLOP_PX = 8;
/** Where scrolling starts: the window may end where the grid does. */
const EDGE_PX = 20;
/** How much of the distance behind that is scrolled in a frame. */
const SCROLL_SHARE = 0.25;

interface Start {
  /** In the coordinates of the tiles. */
  x: number;
  y: number;
  clientX: number;
  clientY: number;
  add: boolean;
  isMove: boolean;
}

export function listenForPointers(box: HTMLElement, space: HTMLElement, actions: PointerActions): void {
  const rectangle = el('div.rectangle', { hidden: true });
  space.append(rectangle);
  let pointerType = 'mouse';
  let start: Start | undefined;
  let pointer: Pointer = { clientX: 0, clientY: 0 };
  let isDragging = false;
  let ignoresClick = false;
  let timer = 0;
  let frame = 0;

  const indexOf = ({ target }: Event): number | undefined => {
    const tile = (target as Element).closest<HTMLElement>('.tile');
    return tile ? Number(tile.dataset.index) : undefined;
  };
  const locate = ({ clientX, clientY }: Pointer) => {
    const { left, top } = space.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const isFar = ({ clientX, clientY }: PointerEvent) =>
    start !== undefined && Math.hypot(clientX - start.clientX, clientY - start.clientY) >= SLOP_PX;

  const draw = () => {
    if (!start) return;
    const { top, bottom } = box.getBoundingClientRect();
    const { clientY } = pointer;
    const beyond = Math.min(0, clientY - top - EDGE_PX) + Math.max(0, clientY - bottom + EDGE_PX);
    box.scrollTop += beyond * SCROLL_SHARE;
    const at = locate({ ...pointer, clientY: Math.max(top, Math.min(clientY, bottom)) });
    const goesOn = start.isMove ? actions.changeMove(pointer, at) : drawArea(start, at);
    // Goes on without a movement as long as something scrolls.
    frame = beyond === 0 && !goesOn ? 0 : requestAnimationFrame(draw);
  };
  const drawArea = (start: Start, at: { x: number; y: number }) => {
    const area = {
      left: Math.min(start.x, at.x),
      right: Math.max(start.x, at.x),
      top: Math.min(start.y, at.y),
      bottom: Math.max(start.y, at.y),
    };
    rectangle.style.transform = `translate(${area.left}px, ${area.top}px)`;
    rectangle.style.width = `${area.right - area.left}px`;
    rectangle.style.height = `${area.bottom - area.top}px`;
    actions.changeArea(area);
    return false;
  };

  const hold = (index: number) => {
    ignoresClick = true;
    start = undefined;
    actions.hold(index);
  };
  /** `droppedAt` is undefined if it was cancelled. */
  const stop = (droppedAt?: Pointer) => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    frame = 0;
    const isMove = start?.isMove;
    start = undefined;
    if (!isDragging) return;
    isDragging = false;
    rectangle.hidden = true;
    if (isMove) actions.endMove(droppedAt);
    else actions.endArea();
  };

  box.addEventListener('pointerdown', (event) => {
    stop();
    ({ pointerType } = event);
    ignoresClick = false;
    if (event.button !== 0 || !event.isPrimary) return;
    const { clientX, clientY } = event;
    // Not on the scrollbar.
    if (clientX > box.getBoundingClientRect().left + box.clientWidth) return;
    const add = event.ctrlKey || event.metaKey || event.shiftKey;
    const index = indexOf(event);
    const isMove = !add && index !== undefined && actions.isMovable(index);
    start = { ...locate(event), clientX, clientY, add, isMove };
    if (pointerType === 'touch' && index !== undefined) timer = setTimeout(() => hold(index), HOLD_MS);
  });
  box.addEventListener('pointermove', (event) => {
    if (!start) return;
    pointer = { clientX: event.clientX, clientY: event.clientY };
    if (!isDragging) {
      if (!isFar(event)) return;
      // A finger that moves scrolls.
      if (pointerType === 'touch') {
        stop();
        return;
      }
      isDragging = true;
      ignoresClick = true;
      box.setPointerCapture(event.pointerId);
      rectangle.hidden = start.isMove;
      if (start.isMove) actions.startMove();
      else actions.startArea(start.add);
    }
    frame ||= requestAnimationFrame(draw);
  });
  box.addEventListener('pointerup', (event) => {
    if (isDragging) {
      pointer = { clientX: event.clientX, clientY: event.clientY };
      cancelAnimationFrame(frame);
      draw();
    }
    stop(pointer);
  });
  box.addEventListener('pointercancel', () => stop());
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !isDragging || !start?.isMove) return;
      event.stopPropagation();
      stop();
    },
    { capture: true },
  );
  // The menu of the browser would come up on a long press.
  box.addEventListener('contextmenu', (event) => {
    if (pointerType === 'touch') event.preventDefault();
  });
  box.addEventListener('click', (event) => {
    const index = indexOf(event);
    if (index === undefined || ignoresClick) return;
    const isBox = (event.target as Element).matches('.box');
    actions.press(index, {
      isTouch: pointerType === 'touch',
      isToggle: isBox || event.ctrlKey || event.metaKey,
      isRange: event.shiftKey,
    });
  });
  box.addEventListener('dblclick', (event) => {
    const index = indexOf(event);
    const isBox = (event.target as Element).matches('.box');
    if (index !== undefined && !isBox && pointerType !== 'touch') actions.open(index);
  });
}
