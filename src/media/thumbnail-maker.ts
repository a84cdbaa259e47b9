/**
 * Makes thumbnails whose files are missing, while clients wait for them. Few at a time and from a short queue, because each
 * takes the memory and the time of decoding an original.
 */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { thumbnailKey } from '../catalogue/thumbnails.ts';
import { Unavailable } from '../errors.ts';
import type { Files, OpenFile, ThumbnailMaker } from './files.ts';
import { MAX_BYTES, PictureError, readPicture } from './picture.ts';

const MAX_CONCURRENT = 2;
const MAX_WAITING = 32;

export function createThumbnailMaker(
  files: Files,
  maxConcurrent = MAX_CONCURRENT,
  maxWaiting = MAX_WAITING,
): ThumbnailMaker {
  const waiting = new Set<() => void>();
  let running = 0;

  /** Rejects if the client disconnects while it waits. */
  const waitForTurn = (signal: AbortSignal) =>
    new Promise<void>((start, reject) => {
      const leave = () => {
        waiting.delete(begin);
        reject(signal.reason);
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        start();
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.add(begin);
    });

  const runNext = () => {
    const [next] = waiting;
    if (next === undefined) {
      running--;
      return;
    }
    waiting.delete(next);
    next();
  };

  return {
    async make(key, size, signal) {
      signal.throwIfAborted();
      if (running < maxConcurrent) running++;
      else if (waiting.size < maxWaiting) await waitForTurn(signal);
      else throw new Unavailable('too many missing thumbnails are being made; run "zukan thumbnails"');
      try {
        // Another request may have made it meanwhile.
        return (await files.open(thumbnailKey(key, size))) ?? (await makeThumbnail(files, key, size));
      } catch (error) {
        if (error instanceof PictureError) return undefined;
        throw error;
      } finally {
        runNext();
      }
    },
  };
}

/** The original, or undefined if it is missing. */
export async function readOriginal(files: Files, key: string): Promise<Buffer | undefined> {
  const file = await files.open(key);
  if (!file) return undefined;
  if (file.size > 0 && file.size <= MAX_BYTES) return buffer(file.stream(0, file.size - 1));
  await file.close();
  throw new PictureError(`the file ${key} has ${file.size} bytes`);
}

async function makeThumbnail(files: Files, key: string, size: number): Promise<OpenFile | undefined> {
  const original = await readOriginal(files, key);
  const { thumbnails = [] } = original ? await readPicture(original, [size]) : {};
  const bytes = thumbnails.find((thumbnail) => thumbnail.size === size)?.bytes;
  if (!bytes) return undefined;
  // The folder may be read-only.
  await files.restore?.(thumbnailKey(key, size), bytes).catch(() => {});
  return {
    size: bytes.length,
    stream: (start, end) => Readable.from([bytes.subarray(start, end + 1)]),
    close: async () => {},
  };
}
