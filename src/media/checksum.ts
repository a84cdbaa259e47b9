import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The SHA-256 of a stream. */
export async function hashChunks(chunks: AsyncIterable<unknown> | Iterable<unknown>): Promise<string> {
  const sum = createHash('sha256');
  for await (const chunk of chunks) sum.update(chunk as Buffer);
  return sum.digest('hex');
}

export const hashFile = (path: string): Promise<string> => hashChunks(createReadStream(path));
