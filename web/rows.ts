/** Pictures in rows of one width, each row as high as its pictures make it: worked out before any of them is loaded. */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Rows {
  boxes: Box[];
  height: number;
}

/** Broader or taller than this, a picture is cropped: a panorama would make a row of its own, and a thin one. */
const NARROWEST = 0.45;
const BROADEST = 2.6;

/** `ratios` are width by height. The last row is only as wide as its pictures are at that height. */
export function rowsOf(ratios: readonly number[], width: number, target: number, gap: number): Rows {
  const boxes: Box[] = [];
  let y = 0;
  let row: number[] = [];
  const close = (height: number) => {
    boxes.push(...placed(row, y, height, gap));
    y += height + gap;
    row = [];
  };
  for (const ratio of ratios) {
    const bounded = Math.min(BROADEST, Math.max(NARROWEST, ratio));
    const [before, after] = [heightOf(row, width, gap), heightOf([...row, bounded], width, gap)];
    // One more makes the row lower. Where that leads further away from the wish, the row was full.
    if (row.length > 0 && before - target < target - after) close(before);
    row.push(bounded);
  }
  if (row.length > 0) close(Math.min(target, heightOf(row, width, gap)));
  return { boxes, height: Math.max(0, y - gap) };
}

function heightOf(row: readonly number[], width: number, gap: number): number {
  const sum = row.reduce((total, ratio) => total + ratio, 0);
  return sum > 0 ? (width - gap * (row.length - 1)) / sum : Number.POSITIVE_INFINITY;
}

function placed(row: readonly number[], y: number, height: number, gap: number): Box[] {
  let x = 0;
  return row.map((ratio) => {
    const box = { x, y, width: ratio * height, height };
    x += box.width + gap;
    return box;
  });
}

/** How high rows should be, for a page of this width. */
export function targetFor(width: number): number {
  return Math.min(330, Math.max(190, width / 4.4));
}
