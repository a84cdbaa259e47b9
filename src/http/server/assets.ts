/** Constant bodies, compressed once and sent from the same bytes to everyone. */
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { type Encoding, negotiateEncoding } from './compression.ts';
import { entityTag, matchesETag } from './conditional.ts';
import type { Exchange } from './exchange.ts';

export interface Asset {
  type: string;
  eTag: string;
  /** Formats that are compressed already have no other encoding. */
  bytes: { identity: Buffer } & Partial<Record<Encoding, Buffer>>;
}

export async function makeAsset(content: string | Buffer, type: string): Promise<Asset> {
  const identity = Buffer.from(content);
  const asset = { type, eTag: entityTag(content), bytes: { identity } };
  if (/^image\/(?!svg)/.test(type)) return asset;
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity),
    promisify(gzip)(identity, { level: 9 }),
  ]);
  return { ...asset, bytes: { br, gzip: gzipped, identity } };
}

/** Changes with the content. For addresses whose content never changes. */
export function versionOf({ eTag }: Asset): string {
  return eTag.slice('W/"'.length, 'W/"'.length + 10);
}

interface SendOptions {
  status?: number;
  cacheControl?: string;
}

export function sendAsset(
  exchange: Exchange,
  { type, eTag, bytes }: Asset,
  { status = 200, cacheControl = 'no-cache' }: SendOptions = {},
): void {
  const { headers } = exchange.request;
  exchange.headers({ ETag: eTag, 'Cache-Control': cacheControl });
  exchange.vary('Accept-Encoding');
  if (status === 200 && matchesETag(headers['if-none-match'], eTag)) {
    exchange.sendHead(304);
    return;
  }
  const encoding = negotiateEncoding(headers['accept-encoding'] as string | undefined);
  const encoded = encoding && bytes[encoding];
  if (encoded) exchange.header('Content-Encoding', encoding);
  exchange.sendBytes(status, encoded ?? bytes.identity, type);
}

/** Sends a body that is made for one request as if it were an asset. */
export function sendOnce(exchange: Exchange, text: string, type: string): void {
  const eTag = entityTag(text);
  exchange.headers({ ETag: eTag, 'Cache-Control': 'no-cache' });
  if (!matchesETag(exchange.request.headers['if-none-match'], eTag)) {
    exchange.sendCompressed(200, text, type);
    return;
  }
  exchange.vary('Accept-Encoding');
  exchange.sendHead(304);
}

const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Pages link to the address with the version, so browsers never ask again. */
export function sendVersioned(exchange: Exchange, asset: Asset): void {
  const isVersioned = exchange.search === `v=${versionOf(asset)}`;
  sendAsset(exchange, asset, isVersioned ? { cacheControl: IMMUTABLE } : {});
}
