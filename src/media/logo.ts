/** The logo of the site: a picture of the operator, sent as it is. */
import { readFile } from 'node:fs/promises';
import { loadSharp } from './thumbnails.ts';

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
