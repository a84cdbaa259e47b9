/** Compression of responses, as negotiated by Accept-Encoding. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { parseWeights } from './accept.ts';

export type Encoding = 'br' | 'gzip';

/** Compressing a shorter body saves too little to be worth the time. */
export const MIN_COMPRESSED_LENGTH = 1024;
/** Compressing more in one tick would delay other requests; the rest is sent uncompressed. */
const MAX_PER_TICK = 40;
/** The best ratio of size to time for bodies of 10 to 40 kB: a sixth of the size in 0.1 ms. */
const BROTLI_QUALITY = 1;
const GZIP_LEVEL = 2;

/**
 * Synchronous, because a round trip to the thread pool takes longer than the compression, and its buffers add 60 MB of
 * garbage under load.
 */
const compressors: Record<Encoding, (bytes: Buffer) => Buffer> = {
  br: (bytes) =>
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => gzipSync(bytes, { level: GZIP_LEVEL }),
};

let compressedThisTick = 0;

/** Returns undefined when this tick has compressed enough. */
export function compress(
  text: string,
  characters: 'utf8' | 'latin1',
  encoding: Encoding,
): Buffer | undefined {
  if (compressedThisTick >= MAX_PER_TICK) return undefined;
  if (compressedThisTick++ === 0)
    setImmediate(() => {
      compressedThisTick = 0;
    });
  return compressors[encoding](Buffer.from(text, characters));
}

/** Not cached: it takes a microsecond, and clients could fill a cache with headers of their own. */
export function negotiateEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = parseWeights(acceptEncoding);
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0;
  if (weightOf('br') > 0 && weightOf('br') >= weightOf('gzip')) return 'br';
  return weightOf('gzip') > 0 ? 'gzip' : undefined;
}
