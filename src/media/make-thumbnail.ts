/**
 * The program that makes one thumbnail: `make-thumbnail.ts <size>` reads the original from standard input and writes the
 * thumbnail to standard output. It has a process of its own, because the system gets back what decoders leave behind only
 * when a process ends.
 */
import { buffer } from 'node:stream/consumers';
import { MAX_SERVING_BYTES } from './decoding.ts';
import { PictureError, readPicture } from './picture.ts';

const size = Number(process.argv[2]);
try {
  const { thumbnails } = await readPicture(await buffer(process.stdin), [size], MAX_SERVING_BYTES);
  // A picture that is not larger than that has none.
  for (const { bytes } of thumbnails.filter((thumbnail) => thumbnail.size === size))
    process.stdout.write(bytes);
} catch (error) {
  if (!(error instanceof PictureError)) throw error;
  process.exitCode = 1;
}
