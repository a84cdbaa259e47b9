/** Renders SVG text to an image file. */
import sharp from 'sharp';
import type { Format } from './pictures.ts';
import { type Scene, sceneSvg } from './scene.ts';

const FRAMES = 6;
const FRAME_MS = 180;
const BLINK_FRAME = 4;

/** The SVG of a picture: one text for a still, one per frame for an animation. */
export function svgFrames(scene: Scene, format: Format): string[] {
  if (format !== 'gif') return [sceneSvg(scene, { phase: 0, blink: false })];
  return Array.from({ length: FRAMES }, (_, i) =>
    sceneSvg(scene, { phase: i / FRAMES, blink: i === BLINK_FRAME }),
  );
}

export async function renderScene(scene: Scene, format: Format): Promise<Buffer> {
  const frames = svgFrames(scene, format).map((svg) => Buffer.from(svg));
  if (format === 'gif') {
    return sharp(frames, { join: { animated: true } })
      .gif({ delay: FRAME_MS, loop: 0, effort: 1, dither: 0 })
      .toBuffer();
  }
  const still = sharp(frames[0]).removeAlpha();
  switch (format) {
    case 'webp':
      return still.webp({ quality: 86, effort: 1 }).toBuffer();
    case 'jpg':
      return still.jpeg({ quality: 88 }).toBuffer();
    case 'png':
      return still.png({ compressionLevel: 6 }).toBuffer();
    case 'avif':
      return still.avif({ quality: 60, effort: 0 }).toBuffer();
  }
}
