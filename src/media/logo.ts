/** The logo of the site: a picture of the operator, sent as it is. */
import { readFile } from 'node:fs/promises';
import { loadSharp } from './decoding.ts';

export interface Logo {
  bytes: Buffer;
  type: string;
  width: number;
  height: number;
}

/** It is part of every first visit. */
const MAX_LOGO_BYTES = 256 * 1024;
const types: Record<string, string> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
};

/** The type follows from the content, not from the name. */
export async function readLogo(path: string): Promise<Logo> {
  const fail = (reason: string) => new Error(`SITE_LOGO: ${reason}`);
  const bytes = await readFile(path).catch(({ code }) => {
    throw fail(`cannot read ${path} (${code})`);
  });
  if (bytes.length > MAX_LOGO_BYTES)
    throw fail(`${path} is too large; use a picture of up to ${MAX_LOGO_BYTES / 1024} KiB`);
  const sharp = await loadSharp();
  const { format, width, height } = await sharp(bytes)
    .metadata()
    .catch(() => ({ format: '', width: 0, height: 0 }));
  const type = types[format ?? ''];
  if (!type || !width || !height) throw fail(`${path} is not an SVG, PNG, WebP, JPEG or GIF picture`);
  return { bytes, type, width, height };
}

/** A small file can be a picture of any size. */
const MAX_PIXELS = 50_000_000;
const MAX_DENSITY = 10_000;

/** The picture as a square PNG on a background, with a margin given as a share of the size. */
export async function drawIcon(
  bytes: Buffer,
  { size, margin, background }: { size: number; margin: number; background: string },
): Promise<Buffer> {
  const sharp = await loadSharp();
  const border = Math.round(size * margin);
  const inner = size - 2 * border;
  const { format, width, height } = await sharp(bytes).metadata();
  // A drawing is rendered at the size that it gets.
  const density = Math.min(MAX_DENSITY, Math.max(1, (72 * inner) / Math.max(width, height)));
  return sharp(bytes, { limitInputPixels: MAX_PIXELS, ...(format === 'svg' && { density }) })
    .resize(inner, inner, { fit: 'contain', background })
    .flatten({ background })
    .extend({ top: border, bottom: border, left: border, right: border, background })
    .png()
    .toBuffer();
}
