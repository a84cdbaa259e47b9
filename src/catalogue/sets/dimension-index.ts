/** The width and height of every image in memory, and the conditions that filters set on them. */

/** An image number with its width and height in pixels. */
export type ImageDimensions = [image: number, width: number, height: number];

/** What the size of an image must meet. */
export interface Bounds {
  minWidth: number;
  minHeight: number;
  /** The aspect ratio that it must be near, both 0 for any. */
  ratioWidth: number;
  ratioHeight: number;
}

/** Ratios may differ by one part in this many: 2 %. */
export const RATIO_PARTS = 50;

/** Whole numbers only, so that both databases and this give the same results. `boundsCondition` is the same as SQL. */
export function isWithin(bounds: Bounds, width: number, height: number): boolean {
  const { minWidth, minHeight, ratioWidth, ratioHeight } = bounds;
  return (
    width >= minWidth &&
    height >= minHeight &&
    RATIO_PARTS * Math.abs(width * ratioHeight - height * ratioWidth) <= height * ratioWidth
  );
}

/** Undefined if every image meets them. */
export function readBounds(filter: {
  minWidth?: number | undefined;
  minHeight?: number | undefined;
  /** Such as `16:9`. */
  aspectRatio?: string | undefined;
}): Bounds | undefined {
  const { minWidth = 1, minHeight = 1, aspectRatio = '0:0' } = filter;
  const [ratioWidth, ratioHeight] = aspectRatio.split(':').map(Number) as [number, number];
  if (minWidth <= 1 && minHeight <= 1 && ratioWidth === 0) return undefined;
  // Images whose size could not be read have no pixels.
  return { minWidth: Math.max(1, minWidth), minHeight, ratioWidth, ratioHeight };
}

/** Of the images 1 to `last`. Those that do not exist have no pixels. */
export class DimensionIndex {
  readonly #last: number;
  readonly #widths: Uint32Array;
  readonly #heights: Uint32Array;

  /** Starts with what another index has. */
  constructor(last: number, other?: DimensionIndex) {
    this.#last = last;
    this.#widths = new Uint32Array(last + 1);
    this.#heights = new Uint32Array(last + 1);
    if (!other) return;
    this.#widths.set(other.#widths.subarray(0, last + 1));
    this.#heights.set(other.#heights.subarray(0, last + 1));
  }

  set([image, width, height]: ImageDimensions): void {
    this.#widths[image] = width;
    this.#heights[image] = height;
  }

  delete(image: number): void {
    this.set([image, 0, 0]);
  }

  has(bounds: Bounds, image: number): boolean {
    return isWithin(bounds, this.#widths[image] as number, this.#heights[image] as number);
  }

  /** Visits the images from one number up to another that are within the bounds. */
  scan(bounds: Bounds, from: number, to: number, visit: (image: number) => void): void {
    const end = Math.min(to, this.#last + 1);
    for (let image = from; image < end; image++) if (this.has(bounds, image)) visit(image);
  }
}
