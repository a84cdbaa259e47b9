/** The width and height of every image in memory. Filters by size ask this: there are too many sizes to keep a shelf for each. */

/** An image number with its width and height in pixels. */
export type ImageDimensions = [image: number, width: number, height: number];

export type SizeTest = (width: number, height: number) => boolean;

/** Images whose size could not be read have no pixels, and pass no test. */
export const hasSize = (test: SizeTest, width: number, height: number): boolean =>
  width > 0 && test(width, height);

/** Of the images 1 to `last`. Those that do not exist have no pixels. */
export class ImageSizes {
  readonly #widths: Uint32Array;
  readonly #heights: Uint32Array;

  /** Starts with what another one has. */
  constructor(last: number, other?: ImageSizes) {
    this.#widths = new Uint32Array(last + 1);
    this.#heights = new Uint32Array(last + 1);
    if (!other) return;
    this.#widths.set(other.#widths.subarray(0, last + 1));
    this.#heights.set(other.#heights.subarray(0, last + 1));
  }

  set(image: number, width: number, height: number): void {
    this.#widths[image] = width;
    this.#heights[image] = height;
  }

  passes(test: SizeTest, image: number): boolean {
    return hasSize(test, this.#widths[image] as number, this.#heights[image] as number);
  }
}
