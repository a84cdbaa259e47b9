/** What a tile shows until its picture has loaded. */
import type { Tile } from '../../src/studio/contract.ts';
import { el } from '../dom.ts';
import { createPlaceholder } from '../placeholder.ts';

const SIZE = 32;

/** The preview, or the colour of a picture that an old version imported, in the shape of the picture. */
export function drawPlaceholder({ thumbHash, color, width, height }: Tile): HTMLCanvasElement {
  const [preview] = createPlaceholder(thumbHash);
  if (preview) return preview;
  const scale = SIZE / Math.max(width, height);
  const side = (length: number) => Math.max(1, Math.round(length * scale));
  const canvas = el('canvas', { width: side(width), height: side(height), 'aria-hidden': 'true' });
  const context = canvas.getContext('2d');
  if (context) {
    context.fillStyle = color;
    context.fillRect(0, 0, SIZE, SIZE);
  }
  return canvas;
}
