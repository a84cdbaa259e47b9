/** Pictures with shapes and gradients, different for each seed: flat ones have too little detail to be compared. */
import sharp, { type Sharp } from 'sharp';
import { seededRandomInt } from '../zukan/service.ts';

const SHAPES = 12;

/** Returns a function, because each use of a picture needs its own pipeline. */
export function paint(seed: number, width: number, height: number): () => Sharp {
  const randomInt = seededRandomInt(seed);
  const colour = () => `#${randomInt(0x1000000).toString(16).padStart(6, '0')}`;
  const shapes = Array.from({ length: SHAPES }, () => {
    const [x, y] = [randomInt(width), randomInt(height)];
    const [a, b] = [20 + randomInt(width >> 1), 20 + randomInt(height >> 1)];
    return `<ellipse cx="${x}" cy="${y}" rx="${a >> 1}" ry="${b >> 1}" fill="${colour()}"/>
      <path d="M${randomInt(width)} ${randomInt(height)}L${x} ${y} ${a} ${b}Z" fill="${colour()}"/>`;
  });
  const svg = Buffer.from(
    `<svg width="${width}" height="${height}"><rect width="100%" height="100%" fill="${colour()}"/>${shapes.join('')}</svg>`,
  );
  return () => sharp(svg).removeAlpha();
}
