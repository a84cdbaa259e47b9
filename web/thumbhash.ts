/**
 * Decodes ThumbHashes (https://evanw.github.io/thumbhash/): previews of about 25 bytes. The npm package also contains the
 * encoder, and the page would have to load it.
 */

export interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue and alpha of each pixel. */
  data: Uint8ClampedArray<ArrayBuffer>;
}

/** The amplitudes of cosine waves, by their horizontal and then their vertical frequency. The first is the mean. */
type Channel = number[][];

/** The length of the longest side. */
const SIZE = 32;
/** No channel has waves of a higher frequency. */
const MAX_FREQUENCY = 7;

export function decodeThumbHash(hash: Uint8Array): Pixels {
  const read = createBitReader(hash);
  const [lightness, yellow, red] = [read(6) / 63, read(6) / 31.5 - 1, read(6) / 31.5 - 1];
  const lightnessScale = read(5) / 31;
  const hasAlpha = read(1) === 1;
  const shortSide = read(3);
  const [yellowScale, redScale] = [read(6) / 63, read(6) / 63];
  const isLandscape = read(1) === 1;
  const [alpha, alphaScale] = hasAlpha ? [read(4) / 15, read(4) / 15] : [1, 0];
  const longSide = hasAlpha ? 5 : 7;
  const [columns, rows] = isLandscape ? [longSide, shortSide] : [shortSide, longSide];

  const readChannel = (mean: number, scale: number, columns: number, rows: number): Channel => {
    const channel: Channel = Array.from({ length: columns }, () => []);
    for (let y = 0; y < rows; y++)
      for (let x = 0; x * rows < columns * (rows - y); x++)
        channel[x]?.push(x + y === 0 ? mean : (read(4) / 7.5 - 1) * scale * 2);
    return channel;
  };
  const channels = [
    readChannel(lightness, lightnessScale, Math.max(3, columns), Math.max(3, rows)),
    // The encoder reduces the scale of colours by this factor, because strong ones would need too many bits.
    readChannel(yellow, yellowScale * 1.25, 3, 3),
    readChannel(red, redScale * 1.25, 3, 3),
    ...(hasAlpha ? [readChannel(alpha, alphaScale, 5, 5)] : []),
  ];
  const ratio = columns / rows || 1;
  return draw(channels, Math.round(SIZE * Math.min(1, ratio)), Math.round(SIZE / Math.max(1, ratio)));
}

/** Reads numbers of some bits, lowest bits first. Missing bytes are zero. */
function createBitReader(bytes: Uint8Array): (count: number) => number {
  let position = 0;
  return (count) => {
    let value = 0;
    for (let bit = 0; bit < count; bit++, position++)
      value |= (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) << bit;
    return value;
  };
}

function draw(channels: readonly Channel[], width: number, height: number): Pixels {
  const data = new Uint8ClampedArray(width * height * 4);
  const [xCosines, yCosines] = [cosines(width), cosines(height)];
  for (let y = 0; y < height; y++) {
    const row = channels.map((channel) => channel.map((waves) => multiply(waves, yCosines[y])));
    for (let x = 0; x < width; x++) {
      const [lightness = 0, yellow = 0, red = 0, alpha = 1] = row.map((waves) =>
        multiply(waves, xCosines[x]),
      );
      const b = lightness - (yellow * 2) / 3;
      const r = (lightness * 3 - b + red) / 2;
      const position = (y * width + x) * 4;
      data[position] = r * 255;
      data[position + 1] = (r - red) * 255;
      data[position + 2] = b * 255;
      data[position + 3] = alpha * 255;
    }
  }
  return { width, height, data };
}

function multiply(amplitudes: readonly number[], cosines: readonly number[] = []): number {
  let sum = 0;
  for (let index = 0; index < amplitudes.length; index++)
    sum += (amplitudes[index] ?? 0) * (cosines[index] ?? 0);
  return sum;
}

/** For the middle of each pixel, the cosines of all frequencies. */
function cosines(size: number): number[][] {
  return Array.from({ length: size }, (_, pixel) =>
    Array.from({ length: MAX_FREQUENCY }, (_, frequency) =>
      Math.cos((Math.PI / size) * (pixel + 0.5) * frequency),
    ),
  );
}
