/**
 * The program that decodes one picture: `decode-picture.ts <bytes> <max memory> <sizes>` reads so many bytes of a picture from
 * standard input, and writes what `decodePicture` returns, or why the picture cannot be used, to standard output. It has a
 * process of its own, because the system gets back what decoders leave behind only when a process ends.
 */
import { serialize } from 'node:v8';
import { PictureError } from './metadata/part.ts';
import { decodePicture } from './picture.ts';

const [length = '', maxMemory = '', sizes = ''] = process.argv.slice(2);
// Ctrl-C reaches the whole group of processes. The parent decides what ends.
process.on('SIGINT', () => {});

/** Joining chunks would make a second copy. */
async function readInput(): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(Number(length));
  let read = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) read += chunk.copy(bytes, read);
  return bytes.subarray(0, read);
}

const thumbnailSizes = sizes.split(',').filter(Boolean).map(Number);
try {
  process.stdout.write(serialize(await decodePicture(await readInput(), thumbnailSizes, Number(maxMemory))));
} catch (error) {
  if (!(error instanceof PictureError)) throw error;
  process.stdout.write(serialize({ problem: error.message }));
}
