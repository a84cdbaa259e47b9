/** Draws the preview of an image. The Content-Security-Policy allows no image in a data URL, but a canvas. */
import { el } from './dom.ts';
import { decodeThumbHash } from './thumbhash.ts';

/** Empty if the image has no preview. */
export function createPlaceholder(thumbHash: string | undefined): HTMLCanvasElement[] {
  if (!thumbHash) return [];
  const bytes = Uint8Array.from(atob(thumbHash), (character) => character.charCodeAt(0));
  const { width, height, data } = decodeThumbHash(bytes);
  const canvas = el('canvas', { width, height, 'aria-hidden': 'true' });
  canvas.getContext('2d')?.putImageData(new ImageData(data, width, height), 0, 0);
  return [canvas];
}
