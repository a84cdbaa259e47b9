/** What a request asks for: its query string, and what its headers negotiate. */
import { hash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';

// Parses a query string into names and values. `node:querystring` would be slower.

export type RawQuery = ReadonlyMap<string, string | string[]>;

const empty: RawQuery = new Map();

/** `name[]` or `name[0]`, as many libraries write the values of a list. */
const bracketed = /^([^[\]]*)\[[0-9]*\]$/;

const PLUS = 0x2b;
const SPACE = 0x20;
/** No endpoint takes more than 20, and a list fits into one. */
export const MAX_PARAMETERS = 100;

export function hasTooManyParameters(search: string): boolean {
  let count = 1;
  for (let at = search.indexOf('&'); at >= 0; at = search.indexOf('&', at + 1))
    if (++count > MAX_PARAMETERS) return true;
  return false;
}

/**
 * A name that is repeated or has brackets gets a list of values, in order of appearance; the index in the brackets does
 * not matter. A name or value with invalid escapes stays as it is. Parameters after the first `MAX_PARAMETERS` are left out.
 */
export function parseQuery(search: string): RawQuery {
  if (search === '') return empty;
  const query = new Map<string, string | string[]>();
  // Splitting the text would take 1 to 2 µs more of CPU time, even if it has one parameter only.
  for (let [start, count] = [0, 0]; start < search.length && count < MAX_PARAMETERS; count++) {
    const ampersand = search.indexOf('&', start);
    const part = search.slice(start, ampersand < 0 ? search.length : ampersand);
    start += part.length + 1;
    if (part === '') continue;
    const equals = part.indexOf('=');
    const written = decodeComponent(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? '' : decodeComponent(part.slice(equals + 1));
    const inBrackets = written.endsWith(']') ? bracketed.exec(written)?.[1] : undefined;
    const name = inBrackets ?? written;
    const previous = query.get(name);
    if (previous === undefined) query.set(name, inBrackets === undefined ? value : [value]);
    else if (typeof previous === 'string') query.set(name, [previous, value]);
    else previous.push(value);
  }
  return query;
}

function decodeComponent(text: string): string {
  return decodeEscapes(text.includes('+') ? replacePluses(text) : text);
}

/** On bytes, because `replaceAll` takes long for a text of nothing but pluses. */
function replacePluses(text: string): string {
  const bytes = Buffer.from(text);
  for (let index = 0; index < bytes.length; index++) if (bytes[index] === PLUS) bytes[index] = SPACE;
  return bytes.toString();
}

/** Cuts off what may be the query of a link in a path: its question mark was escaped, or replaced by something else. */
export function withoutSignature(path: string): string {
  const start = path.search(/%(25)*3f|signature/i);
  return start < 0 ? path : path.slice(0, start);
}

/** UTF-8 without overlong forms and surrogates, as RFC 3629 defines it. */
const next = '%[89ab][\\da-f]';
const characters = [
  '%[0-7][\\da-f]',
  `%(?:c[2-9a-f]|d[\\da-f])${next}`,
  `%e0%[ab][\\da-f]${next}`,
  `%(?:e[1-9a-cef])(?:${next}){2}`,
  `%ed%[89][\\da-f]${next}`,
  `%f0%[9ab][\\da-f](?:${next}){2}`,
  `%f[1-3](?:${next}){3}`,
  `%f4%8[\\da-f](?:${next}){2}`,
];
const valid = new RegExp(`^[^%]*(?:(?:${characters.join('|')})[^%]*)*$`, 'i');

/**
 * A text with invalid escapes stays as it is. It is recognised before it is decoded, because an exception is slow, and a client
 * can send thousands of invalid escapes.
 */
export function decodeEscapes(text: string): string {
  return text.includes('%') && valid.test(text) ? decodeURIComponent(text) : text;
}

// What the headers of a request negotiate: the type of the response (Accept), its compression (Accept-Encoding), and whether
// the client has it already (If-None-Match).

/** The rest of a header is ignored. Browsers send less than 200 characters, and parsing 16 KB takes long. */
const MAX_HEADER_LENGTH = 1000;
const MAX_RANGES = 100;
const weightIn = /;\s*q=([^;\s]*)/;

/** The weight of each name in the header, in lower case. Parameters other than `q` are ignored. */
function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  const end = Math.min(header.length, MAX_HEADER_LENGTH);
  // Splitting the header would take 3 µs more of CPU time, even if it has one name only.
  for (let [start, ranges] = [0, 0]; start < end && ranges < MAX_RANGES; ranges++) {
    const comma = header.indexOf(',', start);
    const part = header.slice(start, comma < 0 ? end : Math.min(comma, end));
    start += part.length + 1;
    const semicolon = part.indexOf(';');
    const name = semicolon < 0 ? part : part.slice(0, semicolon);
    const weight = semicolon < 0 ? 1 : Number(weightIn.exec(part.toLowerCase())?.[1] ?? 1) || 0;
    weights.set(name.trim().toLowerCase(), weight);
  }
  return weights;
}

/**
 * The type that the client would rather have; undefined without a preference. Of equal weights, the more specific range
 * decides, so `text/html, *\/*` prefers HTML, as browsers do when they open a page.
 */
export function preferredType(accept = ''): 'html' | 'json' | undefined {
  const weights = parseWeights(accept);
  const html = findRange(weights, ['text/html', 'text/*', '*/*']);
  const json = findRange(weights, ['application/json', 'application/*', '*/*']);
  if (html.weight !== json.weight) return html.weight > json.weight ? 'html' : 'json';
  if (html.weight === 0 || html.rank === json.rank) return undefined;
  return html.rank < json.rank ? 'html' : 'json';
}

/** Without a preference, as of curl, the response is JSON. */
export function prefersHtml(accept?: string): boolean {
  return preferredType(accept) === 'html';
}

/** Whether a browser asks for a picture, as for `<img>`. When it opens a page, it asks for HTML too. */
export function acceptsSvg(accept = ''): boolean {
  const weights = parseWeights(accept);
  return weights.has('image/svg+xml') && !weights.has('text/html');
}

/** The weight of the first range that the header has, 0 if it has none of them. */
function findRange(weights: Map<string, number>, ranges: string[]): { weight: number; rank: number } {
  const rank = ranges.findIndex((range) => weights.has(range));
  return { rank, weight: rank < 0 ? 0 : (weights.get(ranges[rank] as string) as number) };
}

/** By what compressing a response costs: zstd takes four fifths of the time of br, and its result is a tenth smaller. */
export const encodings = ['zstd', 'br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

/** Compressing a shorter body saves too little to be worth the time. */
export const MIN_COMPRESSED_LENGTH = 1024;
/** Compressing more in one tick would delay other requests; the rest is sent uncompressed. */
const MAX_PER_TICK = 40;
/** The best ratio of size to time for bodies of 10 to 40 kB. */
const ZSTD_LEVEL = 1;
const BROTLI_QUALITY = 1;
const GZIP_LEVEL = 2;

/**
 * Synchronous, because a round trip to the thread pool takes longer than the compression, and its buffers add 60 MB of
 * garbage under load.
 */
const compressors: Record<Encoding, (bytes: Buffer) => Buffer> = {
  zstd: (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }),
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
export function compress(bytes: Buffer, encoding: Encoding): Buffer | undefined {
  if (compressedThisTick >= MAX_PER_TICK) return undefined;
  if (compressedThisTick++ === 0)
    setImmediate(() => {
      compressedThisTick = 0;
    });
  return compressors[encoding](bytes);
}

/** The one that the client likes best; of equal ones, the first that is offered. */
export function negotiateEncoding(
  acceptEncoding: string | undefined,
  offered: readonly Encoding[] = encodings,
): Encoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = parseWeights(acceptEncoding);
  let [best, highest]: [Encoding | undefined, number] = [undefined, 0];
  for (const encoding of offered) {
    const weight = weights.get(encoding) ?? weights.get('*') ?? 0;
    if (weight > highest) [best, highest] = [encoding, weight];
  }
  return best;
}

/** Weak, because the same body may be sent compressed or uncompressed. */
export function entityTag(content: string | Buffer): string {
  return `W/"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}

/**
 * Whether the client already has this version. Compares weakly, as RFC 9110 requires for If-None-Match. A tag contains no
 * quotation marks, so it is found as a whole or not at all; splitting a list of 16 KB could take long.
 */
export function matchesETag(ifNoneMatch: string | undefined, eTag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || ifNoneMatch.includes(eTag.replace(/^W\//, ''));
}
