/**
 * Makes thumbnails whose files are missing, while clients wait for them. One at a time in the whole process and from a short
 * queue, because each takes the memory and the time of decoding an original, in a process of its own.
 */
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { thumbnailKey } from '../catalogue/documents/document.ts';
import type { CatalogueWriter } from '../catalogue/writer.ts';
import { Budget, createTurnMemory, type TurnMemory, takeTurn } from '../lib/concurrency.ts';
import { Unavailable } from '../lib/metrics.ts';
import { decodeInProcess, MAX_SERVING_BYTES } from './decoding.ts';
import type { Files, OpenFile, ThumbnailMaker } from './files.ts';
import { PictureError } from './metadata/part.ts';
import type { DecodedPicture } from './picture.ts';

const MAX_WAITING = 32;
/** Others wait meanwhile, so a decoder that hangs is ended. */
const TIMEOUT_MS = 60_000;

/** Opens the catalogue under its write lock, or fails at once if another command has it. */
type TryWriter = () => Promise<Pick<CatalogueWriter, 'unusedKeys' | typeof Symbol.asyncDispose>>;

export function createThumbnailMaker(
  files: Files,
  tryWriter: TryWriter,
  turn: TurnMemory = { memory: createTurnMemory(), owner: 1 },
  maxWaiting = MAX_WAITING,
): ThumbnailMaker {
  const queue = new Budget(1, maxWaiting);

  const makeThumbnail = async (key: string, size: number): Promise<OpenFile | undefined> => {
    // Most servers never make one.
    const { useOriginal } = await import('./picture.ts');
    const bytes = await useOriginal(files, key, (original) => decode(original, size), MAX_SERVING_BYTES / 2);
    if (!bytes) return undefined;
    // The folder may be read-only, and another command may be changing the catalogue.
    await storeIfUsed(files, tryWriter, thumbnailKey(key, size), bytes).catch(() => {});
    return {
      size: bytes.length,
      stream: (start, end) => Readable.from([bytes.subarray(start, end + 1)]),
      close: async () => {},
    };
  };

  const makeInTurn = async (key: string, size: number, signal: AbortSignal) => {
    const endTurn = await takeTurn(turn);
    try {
      signal.throwIfAborted();
      // Another request may have made it meanwhile.
      return (await files.open(thumbnailKey(key, size))) ?? (await makeThumbnail(key, size));
    } catch (error) {
      if (error instanceof PictureError) return undefined;
      throw error;
    } finally {
      endTurn();
      // So that other threads can take the turn.
      await nextTick();
    }
  };

  return {
    async make(key, size, signal) {
      signal.throwIfAborted();
      if (queue.isFull)
        throw new Unavailable('too many missing thumbnails are being made; run "zukan thumbnails"');
      return queue.spend(1, () => makeInTurn(key, size, signal), signal);
    },
  };
}

/** In a process of its own. Undefined if the picture cannot be used, or has no thumbnail of this size. */
async function decode(original: Buffer, size: number): Promise<Buffer | undefined> {
  const options = { maxMemory: MAX_SERVING_BYTES, timeoutMs: TIMEOUT_MS };
  const decoded = await decodeInProcess<DecodedPicture>(original, [size], options);
  if ('problem' in decoded) return undefined;
  return decoded.thumbnails.find((thumbnail) => thumbnail.size === size)?.bytes;
}

/**
 * Images are removed under the write lock, and their files after that. So a thumbnail that is stored under the lock, while an
 * image uses it, goes with the image. A process that is killed leaves at most a temporary file, as imports do.
 */
async function storeIfUsed(
  files: Files,
  tryWriter: TryWriter,
  key: string,
  bytes: Uint8Array,
): Promise<void> {
  if (!files.restore) return;
  await using writer = await tryWriter();
  if ((await writer.unusedKeys([key])).length === 0) await files.restore(key, bytes);
}
