/** Small real pictures in every format. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';

export interface Drawing {
  file: string;
  format: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif';
  width: number;
  height: number;
  colour: string;
  /** More than one makes an animation. */
  frames?: number;
}

const drawn = new Map<string, Promise<Buffer>>();

/** Cached: tests draw the same pictures many times, and encoding is slow. */
export async function draw({ file: _, ...drawing }: Drawing): Promise<Buffer> {
  const key = JSON.stringify(drawing);
  const encoded = drawn.get(key) ?? encode(drawing);
  drawn.set(key, encoded);
  // Not the cached promise itself: who awaits a promise continues as part of the test that created it.
  return await encoded;
}

async function encode({ format, width, height, colour, frames = 1 }: Omit<Drawing, 'file'>): Promise<Buffer> {
  const frame = (background: string) => sharp({ create: { width, height, channels: 3, background } });
  if (frames === 1) return frame(colour).toFormat(format).toBuffer();
  const images = await Promise.all(
    Array.from({ length: frames }, (_, index) =>
      frame(index % 2 ? '#ffffff' : colour)
        .png()
        .toBuffer(),
    ),
  );
  return sharp(images, { join: { animated: true } })
    .toFormat(format)
    .toBuffer();
}

export async function drawInto(folder: string, drawing: Drawing): Promise<Buffer> {
  const path = join(folder, drawing.file);
  await mkdir(dirname(path), { recursive: true });
  const bytes = await draw(drawing);
  await writeFile(path, bytes);
  return bytes;
}
