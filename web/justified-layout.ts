/** Justified layout: rows of equal width, calculated from the aspect ratios before any image is loaded. */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Layout {
  boxes: Box[];
  height: number;
  /** How many of the boxes are in full rows, and the height of these rows. */
  full: { count: number; height: number };
}

/** Images outside these ratios (width / height) are cropped, because a panorama would get a thin row for itself. */
const MIN_RATIO = 0.45;
const MAX_RATIO = 2.6;

/** The last row is not stretched: it is at most `targetHeight` high. */
export function layOutRows(
  ratios: readonly number[],
  width: number,
  targetHeight: number,
  gap: number,
): Layout {
  const boxes: Box[] = [];
  let y = 0;
  let row: number[] = [];
  let full = { count: 0, height: 0 };
  const closeRow = (height: number) => {
    boxes.push(...layOutRow(row, y, height, gap));
    y += height + gap;
    row = [];
  };
  for (const ratio of ratios) {
    const cropped = Math.min(MAX_RATIO, Math.max(MIN_RATIO, ratio));
    const [before, after] = [rowHeight(row, width, gap), rowHeight([...row, cropped], width, gap)];
    // Each image makes the row lower. Close the row when that would miss the target by more.
    if (row.length > 0 && before - targetHeight < targetHeight - after) {
      closeRow(before);
      full = { count: boxes.length, height: y - gap };
    }
    row.push(cropped);
  }
  if (row.length > 0) closeRow(Math.min(targetHeight, rowHeight(row, width, gap)));
  return { boxes, height: Math.max(0, y - gap), full };
}

function rowHeight(row: readonly number[], width: number, gap: number): number {
  const sum = row.reduce((total, ratio) => total + ratio, 0);
  return sum > 0 ? (width - gap * (row.length - 1)) / sum : Number.POSITIVE_INFINITY;
}

function layOutRow(row: readonly number[], y: number, height: number, gap: number): Box[] {
  let x = 0;
  return row.map((ratio) => {
    const box = { x, y, width: ratio * height, height };
    x += box.width + gap;
    return box;
  });
}

export function targetRowHeight(pageWidth: number): number {
  return Math.min(330, Math.max(190, pageWidth / 4.4));
}
