/** Compressing answers for those who ask for it. */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** Smaller ones would gain nothing that is worth the time. */
export const MIN_COMPRESSED_LENGTH = 1024;
/** More than this in one turn of the event loop would keep others waiting; they are sent as they are. */
const MAX_A_TURN = 40;
/** Of the levels, those that give most for their time on answers of 10 to 40 kB: a sixth of the size, in 0.1 ms. */
const BROTLI_QUALITY = 1;
const GZIP_LEVEL = 2;
const MAX_REMEMBERED = 100;

/**
 * It is done right here: handing it to another thread and taking it back costs more than it does itself, and what it leaves
 * behind waits for the garbage collector, 60 MB of it under load.
 */
const compressors: Record<Encoding, (text: string) => Buffer> = {
  br: (text) =>
    brotliCompressSync(text, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
      },
    }),
  gzip: (text) => gzipSync(text, { level: GZIP_LEVEL }),
};

let doneInThisTurn = 0;

/** Undefined when there is too much to do. */
export function compress(text: string, encoding: Encoding): Buffer | undefined {
  if (doneInThisTurn >= MAX_A_TURN) return undefined;
  if (doneInThisTurn++ === 0)
    setImmediate(() => {
      doneInThisTurn = 0;
    });
  return compressors[encoding](text);
}

/** There are few different wishes, and each comes very often. */
const remembered = new Map<string, Encoding | undefined>();

/** What an Accept-Encoding asks for, as far as we have it. */
export function encodingFor(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined;
  if (remembered.has(accepted)) return remembered.get(accepted);
  const encoding = choose(accepted);
  if (remembered.size < MAX_REMEMBERED) remembered.set(accepted, encoding);
  return encoding;
}

function choose(accepted: string): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1';
    weights.set(name, Number(weight) || 0);
  }
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get('*') ?? 0;
  if (weightOf('br') > 0 && weightOf('br') >= weightOf('gzip')) return 'br';
  return weightOf('gzip') > 0 ? 'gzip' : undefined;
}
