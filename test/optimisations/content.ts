/** Which requests can be compared, and what of their responses. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Answer } from '../../torture/connection.ts';
import type { FuzzRequest } from '../../torture/requests.ts';

/** What may differ from response to response. */
const varying = new Set(['date', 'x-request-id']);
/** Malformed requests end their connection. These pages, and links without a valid Host, are about the server itself. */
export function isComparable({ kind, isOdd, isLast, path, text }: FuzzRequest): boolean {
  if (kind === 'malformed' || isOdd || isLast) return false;
  return path !== '/metrics' && path !== '/health/ready' && /^Host: [\w.-]{1,100}\r$/m.test(text);
}

/** Whether its response depends on random numbers. */
export function isDraw({ method, path, text }: FuzzRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return /\/image\/random(\/file)?\/?$/.test(path) && !/^\S+ [^?]*\/random\/?\?.*\bseed=/.test(text);
}

/** With its body decoded: a page that is cached is compressed better. */
export function contentOf({ status, headers, bytes }: Answer) {
  const { 'content-encoding': encoding, 'content-length': length, ...others } = headers;
  const decode = { br: brotliDecompressSync, gzip: gunzipSync }[encoding as string];
  const body = (decode && bytes.length > 0 ? decode(bytes) : bytes).toString();
  const kept = Object.entries(others).filter(([name]) => !varying.has(name));
  return { status, encoding, length: encoding ? undefined : length, headers: Object.fromEntries(kept), body };
}

/** The images of a list, or the link of a redirect to one. */
export function imagesIn({ headers, body }: ReturnType<typeof contentOf>): string[] {
  if (headers.location) return [headers.location];
  return body === '' ? [] : JSON.parse(body).data.map((image: object) => JSON.stringify(image));
}
