/** Compressing answers for those who ask for it. It is done on other threads, a bounded number at a time. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** Smaller ones would gain nothing that is worth the time. */
export const SMALLEST = 1024;
/** There are no more threads for it, and each that runs takes a megabyte or more. */
const MOST_AT_ONCE = 4;
/** More than this would wait too long for their turn; they are sent as they are. */
const MOST_WAITING = 28;
/** Of the levels, those that give most for their time on answers of 10 to 40 kB. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 4;
const MOST_REMEMBERED = 100;

const compressors: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: GZIP_LEVEL }),
};

let running = 0;
const waiting: (() => void)[] = [];

/** Undefined when there is too much to do. */
export async function compress(text: string, encoding: Encoding): Promise<Buffer | undefined> {
  if (waiting.length >= MOST_WAITING) return undefined;
  if (running < MOST_AT_ONCE) running++;
  // Whoever is done leaves its place to the one who waited longest.
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await compressors[encoding](Buffer.from(text));
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** There are few different wishes, and each comes very often. */
const remembered = new Map<string, Encoding | undefined>();

/** What an Accept-Encoding asks for, as far as we have it. */
export function encodingFor(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined;
  if (remembered.has(accepted)) return remembered.get(accepted);
  const encoding = choose(accepted);
  if (remembered.size < MOST_REMEMBERED) remembered.set(accepted, encoding);
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
