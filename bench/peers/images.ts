/** All images as our API shows them, one a line, for those who are to serve the same. */
import { open } from 'node:fs/promises';
import type { StartedStore } from '../stores.ts';

const PAGE = 25;

export async function writeImages({ origin, headers, size }: StartedStore, path: string): Promise<void> {
  await using file = await open(path, 'w');
  for (let offset = 0; offset < size; offset += PAGE) {
    const answer = await fetch(`${origin}/api/image?limit=${PAGE}&offset=${offset}`, { headers });
    const { data } = (await answer.json()) as { data: object[] };
    await file.write(data.map((image) => `${JSON.stringify(image)}\n`).join(''));
  }
}
