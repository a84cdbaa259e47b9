/** Reads stored pictures, and bounds how many bytes of pictures are in memory at the same time. */
import { buffer } from 'node:stream/consumers';
import { Budget } from '../lib/parallel.ts';
import type { Files } from './files.ts';
import { MAX_BYTES, PictureError } from './picture.ts';

/** For everything in this process that reads whole pictures. A larger file is read alone. */
export const fileBudget = new Budget(128 * 1024 * 1024);

/** Calls `use` with the bytes of an original. Returns undefined if it is missing. */
export async function useOriginal<T>(
  files: Files,
  key: string,
  use: (bytes: Buffer) => T | Promise<T>,
  maxBytes = MAX_BYTES,
): Promise<T | undefined> {
  const file = await files.open(key);
  if (!file) return undefined;
  if (file.size === 0 || file.size > maxBytes) {
    await file.close();
    throw new PictureError(`the file ${key} has ${file.size} bytes`);
  }
  return fileBudget.spend(file.size, async () => use(await buffer(file.stream(0, file.size - 1))));
}
