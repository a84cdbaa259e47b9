/** Where the tiles of the grid are. Pure: lengths in CSS pixels, from the top left corner of the first tile. */

export const GAP = 10;

export interface TileLayout {
  count: number;
  columns: number;
  /** The width of a tile, and the height of its picture. */
  size: number;
  /** From one row to the next. */
  rowHeight: number;
}

export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** As many columns of at least `minSize` as fit. Below each picture is room for a caption. */
export function layOut(count: number, width: number, minSize: number, captionHeight: number): TileLayout {
  const columns = Math.max(1, Math.floor((width + GAP) / (minSize + GAP)));
  const size = (width - GAP * (columns - 1)) / columns;
  return { count, columns, size, rowHeight: size + captionHeight + GAP };
}

export const heightOf = ({ count, columns, rowHeight }: TileLayout): number =>
  Math.ceil(count / columns) * rowHeight;

export function placeOf({ columns, size, rowHeight }: TileLayout, index: number): { x: number; y: number } {
  return { x: (index % columns) * (size + GAP), y: Math.floor(index / columns) * rowHeight };
}

/** The tiles of the rows between two heights, from the first to before the last. */
export function rowsBetween(
  { count, columns, rowHeight }: TileLayout,
  top: number,
  bottom: number,
): [number, number] {
  const first = Math.max(0, Math.floor(top / rowHeight)) * columns;
  const end = Math.ceil(bottom / rowHeight) * columns;
  return [Math.min(first, count), Math.max(0, Math.min(end, count))];
}

/** The tiles that an area touches. */
export function indexesIn(layout: TileLayout, { left, top, right, bottom }: Area): number[] {
  const { count, columns, size, rowHeight } = layout;
  // The gap behind a tile belongs to none.
  const first = (start: number, step: number, length: number) =>
    Math.max(0, Math.floor(start / step) + (start - Math.floor(start / step) * step > length ? 1 : 0));
  const [firstRow, firstColumn] = [first(top, rowHeight, rowHeight - GAP), first(left, size + GAP, size)];
  const lastRow = Math.min(Math.floor(bottom / rowHeight), Math.ceil(count / columns) - 1);
  const lastColumn = Math.min(Math.floor(right / (size + GAP)), columns - 1);
  const found: number[] = [];
  for (let row = firstRow; row <= lastRow; row++)
    for (let column = firstColumn; column <= lastColumn; column++) {
      const index = row * columns + column;
      if (index < count) found.push(index);
    }
  return found;
}

/** Between two tiles. `index` is that of the tile behind it. */
export interface Gap {
  index: number;
  x: number;
  y: number;
  height: number;
}

/** The one that is nearest to a point. */
export function gapAt(layout: TileLayout, { x, y }: { x: number; y: number }): Gap {
  const { count, columns, size, rowHeight } = layout;
  const row = Math.max(0, Math.min(Math.floor(y / rowHeight), Math.ceil(count / columns) - 1));
  const column = Math.max(0, Math.min(Math.round(x / (size + GAP)), columns, count - row * columns));
  return {
    index: row * columns + column,
    x: column * (size + GAP) - GAP / 2,
    y: row * rowHeight,
    height: rowHeight - GAP,
  };
}

/** How far a key goes in the list; undefined if it goes nowhere. `height` is that of the visible part. */
export function stepOf(
  { count, columns, rowHeight }: TileLayout,
  key: string,
  height: number,
): number | undefined {
  const page = columns * Math.max(1, Math.floor(height / rowHeight));
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -page,
    PageDown: page,
    Home: -count,
    End: count,
  };
  return steps[key];
}
