/**
 * AWS Signature Version 4, as S3 wants it: in the headers of our own requests, and in links that we give away. Nothing
 * here looks at a clock.
 *
 * Ten links are signed for an answer, so whatever is the same for all of them is worked out once, and an HMAC is made
 * of two plain hashes over prepared blocks (RFC 2104): that takes half as long as an Hmac object.
 */
import { createHmac, hash } from 'node:crypto';

export interface Signatory {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

export interface Signable {
  method: string;
  host: string;
  /** Encoded, see `encodePath`. */
  path: string;
  /** Encoded, see `encodeQuery`. */
  query: string;
  /** By names in lower case. */
  headers: Record<string, string>;
  /** The SHA-256 of the body, in hex. */
  contentHash: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const BLOCK = 64;
const HEX_HASH = 64;

type Sign = (canonicalRequest: string) => string;

export class Signer {
  readonly #who: Signatory;
  /** The key of the day that was signed for last. */
  #latest = { day: '', key: Buffer.alloc(0) };

  constructor(who: Signatory) {
    this.#who = who;
  }

  /** All headers that a request is to be sent with, but for `host`; `time` in milliseconds. */
  headers(
    { method, host, path, query, headers, contentHash }: Signable,
    time: number,
  ): Record<string, string> {
    const { accessKeyId, sessionToken } = this.#who;
    const { date, scope, sign } = this.#at(time);
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

  /** A function that signs the path of a GET for anyone who has the link; moments in seconds. */
  presigner(host: string, begins: number, expires: number): (path: string) => string {
    const { accessKeyId, sessionToken } = this.#who;
    const { date, scope, sign } = this.#at(begins * 1000);
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

  #at(time: number): { date: string; scope: string; sign: Sign } {
    const date = new Date(time).toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = date.slice(0, 8);
    const scope = `${day}/${this.#who.region}/s3/aws4_request`;
    const authenticate = hexAuthenticator(this.#keyOf(day), `${ALGORITHM}\n${date}\n${scope}\n`);
    return { date, scope, sign: (canonicalRequest) => authenticate(hash('sha256', canonicalRequest)) };
  }

  #keyOf(day: string): Buffer {
    if (this.#latest.day !== day) {
      const steps = [day, this.#who.region, 's3', 'aws4_request'];
      const secret = Buffer.from(`AWS4${this.#who.secretAccessKey}`);
      const key = steps.reduce((key, step) => createHmac('sha256', key).update(step).digest(), secret);
      this.#latest = { day, key };
    }
    return this.#latest.key;
  }
}

/** The HMAC of `lead` and a hash in hex. The key is shorter than a block, and `lead` is ASCII. */
function hexAuthenticator(key: Buffer, lead: string): (hexHash: string) => string {
  const block = Buffer.alloc(BLOCK);
  key.copy(block);
  const inner = Buffer.concat([block.map((byte) => byte ^ 0x36), Buffer.from(lead), Buffer.alloc(HEX_HASH)]);
  const outer = Buffer.concat([block.map((byte) => byte ^ 0x5c), Buffer.alloc(32)]);
  return (hexHash) => {
    inner.write(hexHash, inner.length - HEX_HASH, 'latin1');
    outer.write(hash('sha256', inner, 'latin1'), BLOCK, 'latin1');
    return hash('sha256', outer);
  };
}

const plainPath = /^[A-Za-z0-9\-._~/]*$/;

/** Every segment encoded, with nothing left as it is but what RFC 3986 calls unreserved. */
export function encodePath(path: string): string {
  return plainPath.test(path) ? path : path.split('/').map(encode).join('/');
}

/** Sorted by name and encoded, as it is signed and sent. */
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
