/**
 * AWS Signature Version 4 for S3: in the headers of our own requests, and in presigned links. The time is passed in.
 *
 * A response contains many links, so everything they share is computed once, and an HMAC is two plain hashes over
 * prepared blocks (RFC 2104), which is faster than an Hmac object.
 */
import { createHmac, hash } from 'node:crypto';
import type { Credentials } from './credentials.ts';

export interface Signable {
  method: string;
  host: string;
  /** Encoded with `encodePath`. */
  path: string;
  /** Encoded with `encodeQuery`. */
  query: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** SHA-256 of the body in hex. */
  contentHash: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const BLOCK_SIZE = 64;
const HEX_HASH_LENGTH = 64;

type Sign = (canonicalRequest: string) => string;

export class Signer {
  readonly credentials: Credentials;
  readonly #region: string;
  /** The signing key of the last day. */
  #latest = { day: '', key: Buffer.alloc(0) };

  constructor(region: string, credentials: Credentials) {
    this.#region = region;
    this.credentials = credentials;
  }

  /** All headers to send, except `host`. `time` is in milliseconds. */
  headers(
    { method, host, path, query, headers, contentHash }: Signable,
    time: number,
  ): Record<string, string> {
    const { accessKeyId, sessionToken } = this.credentials;
    const { date, scope, sign } = this.#prepare(time);
    const sent: Record<string, string> = {
      ...headers,
      'x-amz-content-sha256': contentHash,
      'x-amz-date': date,
    };
    if (sessionToken) sent['x-amz-security-token'] = sessionToken;
    const signed = Object.entries({ ...sent, host }).sort(byName);
    const names = signed.map(([name]) => name).join(';');
    const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('');
    const signature = sign(`${method}\n${path}\n${query}\n${lines}\n${names}\n${contentHash}`);
    sent.authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return sent;
  }

  /** Returns a function that presigns a GET of a path. Times are in seconds. */
  presigner(host: string, begins: number, expires: number): (path: string) => string {
    const { accessKeyId, sessionToken } = this.credentials;
    const { date, scope, sign } = this.#prepare(begins * 1000);
    const query = encodeQuery({
      'X-Amz-Algorithm': ALGORITHM,
      'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
      'X-Amz-Credential': `${accessKeyId}/${scope}`,
      'X-Amz-Date': date,
      'X-Amz-Expires': String(expires - begins),
      ...(sessionToken && { 'X-Amz-Security-Token': sessionToken }),
    });
    const rest = `\n${query}&X-Amz-SignedHeaders=host\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`;
    return (path) =>
      `${path}?${query}&X-Amz-Signature=${sign(`GET\n${path}${rest}`)}&X-Amz-SignedHeaders=host`;
  }

  #prepare(time: number): { date: string; scope: string; sign: Sign } {
    const date = new Date(time).toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = date.slice(0, 8);
    const scope = `${day}/${this.#region}/s3/aws4_request`;
    const hmac = prepareHmac(this.#signingKey(day), `${ALGORITHM}\n${date}\n${scope}\n`);
    return { date, scope, sign: (canonicalRequest) => hmac(hash('sha256', canonicalRequest)) };
  }

  #signingKey(day: string): Buffer {
    if (this.#latest.day !== day) {
      const steps = [day, this.#region, 's3', 'aws4_request'];
      const secret = Buffer.from(`AWS4${this.credentials.secretAccessKey}`);
      const key = steps.reduce((key, step) => createHmac('sha256', key).update(step).digest(), secret);
      this.#latest = { day, key };
    }
    return this.#latest.key;
  }
}

/** Returns a function that computes the HMAC of `start` and a hash in hex. The key is shorter than a block, `start` is ASCII. */
function prepareHmac(key: Buffer, start: string): (hexHash: string) => string {
  const block = Buffer.alloc(BLOCK_SIZE);
  key.copy(block);
  const inner = Buffer.concat([
    block.map((byte) => byte ^ 0x36),
    Buffer.from(start),
    Buffer.alloc(HEX_HASH_LENGTH),
  ]);
  const outer = Buffer.concat([block.map((byte) => byte ^ 0x5c), Buffer.alloc(32)]);
  return (hexHash) => {
    inner.write(hexHash, inner.length - HEX_HASH_LENGTH, 'latin1');
    outer.write(hash('sha256', inner, 'binary'), BLOCK_SIZE, 'binary');
    return hash('sha256', outer);
  };
}

const plainPath = /^[A-Za-z0-9\-._~/]*$/;

/** Percent-encodes each segment, except the unreserved characters of RFC 3986. */
export function encodePath(path: string): string {
  return plainPath.test(path) ? path : path.split('/').map(encode).join('/');
}

/** Encoded and sorted by name, as it is signed and sent. */
export function encodeQuery(parameters: Record<string, string>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => [encode(name), encode(value)] as const);
  return pairs
    .sort(byName)
    .map((pair) => pair.join('='))
    .join('&');
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]) => (a < b ? -1 : 1);

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
