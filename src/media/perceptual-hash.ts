/**
 * A hash of what a picture looks like: copies that are resized, re-encoded or slightly cropped differ in a few bits only.
 * Its bits say which of the lowest frequencies of the brightness (a discrete cosine transform, as in pHash) are above their
 * median, so exactly half of them are set. Pure.
 */
import type { Sample } from './thumbnails.ts';

const CHANNELS = 4;
const HASH_BITS = 128;
/** The picture is reduced to a square of this side, whatever its shape. */
const GRID_SIZE = 32;
/** The lowest frequencies in each direction, of which those with the lowest sum become bits. */
const FREQUENCIES = 16;
/**
 * The least median amplitude of the frequencies, in grey levels. Below it, in a picture of a single colour or an even
 * gradient, the bits would be noise, or the same in all such pictures.
 */
const MIN_DETAIL = 0.05;

/** The hash of a picture with too little detail. It is not compared with others. */
export const NO_DETAIL = '';

/** The hash in hex, or `NO_DETAIL`. */
export function hashPixels(sample: Sample): string {
  const { width, height } = sample;
  const columns = averageCells(readBrightness(sample), width, height);
  const grid = averageCells(columns, height, GRID_SIZE);
  const spectrum = transform(transform(grid, GRID_SIZE), FREQUENCIES);
  const amplitudes = lowestFrequencies.map((index) => spectrum[index] as number);
  if (medianOf(amplitudes.map(Math.abs)) < MIN_DETAIL) return NO_DETAIL;
  const median = medianOf(amplitudes);
  let hash = '';
  for (let index = 0; index < HASH_BITS; index += 4) {
    const bits = amplitudes.slice(index, index + 4).map((amplitude) => (amplitude > median ? 1 : 0));
    hash += Number.parseInt(bits.join(''), 2).toString(16);
  }
  return hash;
}

/** On a white background. */
function readBrightness({ pixels, width, height }: Sample): Float64Array {
  const brightness = new Float64Array(width * height);
  for (let pixel = 0, index = 0; pixel < brightness.length; pixel++, index += CHANNELS) {
    const channel = (number: number) => pixels[index + number] as number;
    const opacity = channel(3) / 255;
    const brightnessOfColour = 0.299 * channel(0) + 0.587 * channel(1) + 0.114 * channel(2);
    brightness[pixel] = opacity * brightnessOfColour + (1 - opacity) * 255;
  }
  return brightness;
}

/** Divides each line into cells and averages them. The result is transposed: a line for each cell. */
function averageCells(values: Float64Array, length: number, lines: number): Float64Array {
  const averages = new Float64Array(GRID_SIZE * lines);
  const size = length / GRID_SIZE;
  for (let cell = 0; cell < GRID_SIZE; cell++) {
    const [start, end] = [cell * size, (cell + 1) * size];
    for (let line = 0; line < lines; line++) {
      let sum = 0;
      for (let pixel = Math.floor(start); pixel < Math.min(end, length); pixel++) {
        // The part of the pixel that lies in the cell.
        const share = Math.min(end, pixel + 1) - Math.max(start, pixel);
        sum += (values[line * length + pixel] as number) * share;
      }
      averages[cell * lines + line] = sum / size;
    }
  }
  return averages;
}

const waves = Array.from({ length: FREQUENCIES }, (_, frequency) =>
  Float64Array.from(
    { length: GRID_SIZE },
    (_, x) => (Math.cos(((x + 0.5) * frequency * Math.PI) / GRID_SIZE) * Math.SQRT2) / GRID_SIZE,
  ),
);

/** The amplitudes of the lowest frequencies of each line. The result is transposed: a line for each frequency. */
function transform(values: Float64Array, lines: number): Float64Array {
  const amplitudes = new Float64Array(FREQUENCIES * lines);
  for (const [frequency, wave] of waves.entries())
    for (let line = 0; line < lines; line++) {
      let sum = 0;
      for (let x = 0; x < GRID_SIZE; x++)
        sum += (wave[x] as number) * (values[line * GRID_SIZE + x] as number);
      amplitudes[frequency * lines + line] = sum;
    }
  return amplitudes;
}

/** Their indexes in the spectrum, without the average brightness. */
const lowestFrequencies = Array.from({ length: FREQUENCIES ** 2 }, (_, index) => index)
  .sort((a, b) => rankOf(a) - rankOf(b))
  .slice(1, HASH_BITS + 1);

/** By the sum of both frequencies, then by the vertical one. */
function rankOf(index: number): number {
  const [x, y] = [index % FREQUENCIES, Math.floor(index / FREQUENCIES)];
  return (x + y) * FREQUENCIES + y;
}

function medianOf(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
