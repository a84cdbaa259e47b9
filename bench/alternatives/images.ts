/** Writes all images as zukan's API returns them, one per line. */
import { open } from 'node:fs/promises';
import type { StartedStore } from '../stores.ts';

const PAGE_SIZE = 25;

export async function writeImages({ origin, headers, size }: StartedStore, path: string): Promise<void> {
  await using file = await open(path, 'w');
  for (let offset = 0; offset < size; offset += PAGE_SIZE) {
    const response = await fetch(`${origin}/api/image?limit=${PAGE_SIZE}&offset=${offset}`, { headers });
    const { data } = (await response.json()) as { data: object[] };
    await file.write(data.map((image) => `${JSON.stringify(image)}\n`).join(''));
  }
}
