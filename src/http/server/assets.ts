/** Constant bodies, compressed once and sent from the same bytes to everyone. */
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { type Encoding, negotiateEncoding } from './compression.ts';
import { entityTag, matchesETag } from './conditional.ts';
import type { Exchange } from './exchange.ts';

export interface Asset {
  type: string;
  eTag: string;
  bytes: Record<Encoding | 'identity', Buffer>;
}

export async function makeAsset(text: string, type: string): Promise<Asset> {
  const identity = Buffer.from(text);
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity),
    promisify(gzip)(identity, { level: 9 }),
  ]);
  return { type, eTag: entityTag(text), bytes: { br, gzip: gzipped, identity } };
}

export function sendAsset(exchange: Exchange, { type, eTag, bytes }: Asset): void {
  const { headers } = exchange.request;
  exchange.headers({ ETag: eTag, 'Cache-Control': 'no-cache' });
  exchange.vary('Accept-Encoding');
  if (matchesETag(headers['if-none-match'], eTag)) {
    exchange.sendHead(304);
    return;
  }
  const encoding = negotiateEncoding(headers['accept-encoding'] as string | undefined);
  if (encoding) exchange.header('Content-Encoding', encoding);
  exchange.sendBytes(200, bytes[encoding ?? 'identity'], type);
}
