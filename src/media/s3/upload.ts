/** Taking bytes into a bucket: what is there already is not sent again, and what was sent is held against the answer. */
import { hash } from 'node:crypto';
import type { Upload } from '../files.ts';
import type { Journal } from '../journal.ts';
import type { Send } from './client.ts';

interface Bucket {
  send: Send;
  /** The headers of an object, undefined when there is none. */
  find(key: string): Promise<Headers | undefined>;
}

export function uploadTo({ send, find }: Bucket, journal: Journal): Upload {
  return {
    async put(key, bytes, { hash, mimetype }) {
      const before = await find(key);
      const digest = digestOf(bytes);
      if (before && isSame(before, bytes.length, digest, hash)) return eTagOf(before);
      if (!before) await journal.note(key);
      const headers = {
        'content-md5': Buffer.from(digest, 'hex').toString('base64'),
        'content-type': mimetype,
        'x-amz-meta-sha256': hash,
      };
      const request = { method: 'PUT', key, headers, body: { bytes, hash } } as const;
      const answer = await send(request, async (response) => {
        await response.arrayBuffer();
        return response.headers;
      });
      if (isDigest(answer) && eTagOf(answer) !== digest)
        throw new Error(`S3 stored other bytes under ${key} than were sent: import them again`);
      return eTagOf(answer);
    },

    // What S3 has confirmed is safe already.
    flush: async () => {},
    newKeys: () => [...journal.keys],
    finish: () => journal.end(),
    abandon: () => journal.abandon(),
  };
}

export function dryRunUploadTo({ find }: Bucket): Upload {
  return {
    async put(key, bytes, { hash }) {
      const before = await find(key);
      const digest = digestOf(bytes);
      return before && isSame(before, bytes.length, digest, hash) ? eTagOf(before) : digest;
    },
    flush: async () => {},
    newKeys: () => [],
    finish: async () => {},
    abandon: async () => {},
  };
}

/** Without quotes, and without the mark of a weak one. */
export function eTagOf(headers: Headers): string {
  const eTag = headers.get('etag')?.replace(/^W\//, '').replaceAll('"', '');
  if (!eTag) throw new Error('S3 gave no ETag');
  return eTag;
}

function isSame(before: Headers, size: number, digest: string, hash: string): boolean {
  if (Number(before.get('content-length')) !== size) return false;
  return isDigest(before) ? eTagOf(before) === digest : before.get('x-amz-meta-sha256') === hash;
}

/** Whether the ETag is the MD5 of the bytes: not of an upload in parts, nor where a key of the customer's encrypts. */
function isDigest(headers: Headers): boolean {
  const encryption = headers.get('x-amz-server-side-encryption') ?? 'AES256';
  return encryption === 'AES256' && /^[0-9a-f]{32}$/.test(eTagOf(headers));
}

const digestOf = (bytes: Uint8Array) => hash('md5', bytes);
