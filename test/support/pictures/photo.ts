/** A picture with as much detail as a photo, so the sizes of its thumbnails are realistic. */
import sharp from 'sharp';

/** Photos have contrast at every scale, and less of it in finer detail. */
const SCALES = [4, 8, 16, 32, 64, 128, 256, 512, 1024];
const CONTRAST = 36;
const DECAY = 0.9;

/** A JPEG, always the same. */
export async function drawPhoto(width: number, height: number): Promise<Buffer> {
  // Enlarged in the end: finer detail is in no thumbnail.
  const size = { width: Math.round(width / 4), height: Math.round(height / 4) };
  const random = createRandom();
  const layers = await Promise.all(
    SCALES.map((columns) => {
      const rows = Math.round((columns * height) / width);
      const noise = Uint8Array.from({ length: columns * rows }, () => random() * 256);
      return sharp(noise, { raw: { width: columns, height: rows, channels: 1 } })
        .resize(size.width, size.height, { fit: 'fill' })
        .extractChannel(0)
        .raw()
        .toBuffer();
    }),
  );
  const pixels = new Uint8ClampedArray(size.width * size.height * 3);
  for (let pixel = 0; pixel < pixels.length; pixel += 3) {
    let [light, tint, contrast] = [128, 0, CONTRAST];
    for (const layer of layers) {
      light += ((layer[pixel / 3] ?? 0) / 128 - 1) * contrast;
      tint += ((layer[layer.length - 1 - pixel / 3] ?? 0) / 128 - 1) * contrast * 0.3;
      contrast *= DECAY;
    }
    pixels.set([light + tint, light, light - tint], pixel);
  }
  return sharp(pixels, { raw: { ...size, channels: 3 } })
    .resize(width, height, { kernel: 'linear' })
    .jpeg({ quality: 80 })
    .toBuffer();
}

/** Numbers from 0 to 1, always the same ones. */
function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
