/** Computes how a picture is enlarged and moved. Points are relative to the centre of the stage, in CSS pixels. */

export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

/** The picture is scaled around its centre, and then moved. */
export interface Zoom extends Point {
  scale: number;
}

/** `frame` is the size of the picture at scale 1, at which it fits the stage; `original` is that of its file. */
export interface Room {
  frame: Size;
  stage: Size;
  original: Size;
}

export const fitted: Zoom = { scale: 1, x: 0, y: 0 };

const MIN_CLOSE_UP = 2;
const MAX_CLOSE_UP = 3;
/** Taller pictures are strips, which are read from the top. */
const MIN_STRIP_SCALE = 4;

/** Keeps what is at the point in its place, as far as the picture reaches. */
export function zoomBy(zoom: Zoom, factor: number, at: Point, room: Room): Zoom {
  const max = Math.max(closeUpScale(room), MAX_CLOSE_UP, (2 * room.original.width) / room.frame.width);
  const scale = limit(zoom.scale * factor, 1, max);
  const ratio = scale / zoom.scale;
  return place({ scale, x: at.x - (at.x - zoom.x) * ratio, y: at.y - (at.y - zoom.y) * ratio }, room);
}

export function moveBy({ scale, x, y }: Zoom, dx: number, dy: number, room: Room): Zoom {
  return place({ scale, x: x + dx, y: y + dy }, room);
}

/** How far the picture can be moved in each direction. */
export function reach({ scale }: Zoom, { frame, stage }: Room): Point {
  const half = (inside: number, outside: number) => (inside * scale - outside) / 2;
  // A fraction of a pixel is a rounding error of a picture that fits.
  const round = (length: number) => (length < 0.5 ? 0 : length);
  return { x: round(half(frame.width, stage.width)), y: round(half(frame.height, stage.height)) };
}

/** Enlarges a fitted picture around the point, and fits an enlarged one. */
export function toggle(zoom: Zoom, at: Point, room: Room): Zoom {
  return zoom.scale > 1 ? fitted : zoomBy(fitted, closeUpScale(room), at, room);
}

/** How a picture is shown at first: fitted, or the top of a strip. */
export function initialZoom(room: Room): Zoom {
  const scale = room.stage.width / room.frame.width;
  const isStrip = scale >= MIN_STRIP_SCALE && room.original.height > room.original.width;
  return isStrip ? place({ scale, x: 0, y: Number.POSITIVE_INFINITY }, room) : fitted;
}

/** Fills the stage if that makes a difference, as for tall and wide pictures. Otherwise shows the size of the file. */
function closeUpScale({ frame, stage, original }: Room): number {
  const fill = Math.max(stage.width / frame.width, stage.height / frame.height);
  return fill >= MIN_CLOSE_UP ? fill : limit(original.width / frame.width, MIN_CLOSE_UP, MAX_CLOSE_UP);
}

function place({ scale, x, y }: Zoom, room: Room): Zoom {
  const most = reach({ scale, x, y }, room);
  return { scale, x: limit(x, -most.x, most.x), y: limit(y, -most.y, most.y) };
}

function limit(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
