/** Recognises what fingers and the mouse do on an element: drag, pinch, double tap. */
import type { Point } from './zoom.ts';

export interface Gestures {
  /** The centre of all fingers moved by this much, and their distance changed by this factor. */
  move(dx: number, dy: number, factor: number, centre: Point): void;
  /** The last finger was lifted. It moved by this much; 0 if there were several, or the browser took over. */
  end(dx: number, dy: number): void;
  doubleTap(at: Point): void;
}

/** Movements below this are taps. */
const SLOP_PX = 8;
const DOUBLE_TAP_MS = 350;
const DOUBLE_TAP_PX = 40;
const MIN_SWIPE_PX = 60;
/** How far to turn the wheel to double the size. Pinching on a touchpad is reported as small turns with the Ctrl key. */
const WHEEL_PX = 400;
const PINCH_PX = 70;
const LINE_PX = 40;

/** What turning the wheel multiplies the size by. */
export function wheelFactor({ deltaY, deltaMode, ctrlKey }: WheelEvent): number {
  const turn = deltaY * (deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX);
  return 2 ** (-turn / (ctrlKey ? PINCH_PX : WHEEL_PX));
}

/** From the centre of the element. */
export function locateIn(element: Element, { clientX, clientY }: MouseEvent): Point {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
}

export const isSwipe = (along: number, across: number) =>
  Math.abs(along) >= MIN_SWIPE_PX && Math.abs(along) > 2 * Math.abs(across);

/** Returns a function that tells whether the last gesture moved something, so its click means nothing. */
export function trackGestures(element: HTMLElement, { move, end, doubleTap }: Gestures): () => boolean {
  const pointers = new Map<number, Point>();
  let middle: Point = { x: 0, y: 0 };
  let start: Point = { x: 0, y: 0 };
  let hasMoved = false;
  let hadSeveral = false;
  let lastTap = { x: 0, y: 0, time: Number.NEGATIVE_INFINITY };

  const locate = ({ clientX, clientY }: PointerEvent): Point => ({
    x: clientX - middle.x,
    y: clientY - middle.y,
  });
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    if (pointers.size === 0) {
      // The gesture may scroll the element.
      const { left, top, width, height } = element.getBoundingClientRect();
      middle = { x: left + width / 2, y: top + height / 2 };
      start = locate(event);
      hasMoved = false;
    }
    pointers.set(event.pointerId, locate(event));
    hadSeveral = pointers.size > 1;
  });
  element.addEventListener('pointermove', (event) => {
    const { pointerId } = event;
    const from = pointers.get(pointerId);
    if (!from) return;
    const to = locate(event);
    if (!hasMoved && pointers.size === 1 && distance(start, to) < SLOP_PX) return;
    const before = measure([...pointers.values()]);
    pointers.set(pointerId, to);
    const after = measure([...pointers.values()]);
    // Not earlier: a captured pointer clicks the element instead of what is below it.
    if (!hasMoved) element.setPointerCapture(pointerId);
    hasMoved = true;
    const factor = before.spread > 0 ? after.spread / before.spread : 1;
    move(after.centre.x - before.centre.x, after.centre.y - before.centre.y, factor, after.centre);
  });
  const lift = (event: PointerEvent) => {
    if (!pointers.delete(event.pointerId) || pointers.size > 0) return;
    const at = locate(event);
    if (event.type === 'pointercancel' || hadSeveral) return end(0, 0);
    if (hasMoved) return end(at.x - start.x, at.y - start.y);
    if ((event.target as Element).closest('button')) return;
    const isSecond = event.timeStamp - lastTap.time < DOUBLE_TAP_MS && distance(at, lastTap) < DOUBLE_TAP_PX;
    lastTap = { ...at, time: isSecond ? Number.NEGATIVE_INFINITY : event.timeStamp };
    if (isSecond) doubleTap(at);
  };
  element.addEventListener('pointerup', lift);
  element.addEventListener('pointercancel', lift);
  return () => hasMoved;
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

/** The centre of the points, and how far they are from it. */
function measure(points: Point[]): { centre: Point; spread: number } {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const centre = { x: mean(points.map(({ x }) => x)), y: mean(points.map(({ y }) => y)) };
  return { centre, spread: mean(points.map((point) => distance(point, centre))) };
}
