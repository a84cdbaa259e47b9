/** Bodies that stay the same, compressed when a client first accepts it, and sent from the same bytes to everyone. */

import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { type ByteString, toByteString } from '../lib/byte-string.ts';
import { type Bytes, type Exchange, JSON_TYPE } from './exchange.ts';
import {
  compress,
  type Encoding,
  encodings,
  entityTag,
  MIN_COMPRESSED_LENGTH,
  matchesETag,
  negotiateEncoding,
} from './request.ts';

/** A longer text is sent apart from the head of its response: joining them would take longer. */
const MAX_JOINED_LENGTH = 16 * 1024;

export interface Asset {
  type: string;
  eTag: string;
  bytes: Bytes;
  /** The best first. Formats that are compressed already, and short texts, have none. */
  encodings?: Partial<Record<Encoding, () => Promise<Bytes> | Bytes | undefined>>;
}

export function makeAsset(content: string | Buffer, type: string): Asset {
  const bytes = Buffer.from(content);
  const asset = { type, eTag: entityTag(bytes), bytes };
  if (/^(image\/(?!svg)|font\/|application\/gzip)/.test(type)) return asset;
  return {
    ...asset,
    encodings: { br: once(() => compressBrotli(bytes)), gzip: once(() => compressGzip(bytes)) },
  };
}

/**
 * A text that depends on the request. There may be many, and clients choose which, so it is compressed as quickly
 * as a response that is sent once.
 */
export function makeText(text: string, type: string, eTag?: string): Asset {
  return makeBytes(toByteString(text), type, eTag);
}

export function makeBytes(text: ByteString, type = JSON_TYPE, knownTag?: string): Asset {
  const encoded = Buffer.from(text, 'latin1');
  const bytes = text.length <= MAX_JOINED_LENGTH ? text : encoded;
  const answer = { type, eTag: knownTag ?? entityTag(encoded), bytes };
  if (text.length < MIN_COMPRESSED_LENGTH) return answer;
  const plain = () => (typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  const encode = (encoding: Encoding) => once(() => compress(plain(), encoding)?.toString('latin1'));
  return { ...answer, encodings: inEach(encode) };
}

/** Written when somebody needs more than the tag. */
export function makeTextLater(write: () => string, type: string, eTag: string): Asset {
  const made = once(() => makeText(write(), type, eTag));
  const encode = (encoding: Encoding) => () => made().encodings?.[encoding]?.();
  return {
    ...{ type, eTag, encodings: inEach(encode) },
    get bytes() {
      return made().bytes;
    },
  };
}

type Encodings = NonNullable<Asset['encodings']>;

const inEach = (encode: (encoding: Encoding) => Encodings[Encoding]): Encodings =>
  Object.fromEntries(encodings.map((encoding) => [encoding, encode(encoding)]));

const compressBrotli = (bytes: Buffer) => promisify(brotliCompress)(bytes);
const compressGzip = (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 });

/** Makes something when it is first needed. A failure is not cached. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    if (made instanceof Promise) made.catch(() => (made = undefined));
    return made;
  };
}

/** The same, but again when it would be made of something else. */
export function onceFor<S, T>(source: () => S, make: (source: S) => T): () => T {
  let made: { source: S; result: T } | undefined;
  return () => {
    const latest = source();
    if (made?.source !== latest) made = { source: latest, result: make(latest) };
    return made.result;
  };
}

/** Changes with the content. For addresses whose content never changes. */
export function versionOf({ eTag }: Asset): string {
  return eTag.slice('W/"'.length, 'W/"'.length + 10);
}

export function sendAsset(exchange: Exchange, asset: Asset, caching = 'no-cache'): Promise<void> | undefined {
  const { type, eTag, encodings: offered } = asset;
  const { headers } = exchange.request;
  exchange.header('ETag', eTag);
  exchange.header('Cache-Control', caching);
  if (offered) exchange.vary('Accept-Encoding');
  if (matchesETag(headers['if-none-match'], eTag)) {
    exchange.sendHead(304);
    return undefined;
  }
  const accepted = headers['accept-encoding'] as string | undefined;
  const encoding = offered && negotiateEncoding(accepted, Object.keys(offered) as Encoding[]);
  const encoded = encoding && offered[encoding]?.();
  const send = (compressed: Bytes | undefined) => {
    if (encoding && compressed) exchange.header('Content-Encoding', encoding);
    exchange.sendBytes(200, compressed ?? asset.bytes, type);
  };
  // What is compressed already is not awaited, which would take another turn of the queue of promises.
  if (encoded instanceof Promise) return encoded.then(send);
  send(encoded);
  return undefined;
}

const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Pages link to the address with the version, so browsers never ask again. */
export async function sendVersioned(exchange: Exchange, asset: Asset): Promise<void> {
  const isVersioned = exchange.search === `v=${versionOf(asset)}`;
  await sendAsset(exchange, asset, isVersioned ? IMMUTABLE : undefined);
}
